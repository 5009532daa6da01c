import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type ResponseOf } from '../kit/api.ts'
import { useSession } from '../kit/session.tsx'

// Queries of the phone app beside the WebSocket.

export type Me = ResponseOf<'/v1/me'>

export const wantsRobust = (me: Me | undefined) => me?.call_sound === 'robust' && me.robust_sound_available

export type Status = 'available' | 'custom' | 'unavailable'

export type ContactSuggestion = ResponseOf<'/v1/contacts/suggestions'>['contacts'][number]

export type PhoneCall = ResponseOf<'/v1/calls/{id}'>['call']

export const meKey = ['me']
export const callKey = (id: number) => ['call', id]
export const historyKey = ['history']
export const campaignKey = ['campaign']

export const useMe = () => useQuery({ queryKey: meKey, queryFn: () => api.get('/v1/me'), staleTime: 30_000 })

export const useCall = (id: number) =>
  useQuery({
    queryKey: callKey(id),
    queryFn: async () => (await api.get('/v1/calls/{id}', { params: { id }, query: { fetch_contact: true } })).call,
  })

/** Why an outbound call was not completed; null if unknown. */
export const useFailure = (id: number) =>
  useQuery({
    queryKey: ['call-failure', id],
    queryFn: async () => (await api.get('/v1/calls/{id}/failure', { params: { id } })).failure,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Runs a change of the call and reads the call again. */
export function useCallWriter(id: number) {
  const queries = useQueryClient()
  return async (run: () => Promise<{ call: PhoneCall } | undefined>) => {
    await run()
    await queries.invalidateQueries({ queryKey: callKey(id) })
  }
}

export type CampaignNumber = ResponseOf<'/v1/users/{user_id}/dialer_campaign/phone_numbers'>['numbers'][number]

export interface Campaign {
  number_id: string | null
  numbers: CampaignNumber[]
}

/** Null: the user has no campaign. */
export function useCampaign() {
  const { user } = useSession()
  return useQuery({
    queryKey: campaignKey,
    queryFn: async (): Promise<Campaign | null> => {
      const params = { user_id: user.id }
      const campaign = await api.find('/v1/users/{user_id}/dialer_campaign', { params })
      const list = campaign && (await api.find('/v1/users/{user_id}/dialer_campaign/phone_numbers', { params }))
      return list && { number_id: campaign.number_id, numbers: list.numbers }
    },
  })
}

export const contactName = ({ first_name, last_name, company_name }: ContactSuggestion) =>
  [first_name, last_name].filter(Boolean).join(' ') || company_name || 'No name'
