import { clausesOf, isNegation, stemOf, wordsOf } from './sentences.ts'
import { saidBy, type Transcript } from './transcript.ts'

export type Strictness = 0 | 1 | 2

/** Share of an example phrase that must be present, by strictness. */
const share: Record<Strictness, number> = { 0: 0.6, 1: 0.75, 2: 1 }

export interface Match {
  clause: string
  /** The clause is negated. */
  negated: boolean
}

/** Where the internal side says one of the phrases, or something similar. A plain match wins over a negated one. */
export function findPhrase(transcript: Transcript, phrases: readonly string[], strictness: Strictness): Match | null {
  const matches = saidBy(transcript, 'internal')
    .flatMap(({ text }) => clausesOf(text))
    .flatMap((clause): Match[] => {
      const near = phrases.find((phrase) => isNear(clause, phrase, share[strictness]))
      if (near === undefined) return []
      return [{ clause, negated: negates(clause) && !negates(near) }]
    })
  return matches.find(({ negated }) => !negated) ?? matches[0] ?? null
}

function isNear(clause: string, phrase: string, least: number): boolean {
  const said = new Set(wordsOf(clause).map(stemOf))
  const wanted = [...new Set(wordsOf(phrase).filter(hasMeaning).map(stemOf))]
  if (wanted.length === 0) return false
  return wanted.filter((stem) => said.has(stem)).length / wanted.length >= least
}

const negates = (text: string) => wordsOf(text).some(isNegation)

const empty = new Set(
  'a an the to of for in on at is are am be was were i you we they it my your our this that and or do does did can'.split(
    ' ',
  ),
)

const hasMeaning = (word: string) => !empty.has(word) && !isNegation(word)
