import { findPhrase, type Match, type Strictness } from './phrases.ts'
import { clausesOf, isNegation, wordsOf } from './sentences.ts'
import { saidBy, type Transcript } from './transcript.ts'

/** Finds where the internal side says one of the phrases, or something similar. */
export type Finder = (phrases: readonly string[], strictness: Strictness) => Match | null

/** Matches words. */
export const byWords =
  (transcript: Transcript): Finder =>
  (phrases, strictness) =>
    findPhrase(transcript, phrases, strictness)

/** The clauses of the internal side. */
export const ourClauses = (transcript: Transcript): string[] =>
  saidBy(transcript, 'internal').flatMap(({ text }) => clausesOf(text))

/** Similarity threshold by strictness. */
export const nearEnough: Record<Strictness, number> = { 0: 0.4, 1: 0.45, 2: 0.5 }

/**
 * Matches meaning: `similarities` holds one row per clause. Embeddings do not see a negation, so words are checked as
 * well.
 */
export function byMeaning(
  clauses: readonly string[],
  known: readonly string[],
  nearness: readonly (readonly number[])[],
): Finder {
  return (phrases, strictness) => {
    const places = phrases.map((phrase) => known.indexOf(phrase)).filter((place) => place >= 0)
    const found = clauses.flatMap((clause, row) => {
      const [best] = places
        .map((place) => ({ place, near: nearness[row]?.[place] ?? 0 }))
        .toSorted((a, b) => b.near - a.near)
      if (!best || best.near < nearEnough[strictness]) return []
      const negated = negates(clause) && !negates(known[best.place] ?? '')
      return [{ clause, near: best.near, negated }]
    })
    const ordered = found.toSorted((a, b) => Number(a.negated) - Number(b.negated) || b.near - a.near)
    const [first] = ordered
    return first ? { clause: first.clause, negated: first.negated } : null
  }
}

const negates = (text: string) => wordsOf(text).some(isNegation)
