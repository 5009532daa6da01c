import type { AgentLanguage } from '../plan.ts'
import { plain } from '../words.ts'

// Caller text as clauses of normalized words. Speech recognition delivers text with and without punctuation, so
// punctuation only helps: no rule depends on it.

export interface Clause {
  words: readonly string[]
  /** Ends with a question mark. */
  isAsked: boolean
}

/** English negation is written in many ways: "isn't", "isn’t", "isnt". */
const withoutApostrophe: Readonly<Record<string, string>> = {
  isnt: 'is not',
  wasnt: 'was not',
  arent: 'are not',
  dont: 'do not',
  doesnt: 'does not',
  didnt: 'did not',
  cant: 'can not',
  cannot: 'can not',
  couldnt: 'could not',
  wont: 'will not',
  wouldnt: 'would not',
  havent: 'have not',
  aint: 'is not',
  thats: 'that is',
  whats: 'what is',
}

const verbs: Readonly<Record<string, string>> = { ll: 'will', re: 'are', m: 'am', ve: 'have', d: 'would' }

const expanded = (text: string, language: AgentLanguage) =>
  language === 'en'
    ? text
        .replace(/\b(ca|wo)n[’'`]t\b/gi, (_whole, verb: string) =>
          verb.toLowerCase() === 'ca' ? 'can not' : 'will not',
        )
        .replace(/n[’'`]t\b/gi, ' not')
        .replace(/\b(that|it|there|what|here|who|everything|all|he|she)[’'`]s\b/gi, '$1 is')
        .replace(/(?<=\p{L})[’'`](ll|re|m|ve|d)\b/giu, (_whole, end: string) => ` ${verbs[end.toLowerCase()]}`)
        .replace(/\b\p{L}{3,8}\b/gu, (word) => {
          const key = word.toLowerCase()
          return Object.hasOwn(withoutApostrophe, key) ? (withoutApostrophe[key] ?? word) : word
        })
    : text

export const callerWords = (text: string, language: AgentLanguage): string[] => {
  const words = plain(expanded(text, language))
  return words === '' ? [] : words.split(' ')
}

export const clausesIn = (text: string, language: AgentLanguage): Clause[] =>
  // A period or comma within a number ("4.729") separates nothing.
  (text.match(/(?:[^.,;!?]|[.,](?=\d)){1,2000}[.,;!?]?/g) ?? [])
    .map((part) => ({ words: callerWords(part, language), isAsked: part.endsWith('?') }))
    .filter(({ words }) => words.length > 0)

/** A comma-separated list of phrases, normalized, as word sequences. */
export const phraseList = (list: string): string[][] =>
  list
    .split(',')
    .map((phrase) => plain(phrase).split(' '))
    .filter(([first]) => first !== '')

export type PhraseIndex<Label> = ReadonlyMap<string, readonly { words: readonly string[]; label: Label }[]>

/** Phrases by their first word, longest first. */
export function phraseIndex<Label>(lists: readonly (readonly [Label, string])[]): PhraseIndex<Label> {
  const index = new Map<string, { words: readonly string[]; label: Label }[]>()
  for (const [label, list] of lists)
    for (const words of phraseList(list)) {
      const [first = ''] = words
      index.set(first, [...(index.get(first) ?? []), { words, label }])
    }
  for (const [first, phrases] of index)
    index.set(
      first,
      phrases.toSorted((a, b) => b.words.length - a.words.length),
    )
  return index
}

/** The longest phrase that starts at this word. */
export const phraseAt = <Label>(index: PhraseIndex<Label>, words: readonly string[], at: number) =>
  index.get(words[at] ?? '')?.find((phrase) => phrase.words.every((word, offset) => words[at + offset] === word))
