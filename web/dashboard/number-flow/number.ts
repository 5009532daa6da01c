import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'

export interface PhoneNumber {
  id: number
  name: string
  digits: string
  country: string
  created_at: string
  time_zone: string
  open: boolean
  availability_status: 'open' | 'custom' | 'closed'
  is_ivr: boolean
  live_recording_activated: boolean
  priority: number | null
  messages: Record<string, string>
  users: { id: number; name: string; email: string }[]
}

export const languages = ['en-US', 'en-GB', 'fr-FR', 'es-ES', 'de-DE', 'it-IT', 'nl-NL', 'pt-PT'] as const

export interface NumberSettings {
  validated: boolean
  ring_simultaneous_seconds: number
  ring_one_by_one_seconds: number
  language: (typeof languages)[number]
  time_zone: string
  flow_editor_enabled: boolean
  linked_user_ids: number[]
}

export const settingsQuery = (id: number) => ({
  queryKey: ['number', id, 'settings'],
  queryFn: () => api.get<NumberSettings>(`/v1/numbers/${id}/settings`),
})

export const useNumber = (id: number) =>
  useQuery({
    queryKey: ['number', id, 'itself'],
    queryFn: async () => (await api.get<{ number: PhoneNumber }>(`/v1/numbers/${id}`)).number,
  })

/** Refreshes all queries that show the number. */
export function useRereadNumber(id: number) {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['number', id] }),
      queries.invalidateQueries({ queryKey: ['numbers'] }),
    ])
}
