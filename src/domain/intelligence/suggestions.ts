import { similarityOf } from '../ai-agent/knowledge.ts'
import type { Passage } from '../ai-agent/passages.ts'
import { plain } from '../ai-agent/words.ts'
import { stemOf } from './sentences.ts'
import { suggestionStopWords } from './suggestion-words.ts'

// The passages of documents that are suggested to an agent after an utterance of the customer. An agent who reads
// something irrelevant during a call stops reading: thresholds are higher than for the prompt of an LLM, which ignores
// what it does not need.

/** Per utterance, and on screen. */
export const maxSuggestions = 3

/** Similarity of meaning from which a passage is relevant. */
const minSimilarity = 0.42
/** Without a vector: the part of what the utterance is about that a passage must contain, weighted by rarity. */
const minCoverage = 0.4
const minWords = 2
/** Names and codes have no meaning for the model: such a passage must contain almost all words. */
const minCoverageAgainstMeaning = 0.75
/** A passage that is much less relevant than the best one is left out. */
const maxBehindBest = 0.15

const maxQueryLength = 1_000

/**
 * What to search for after an utterance: itself, with the one before if it alone says little ("and on Sundays?").
 * Undefined if it is about nothing ("Yes, thank you").
 */
export function suggestionQuery(text: string, before: string | undefined): string | undefined {
  const words = subjectsOf(text)
  if (words.size === 0) return undefined
  if (words.size >= minWords) return text.trim().slice(-maxQueryLength)
  const both = `${before ?? ''} ${text}`.trim()
  return subjectsOf(both).size >= minWords ? both.slice(-maxQueryLength) : undefined
}

/** A passage whose words are known, so that each is split once per search of many calls. */
export interface SearchedPassage extends Passage {
  words: ReadonlySet<string>
}

export const searchedPassage = <P extends Passage>(passage: P): P & SearchedPassage => ({
  ...passage,
  words: subjectsOf(passage.text),
})

export type SuggestedBy = 'meaning' | 'words'

/** The form sent to phone apps. */
export interface SuggestionShown extends SplitPassage {
  /** Number of the suggestion in its call. */
  id: number
  /** Start of the utterance in UNIX milliseconds. */
  at: number
  document: string
  /** Null for a file. */
  url: string | null
  by: SuggestedBy
}

/** The relevant passages, best first. `vector` is the meaning of the query, if there is a model for its language. */
export function suggestedPassages<P extends SearchedPassage>(
  passages: readonly P[],
  query: string,
  vector: Float32Array | null,
): { passage: P; by: SuggestedBy }[] {
  const wanted = [...subjectsOf(query)]
  const rarity = new Map(wanted.map((word) => [word, rarityOf(word, passages)]))
  const whole = wanted.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0)
  const found = passages.flatMap((passage): { passage: P; by: SuggestedBy; score: number }[] => {
    const shared = wanted.filter((word) => passage.words.has(word))
    const coverage = whole === 0 ? 0 : shared.reduce((sum, word) => sum + (rarity.get(word) ?? 0), 0) / whole
    const near = vector && passage.vector ? similarityOf(passage.vector, vector) : undefined
    if (near !== undefined && near >= minSimilarity) return [{ passage, by: 'meaning', score: near }]
    const enough = near === undefined ? minCoverage : minCoverageAgainstMeaning
    const isFound = shared.length >= minWords && coverage >= enough
    return isFound ? [{ passage, by: 'words', score: coverage * minSimilarity }] : []
  })
  const ordered = found.toSorted((a, b) => b.score - a.score)
  const worst = (ordered[0]?.score ?? 0) - maxBehindBest
  return ordered.filter(({ score }) => score >= worst).map(({ passage, by }) => ({ passage, by }))
}

/** A word of many passages says less; one of none counts as the rarest, because it is what the utterance is about. */
function rarityOf(word: string, passages: readonly SearchedPassage[]): number {
  const having = passages.reduce((sum, { words }) => sum + (words.has(word) ? 1 : 0), 0)
  return Math.log(1 + (passages.length + 1) / Math.max(1, having))
}

const minWordLength = 3

/** The stems of the words that say what a text is about. */
function subjectsOf(text: string): Set<string> {
  const words = plain(text).split(' ')
  const telling = words.filter(
    (word) => (word.length >= minWordLength || /\d/.test(word)) && !suggestionStopWords.has(word),
  )
  return new Set(telling.map(stemOf))
}

export interface SplitPassage {
  heading: string | null
  text: string
}

const maxHeadingLength = 120

/** A passage begins with the heading of its section, if that has one. */
export function splitPassage(text: string): SplitPassage {
  const end = text.indexOf('\n')
  const first = text.slice(0, Math.max(0, end)).trim()
  const isHeading = first !== '' && first.length <= maxHeadingLength && !/[.!?:;,]$/.test(first)
  return isHeading ? { heading: first, text: text.slice(end + 1).trim() } : { heading: null, text }
}

/** The inverse. */
export const joinedPassage = ({ heading, text }: SplitPassage): string =>
  heading === null ? text : `${heading}\n${text}`
