import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError, api } from '../kit/api.ts'
import { useSession } from '../kit/session.tsx'

// Queries of the phone app beside the WebSocket.

export interface Me {
  user: {
    id: number
    name: string
    availability_status: Status
    substatus: string
    default_number_id: number | null
    extension: string
  }
  presence: string
  wrap_up: { call_id: number; until: number | null; needs_tag: boolean } | null
  numbers: Line[]
  mandatory_tagging: boolean
  call_sound: 'standard' | 'robust'
  robust_sound_available: boolean
  embed_origins?: string[]
}

export const wantsRobust = (me: Me | undefined) => me?.call_sound === 'robust' && me.robust_sound_available

export type Status = 'available' | 'custom' | 'unavailable'

export interface Line {
  id: number
  digits: string
  name: string
  validated: boolean
}

export interface Contact {
  id: number
  first_name: string | null
  last_name: string | null
  company_name: string | null
  phone_numbers: { id: number; label: string; value: string }[]
}

export interface Call {
  id: number
  direction: 'inbound' | 'outbound'
  status: 'initial' | 'answered' | 'done'
  missed_call_reason: string | null
  started_at: number
  answered_at: number | null
  duration: number
  raw_digits: string
  recording: string | null
  voicemail: string | null
  archived: boolean
  contact: Contact | null
  number: { id: number; name: string } | null
  assigned_to: { id: number; name: string } | null
  comments: { id: number; content: string; posted_by: { name: string } | null; posted_at: number }[]
  tags: { id: number; name: string }[]
}

export const meKey = ['me']
export const callKey = (id: number) => ['call', id]
export const historyKey = ['history']
export const campaignKey = ['campaign']

export const useMe = () => useQuery({ queryKey: meKey, queryFn: () => api.get<Me>('/v1/me'), staleTime: 30_000 })

export const useCall = (id: number) =>
  useQuery({
    queryKey: callKey(id),
    queryFn: async () => (await api.get<{ call: Call }>(`/v1/calls/${id}`, { fetch_contact: true })).call,
  })

/** Why an outbound call was not completed; null if unknown. */
export const useFailure = (id: number) =>
  useQuery({
    queryKey: ['call-failure', id],
    queryFn: async () => (await api.get<{ failure: string | null }>(`/v1/calls/${id}/failure`)).failure,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Runs a change of the call and reads the call again. */
export function useCallWriter(id: number) {
  const queries = useQueryClient()
  return async (run: () => Promise<{ call: Call } | undefined>) => {
    await run()
    await queries.invalidateQueries({ queryKey: callKey(id) })
  }
}

export interface CampaignNumber {
  id: number
  number: string
  called: boolean
}

export interface Campaign {
  number_id: string | null
  numbers: CampaignNumber[]
}

/** Null: the user has no campaign. */
export function useCampaign() {
  const { user } = useSession()
  const path = `/v1/users/${user.id}/dialer_campaign`
  return useQuery({
    queryKey: campaignKey,
    queryFn: async (): Promise<Campaign | null> => {
      try {
        const { number_id } = await api.get<{ number_id: string | null }>(path)
        const { numbers } = await api.get<{ numbers: CampaignNumber[] }>(`${path}/phone_numbers`)
        return { number_id, numbers }
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
  })
}

export const useHistory = () =>
  useQuery({
    queryKey: historyKey,
    queryFn: async () =>
      (await api.get<{ calls: Call[] }>('/v1/me/calls', { order: 'desc', per_page: 50, fetch_contact: true })).calls,
  })

export const nameOf = ({ first_name, last_name, company_name }: Contact) =>
  [first_name, last_name].filter(Boolean).join(' ') || company_name || 'No name'
