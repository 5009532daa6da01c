import { findPhrase, type Match, type Strictness } from './phrases.ts'
import { clausesOf, isNegation, wordsOf } from './sentences.ts'
import { saidBy, type Transcript } from './transcript.ts'

/** Where our side says one of the phrases, or something close to it. */
export type Finder = (phrases: readonly string[], strictness: Strictness) => Match | null

/** By their words. */
export const byWords =
  (transcript: Transcript): Finder =>
  (phrases, strictness) =>
    findPhrase(transcript, phrases, strictness)

/** What our side says, one thing at a time. */
export const ourClauses = (transcript: Transcript): string[] =>
  saidBy(transcript, 'internal').flatMap(({ text }) => clausesOf(text))

/** How near a clause has to be to a phrase in meaning, by strictness. */
export const nearEnough: Record<Strictness, number> = { 0: 0.4, 1: 0.45, 2: 0.5 }

/** By their meaning: how near each clause is to each phrase, by rows. Meaning does not see a negation, so words are looked at. */
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
