import { useQuery } from '@tanstack/react-query'
import { ApiError, api } from '../../kit/api.ts'

// Who listens, reads and speaks for the company.

export type EngineName = 'stt' | 'llm' | 'tts'

export interface EngineState {
  on: boolean
  /** Which one it is, or why there is none. */
  sentence: string
}
export type Engines = Record<EngineName, EngineState>

export const enginesKey = ['intelligence', 'engines']

/** Null: this server does not tell. */
export const useEngines = () =>
  useQuery({
    queryKey: enginesKey,
    staleTime: 30_000,
    queryFn: async (): Promise<Engines | null> => {
      try {
        return (await api.get<{ engines: Engines }>('/v1/intelligence/engines')).engines
      } catch (error) {
        // Only admins may ask, and older servers do not know the question.
        if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return null
        throw error
      }
    },
  })
