import { plain } from './words.ts'

// The knowledge base of an agent, split into paragraphs, and the paragraphs relevant to a question.

/** Knowledge up to this length is part of the system prompt. */
export const shortKnowledge = 4_000
const maxFound = 3
const maxPieceLength = 1_200

/** Stop words. */
const minWordLength = 3

/** The paragraphs that match most words of the query, best first; empty when none matches. */
export function lookUp(knowledge: string, query: string): string[] {
  const wanted = new Set(wordsOf(query))
  const pieces = paragraphs(knowledge).map((text, place) => ({ text, place, words: new Set(wordsOf(text)) }))
  // A word that occurs in every paragraph does not discriminate.
  const rarity = (word: string) => {
    const having = pieces.filter(({ words }) => words.has(word)).length
    return having === 0 ? 0 : Math.log(1 + pieces.length / having)
  }
  return pieces
    .map((piece) => ({
      ...piece,
      score: [...wanted].reduce((sum, word) => sum + (piece.words.has(word) ? rarity(word) : 0), 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, maxFound)
    .map(({ text }) => text)
}

const wordsOf = (text: string) =>
  plain(text)
    .split(' ')
    .filter((word) => word.length >= minWordLength)
    // "opening hours" and "hour" are the same query.
    .map((word) => (word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word))

function paragraphs(knowledge: string): string[] {
  return knowledge
    .split(/\n\s{0,200}\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .flatMap((text) =>
      Array.from({ length: Math.ceil(text.length / maxPieceLength) }, (_, i) =>
        text.slice(i * maxPieceLength, (i + 1) * maxPieceLength),
      ),
    )
}
