import { plain } from './words.ts'

// What an agent was told to know, as paragraphs, and the ones that a question is about.

/** Knowledge that is shorter is told to a language model as a whole. */
export const shortKnowledge = 4_000
const maxFound = 3
const maxPieceLength = 1_200

/** Words that are in every question. */
const minWordLength = 3

/** The paragraphs with most of the words asked for, best first; none where no word is in it. */
export function lookUp(knowledge: string, query: string): string[] {
  const wanted = new Set(wordsOf(query))
  const pieces = paragraphs(knowledge).map((text, place) => ({ text, place, words: new Set(wordsOf(text)) }))
  // A word that stands everywhere tells nothing apart.
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
    // "opening hours" and "hour" are the same question.
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
