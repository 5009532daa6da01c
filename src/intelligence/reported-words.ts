import type { SpokenWord } from '../domain/intelligence/engines.ts'

interface ReportedWord {
  word?: unknown
  /** Deepgram: the word as it is in the text. */
  punctuated_word?: unknown
  start?: unknown
  end?: unknown
  confidence?: unknown
  /** Some servers with the OpenAI audio API. */
  probability?: unknown
}

/** A word as external servers report it; none if its times are missing. */
export function reportedWord(value: unknown): SpokenWord[] {
  const { word, punctuated_word, start, end, confidence, probability } = (value ?? {}) as ReportedWord
  const text = typeof punctuated_word === 'string' ? punctuated_word : word
  if (typeof text !== 'string' || !isTime(start) || !isTime(end)) return []
  const certainty = confidence ?? probability
  const times = { text: text.trim(), start, end }
  return isShare(certainty) ? [{ ...times, confidence: certainty }] : [times]
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
const isShare = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= 1
