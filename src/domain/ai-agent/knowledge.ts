import { type Passage, passagesOf } from './passages.ts'
import { plain } from './words.ts'

// The passages of an agent's knowledge that are relevant to a question: by meaning where passages and question have
// vectors, by their words otherwise.

/** Knowledge up to this length is part of the system prompt. */
export const shortKnowledge = 4_000
/** Of all passages that a turn or a look-up retrieves. */
export const knowledgeBudget = 2_400
const maxFound = 4

/** Similarity below which a passage is not about the question. */
const minSimilarity = 0.28
/** Weight of equal words next to the meaning: names and numbers have little meaning of their own. */
const wordWeight = 0.2

export interface FoundPassage {
  document: string
  text: string
  by: 'meaning' | 'words'
}

/** What callers and models call the text in the settings. */
export const knowledgeField = 'Knowledge'

export const passagesInField = (knowledge: string | null): Passage[] =>
  passagesOf(knowledge ?? '').map((text) => ({ document: knowledgeField, text, vector: null }))

/** The best passages within the budget, best first. `vector` is the meaning of the query, if there is a model. */
export function relevantPassages(
  passages: readonly Passage[],
  query: string,
  vector: Float32Array | null = null,
): FoundPassage[] {
  const wordScores = scoresByWords(passages, query)
  const best = Math.max(0, ...wordScores)
  const found = passages.flatMap(({ document, text, vector: known }, place): (FoundPassage & { score: number })[] => {
    const words = best === 0 ? 0 : (wordScores[place] ?? 0) / best
    const near = vector && known ? similarityOf(known, vector) : undefined
    if (near !== undefined && near >= minSimilarity)
      return [{ document, text, by: 'meaning', score: 1 + near + wordWeight * words }]
    // With a vector, equal words alone count for little: "what", "your" and "please" are in every question.
    return words > (near === undefined ? 0 : 0.8)
      ? [{ document, text, by: 'words', score: near === undefined && vector ? 1 + words / 2 : words }]
      : []
  })
  const chosen: FoundPassage[] = []
  let length = 0
  for (const { score: _score, ...passage } of found.toSorted((a, b) => b.score - a.score)) {
    if (chosen.length >= maxFound || length + passage.text.length > knowledgeBudget) break
    length += passage.text.length
    chosen.push(passage)
  }
  return chosen
}

/** The caller's last words, with those before if they alone say little ("and on Sundays?"). */
export function knowledgeQuery(turns: readonly { by: 'agent' | 'caller'; text: string }[]): string {
  const said = turns.filter(({ by }) => by === 'caller').map(({ text }) => text)
  const last = said.at(-1) ?? ''
  return (wordsOf(last).length < minQueryWords ? `${said.at(-2) ?? ''} ${last}` : last).trim().slice(0, maxQueryLength)
}

const minQueryWords = 3
const maxQueryLength = 1_000

/** As text for the model: each passage with its document. */
export const passagesAsText = (found: readonly FoundPassage[]): string =>
  found.map(({ document, text }) => `[${document}]\n${text}`).join('\n---\n')

/** By the words of the query that each passage contains; a word that all of them contain does not discriminate. */
function scoresByWords(passages: readonly Passage[], query: string): number[] {
  const wanted = new Set(wordsOf(query))
  if (wanted.size === 0) return passages.map(() => 0)
  const words = passages.map(({ text }) => new Set(wordsOf(text).filter((word) => wanted.has(word))))
  const having = new Map<string, number>()
  for (const one of words) for (const word of one) having.set(word, (having.get(word) ?? 0) + 1)
  const rarity = (word: string) => Math.log(1 + passages.length / (having.get(word) ?? 1))
  return words.map((one) => [...one].reduce((sum, word) => sum + rarity(word), 0))
}

/** Stop words are shorter. */
const minWordLength = 3

const wordsOf = (text: string) =>
  plain(text)
    .split(' ')
    .filter((word) => word.length >= minWordLength)
    // "opening hours" and "hour" are the same query.
    .map((word) => (word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word))

const scale = 127

/** A unit vector in one byte per dimension. */
export const compactVector = (vector: Float32Array): Int8Array => Int8Array.from(vector, (x) => Math.round(x * scale))

export function similarityOf(known: Int8Array, vector: Float32Array): number {
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += (known[i] ?? 0) * (vector[i] ?? 0)
  return sum / scale
}
