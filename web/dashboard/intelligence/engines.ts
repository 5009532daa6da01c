import { useQuery } from '@tanstack/react-query'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'

export const engineKinds = ['stt', 'llm', 'tts'] as const
export type EngineKind = (typeof engineKinds)[number]

export const tasks = [
  { task: 'summary', label: 'Summaries' },
  { task: 'topics', label: 'Topics' },
  { task: 'sentiment', label: 'Sentiment' },
  { task: 'action_items', label: 'Action items' },
  { task: 'custom_summary', label: 'Template summaries' },
  { task: 'playbook_result', label: 'Playbooks' },
  { task: 'evaluation', label: 'Evaluations' },
  { task: 'predicted_csat', label: 'Predicted CSAT' },
  { task: 'agent', label: 'AI agents' },
] as const
export type EngineSettings = ResponseOf<'/v1/intelligence/engines'>['settings']

export type Tried = ResponseOf<'/v1/intelligence/engines/test', 'post'>

export const enginesKey = ['intelligence', 'engines']

/** Null for users without admin role and on servers without engines. */
export function useEngines() {
  const mayRead = isAdmin(useSession())
  return useQuery({
    queryKey: enginesKey,
    staleTime: 30_000,
    queryFn: async (): Promise<EngineSettings | null> => {
      if (!mayRead) return null
      try {
        return (await api.find('/v1/intelligence/engines'))?.settings ?? null
      } catch (error) {
        // The plan of the company does not include it.
        if (error instanceof ApiError && error.status === 403) return null
        throw error
      }
    },
  })
}
