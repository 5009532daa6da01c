import { folded } from '../search-words.ts'
import type { Utterance } from './transcript.ts'

// Search in transcripts: whole words without case and accents; the last word of a search may be a beginning.

const [minLength, maxLength] = [2, 40]
const maxWordsOfTranscript = 5_000
const maxWordsOfSearch = 8

const wordsIn = (text: string): string[] =>
  (folded(text).match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => word.length >= minLength)
    .map((word) => word.slice(0, maxLength))

/** The distinct words of a transcript, sorted. */
export const transcriptWords = (utterances: readonly Pick<Utterance, 'text'>[]): string[] =>
  [...new Set(utterances.flatMap(({ text }) => wordsIn(text)))].slice(0, maxWordsOfTranscript).sort()

export interface TranscriptSearch {
  whole: readonly string[]
  /** Undefined if the text ends with a space: then all words are whole. */
  beginning: string | undefined
}

/** Undefined: the text has no word that can be searched. */
export function transcriptSearch(text: string): TranscriptSearch | undefined {
  const words = [...new Set(wordsIn(text))].slice(0, maxWordsOfSearch)
  if (words.length === 0) return undefined
  const isOpen = /[\p{L}\p{N}]$/u.test(text)
  return isOpen ? { whole: words.slice(0, -1), beginning: words.at(-1) } : { whole: words, beginning: undefined }
}

/** The lines with most of the words, in the order of the call. */
export function linesFound(utterances: readonly Utterance[], search: TranscriptSearch, limit: number): Utterance[] {
  const { whole, beginning } = search
  const rated = utterances.map((utterance, place) => {
    const words = wordsIn(utterance.text)
    const partial = beginning !== undefined && words.some((word) => word.startsWith(beginning)) ? 1 : 0
    return { utterance, place, hits: whole.filter((word) => words.includes(word)).length + partial }
  })
  return rated
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits || a.place - b.place)
    .slice(0, limit)
    .sort((a, b) => a.place - b.place)
    .map(({ utterance }) => utterance)
}

/** Milliseconds of speech of each side. */
export function talkTimes(utterances: readonly Utterance[]): { internalMs: number; externalMs: number } {
  const spoken = (side: 'internal' | 'external') =>
    utterances
      .filter(({ speaker }) => speaker.side === side)
      .reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0)
  return { internalMs: Math.round(spoken('internal') * 1_000), externalMs: Math.round(spoken('external') * 1_000) }
}
