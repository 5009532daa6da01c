import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'

/** The result of the recording announcement of a call; null: none was due. */
export const useConsent = (id: number, isOver: boolean) =>
  useQuery({
    queryKey: ['call', String(id), 'recording-consent', isOver],
    queryFn: async () => (await api.get('/v1/calls/{id}/recording_consent', { params: { id } })).recording_consent,
  })
