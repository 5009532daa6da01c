import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'

export type PhoneNumber = ResponseOf<'/v1/numbers/{id}'>['number']

export const promptLanguages = ['en-US', 'en-GB', 'fr-FR', 'es-ES', 'de-DE', 'it-IT', 'nl-NL', 'pt-PT'] as const

export type NumberSettings = ResponseOf<'/v1/numbers/{id}/settings'>

export const settingsQuery = (id: number) => ({
  queryKey: ['number', id, 'settings'],
  queryFn: () => api.get('/v1/numbers/{id}/settings', { params: { id } }),
})

export const useNumber = (id: number) =>
  useQuery({
    queryKey: ['number', id, 'itself'],
    queryFn: async () => (await api.get('/v1/numbers/{id}', { params: { id } })).number,
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
