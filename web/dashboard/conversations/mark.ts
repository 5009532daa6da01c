import { folded } from '../../../src/domain/search-words.ts'

interface Piece {
  part: string
  isHit: boolean
  at: number
}

/** Splits a line where a searched word begins a word of it. */
export function marked(line: string, search: string): Piece[] {
  const searched = wordsOf(search).map(({ part }) => folded(part))
  const pieces: Piece[] = []
  let at = 0
  for (const word of wordsOf(line)) {
    if (!searched.some((one) => folded(word.part).startsWith(one))) continue
    if (word.at > at) pieces.push({ part: line.slice(at, word.at), isHit: false, at })
    pieces.push({ ...word, isHit: true })
    at = word.at + word.part.length
  }
  return at < line.length ? [...pieces, { part: line.slice(at), isHit: false, at }] : pieces
}

const wordsOf = (text: string) =>
  [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].map((match) => ({ part: match[0], at: match.index }))
