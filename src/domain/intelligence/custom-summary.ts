import { actionItemsOf } from './action-items.ts'
import { sentimentOf } from './sentiment.ts'
import { contactReason } from './summary.ts'
import { type Topic, topicsOf } from './topics.ts'
import type { Transcript } from './transcript.ts'

export const extractors = ['reason', 'next_steps', 'topics', 'sentiment'] as const
export const sectionTypes = ['PARAGRAPH', 'BULLET_POINTS', 'YES_NO'] as const

export interface Section {
  name: string
  type: (typeof sectionTypes)[number]
  /** The rule-based source of the section; null: none. */
  extractor: (typeof extractors)[number] | null
}

export interface SectionResult {
  name: string
  type: Section['type']
  content: string
}

/** All sections or none: a partial summary would pass for one of a call without that content. */
export function customSummaryOf(
  transcript: Transcript,
  sections: readonly Section[],
  topics: readonly Topic[],
): SectionResult[] | null {
  const results: SectionResult[] = []
  for (const { name, type, extractor } of sections) {
    const found = extractor === null || type === 'YES_NO' ? null : fillers[extractor](transcript, topics)
    if (found === null) return null
    const content = type === 'BULLET_POINTS' ? found.map((line) => `- ${line}`).join('\n') : found.join(' ')
    results.push({ name, type, content })
  }
  return results.length === 0 ? null : results
}

type Filler = (transcript: Transcript, topics: readonly Topic[]) => string[] | null

const fillers: Record<(typeof extractors)[number], Filler> = {
  reason(transcript) {
    const reason = contactReason(transcript)
    return reason === null ? null : [reason]
  },
  next_steps: (transcript) => actionItemsOf(transcript)?.map(({ text }) => text) ?? null,
  topics: (transcript, topics) => topicsOf(transcript, topics),
  sentiment: (transcript) => sentimentOf(transcript)?.map(({ value }) => value) ?? null,
}
