import { useQuery } from '@tanstack/react-query'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { everyPage } from '../../kit/ui/lists.ts'

export const agentsKey = ['agents']

/** All AI agents of the company. */
export const useAgents = (enabled = true) =>
  useQuery({
    queryKey: [...agentsKey, 'all'],
    queryFn: () =>
      everyPage(
        (query) => api.get('/v1/ai_voice_agents', { query }),
        ({ ai_voice_agents }) => ai_voice_agents,
      ),
    enabled,
    staleTime: 30_000,
  })

export const useAgent = (id: string) =>
  useQuery({
    queryKey: [...agentsKey, id],
    queryFn: async () => (await api.get('/v1/ai_voice_agents/{id}/settings', { params: { id } })).ai_voice_agent,
    // Refetching would replace unsaved edits.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

type Call = ResponseOf<'/v1/calls/search'>['calls'][number]
type Session = NonNullable<Call['ai_voice_agents']>[number]

export type TakenCall = Pick<Call, 'id' | 'raw_digits' | 'number'> & { session: Session }

const perPage = 50
const maxPages = 6
const maxCalls = 10

/** Its latest calls among the `looked` newest calls of the company. */
export const useAgentActivity = (id: string) =>
  useQuery({
    queryKey: [...agentsKey, id, 'activity'],
    refetchInterval: 15_000,
    queryFn: async () => {
      const taken: TakenCall[] = []
      let looked = 0
      for (let page = 1; page <= maxPages && taken.length < maxCalls; page++) {
        const found = await api.get('/v1/calls/search', {
          query: { order: 'desc', fetch_aiva_conv: true, page, per_page: perPage },
        })
        looked += found.calls.length
        for (const { ai_voice_agents: sessions = [], ...call } of found.calls)
          for (const session of sessions) if (session.agent_id === id) taken.push({ ...call, session })
        if (found.calls.length < perPage) break
      }
      return { taken: taken.slice(0, maxCalls), looked }
    },
  })

export const isNotThere = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.status === 405)
