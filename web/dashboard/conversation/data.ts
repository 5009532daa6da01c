import { useQuery } from '@tanstack/react-query'
import { ApiError, api } from '../../kit/api.ts'
import type { TranscriptShown } from '../../kit/conversation/transcript.ts'
import { useSession } from '../../kit/session.tsx'
import { useEngines } from '../intelligence/engines.ts'
import type { Guide } from '../intelligence/guide.ts'
import { isOnFor, useIntelligence } from '../intelligence/settings.ts'
import { useGuides } from '../intelligence/use-guides.ts'
import type { Call } from '../parts/call.ts'
import type { Facts } from './absent.ts'
import type { Evaluation } from './evaluation.ts'

// Results of conversation intelligence. Each has its own route; a missing result is a 404, here null.

export type Mood = 'POSITIVE' | 'NEUTRAL' | 'NEGATIVE'

export interface ActionItem {
  id: number
  content: string
  ai_generated: boolean
  created_at: string
  created_by: number | null
}

export interface CustomSummary {
  custom_summary: { name: string }
  language: string
  summary_template_results: {
    name: string
    type: 'PARAGRAPH' | 'BULLET_POINTS' | 'YES_NO'
    content: string
    ai_generated: boolean
    updated_at?: string
    updated_by?: number | null
  }[]
}

export interface PlaybookResult {
  adherence_score: number
  playbook_result_topics: { name: string; result: boolean }[]
  playbook?: { id: number; name: string; language: string }
  created_at: string
}

interface Replies {
  transcription: { transcription: TranscriptShown }
  sentiments: { sentiment: { participants: { phone_number?: string; value: Mood }[] } }
  topics: { topic: { content: string[]; created_at: string } }
  summary: { summary: { content: string; created_at: string } }
  action_items: { action_items: ActionItem[] }
  custom_summary_result: CustomSummary
  playbook_result: PlaybookResult
  predicted_csat: { csat: { score: number; drivers: { polarity: Mood; label: string }[] } }
  evaluations: Evaluation
}
export type ResultName = keyof Replies

/** Null when there is no result. */
async function read<N extends ResultName>(id: number, name: N): Promise<Replies[N] | null> {
  try {
    const query = name === 'playbook_result' ? { fetch_playbook: true } : {}
    return await api.get<Replies[N]>(`/v1/calls/${id}/${name}`, query)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
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
export function useFacts(call: Call, transcript: TranscriptShown | null | undefined): Facts | undefined {
  const { mode } = useSession()
  const settings = useIntelligence()
  const guides = useGuides()
  const engines = useEngines()
  if (transcript === undefined || settings.isPending || guides.isPending || engines.isPending) return undefined
  return {
    hasSound: Boolean(call.recording ?? call.voicemail),
    isOver: call.status === 'done',
    isOn: isOnFor(settings.data, call.number?.id),
    hasWords: transcript !== null,
    isEnglish: transcript?.content.language.startsWith('en') ?? true,
    hasModel: engines.data?.engines.llm.on,
    canTranscribe: settings.data?.transcription_available,
    isSimulated: mode === 'sandbox',
    hasPlaybook: isActive(guides.data, 'playbook'),
    hasTemplate: isActive(guides.data, 'summary_template'),
    isClosed: isForbidden(settings.error),
  }
}

export const isForbidden = (error: unknown) => error instanceof ApiError && error.status === 403
