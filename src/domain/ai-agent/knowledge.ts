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

/** Passages and where each of their words is. Splitting a passage into words takes some 0.1 ms. */
export interface PassageIndex {
  passages: Passage[]
  /** Positions in `passages`, by word. */
  places: Map<string, number[]>
}

export function indexPassages(passages: readonly Passage[], index: PassageIndex = { passages: [], places: new Map() }) {
  for (const passage of passages) {
    const place = index.passages.push(passage) - 1
    for (const word of new Set(wordsOf(passage.text))) {
      const places = index.places.get(word)
      if (places) places.push(place)
      else index.places.set(word, [place])
    }
  }
  return index
}

/** The best passages within the budget, best first. `vector` is the meaning of the query, if there is a model. */
export function relevantPassages(
  indexes: readonly PassageIndex[],
  query: string,
  vector: Float32Array | null = null,
): FoundPassage[] {
  const wordScores = scoresByWords(indexes, query)
  const best = [...wordScores.values()].reduce((most, score) => Math.max(most, score), 0)
  const passages = indexes.flatMap((index) => index.passages)
  const found = passages.flatMap((passage): (FoundPassage & { score: number })[] => {
    const { document, text, vector: known } = passage
    const words = best === 0 ? 0 : (wordScores.get(passage) ?? 0) / best
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
function scoresByWords(indexes: readonly PassageIndex[], query: string): Map<Passage, number> {
  const all = indexes.reduce((sum, { passages }) => sum + passages.length, 0)
  const scores = new Map<Passage, number>()
  for (const word of new Set(wordsOf(query))) {
    const having = indexes.flatMap(({ passages, places }) =>
      (places.get(word) ?? []).flatMap((place) => passages[place] ?? []),
    )
    const rarity = Math.log(1 + all / Math.max(1, having.length))
    for (const passage of having) scores.set(passage, (scores.get(passage) ?? 0) + rarity)
  }
  return scores
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
