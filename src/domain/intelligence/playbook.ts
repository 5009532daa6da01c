import { byWords, type Finder } from './finder.ts'
import { isEnglish, saidBy, type Transcript } from './transcript.ts'

export interface PlaybookTopic {
  name: string
  phrases: readonly string[]
}

export interface PlaybookOutcome {
  topics: { name: string; result: boolean }[]
  /** Covered topics divided by all topics. */
  adherence: number
}

/**
 * Topics covered by the internal side. Null where the transcript has no internal speaker, or a topic has no phrase to
 * match.
 */
export function comparePlaybook(
  transcript: Transcript,
  topics: readonly PlaybookTopic[],
  find: Finder = byWords(transcript),
): PlaybookOutcome | null {
  if (!isEnglish(transcript) || saidBy(transcript, 'internal').length === 0) return null
  if (topics.length === 0 || topics.some(({ phrases }) => phrases.length === 0)) return null
  const results = topics.map(({ name, phrases }) => {
    const match = find(phrases, 1)
    return { name, result: match !== null && !match.negated }
  })
  return { topics: results, adherence: adherenceOf(results) }
}

export const adherenceOf = (topics: readonly { result: boolean }[]): number =>
  topics.length === 0 ? 0 : topics.filter(({ result }) => result).length / topics.length
