import { useQuery } from '@tanstack/react-query'
import { ApiError, api, type ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { useEngines } from '../intelligence/engines.ts'
import type { Guide } from '../intelligence/guide.ts'
import { isOnFor, useIntelligence } from '../intelligence/settings.ts'
import { useGuides } from '../intelligence/use-guides.ts'
import type { Call } from '../parts/call.ts'
import { useConsent } from '../recording-notice/use-consent.ts'
import type { Facts } from './absent.ts'

// Results of conversation intelligence. Each has its own route; a missing result is null.

export type ResultName =
  | 'transcription'
  | 'sentiments'
  | 'topics'
  | 'summary'
  | 'action_items'
  | 'custom_summary_result'
  | 'playbook_result'
  | 'predicted_csat'
  | 'evaluations'
type ResultPath = `/v1/calls/{call_id}/${ResultName}`
type Results = { [N in ResultName]: ResponseOf<`/v1/calls/{call_id}/${N}`> }

export type Mood = Results['sentiments']['sentiment']['participants'][number]['value']
export type CustomSummary = Results['custom_summary_result']
export type PlaybookResult = Results['playbook_result']

/** Parts of a result that are returned on request only. */
const requested: Partial<Record<ResultName, Record<string, boolean>>> = {
  playbook_result: { fetch_playbook: true },
  transcription: { fetch_words: true },
}

/** Null when there is no result. */
async function read<N extends ResultName>(id: number, name: N): Promise<Results[N] | null> {
  const query = requested[name] ?? {}
  const path: ResultPath = `/v1/calls/{call_id}/${name as ResultName}`
  return (await api.find(path, { params: { call_id: id }, query })) as Results[N] | null
}

export const resultKey = (id: number, name?: ResultName) => ['call', String(id), 'result', ...(name ? [name] : [])]

/** Results arrive within seconds after the call. */
const everyMs = 4_000
const maxReads = 20

interface Reading {
  enabled?: boolean
  /** A regeneration is in progress. */
  isAwaited?: boolean
}

export function useResult<N extends ResultName>(
  id: number,
  name: N,
  { enabled = true, isAwaited = false }: Reading = {},
) {
  return useQuery({
    queryKey: resultKey(id, name),
    queryFn: () => read(id, name),
    enabled,
    refetchInterval: ({ state }) => {
      if (isAwaited) return everyMs / 2
      return state.data === null && state.dataUpdateCount < maxReads ? everyMs : false
    },
  })
}

const isActive = (guides: Guide[] | undefined, kind: Guide['kind']) =>
  guides?.some((guide) => guide.kind === kind && guide.active) ?? false

/** The facts that explain a missing result; undefined while loading. */
export function useFacts(
  call: Call,
  transcript: Results['transcription']['transcription'] | null | undefined,
): Facts | undefined {
  const { mode } = useSession()
  const settings = useIntelligence()
  const guides = useGuides()
  const engines = useEngines()
  const consent = useConsent(call.id, call.status === 'done')
  if (transcript === undefined || settings.isPending || guides.isPending || engines.isPending) return undefined
  return {
    hasSound: Boolean(call.recording ?? call.voicemail),
    isRefused: consent.data === 'declined' || consent.data === 'no_response',
    isOver: call.status === 'done',
    isOn: isOnFor(settings.data, call.number?.id),
    hasWords: transcript !== null,
    language: transcript?.content.language ?? 'en',
    hasModel: engines.data?.engines.llm.on,
    canTranscribe: settings.data?.transcription_available,
    isSimulated: mode === 'sandbox',
    hasPlaybook: isActive(guides.data, 'playbook'),
    hasTemplate: isActive(guides.data, 'summary_template'),
    isClosed: isForbidden(settings.error),
  }
}

export const isForbidden = (error: unknown) => error instanceof ApiError && error.status === 403
