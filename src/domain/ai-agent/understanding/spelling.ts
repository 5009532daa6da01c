import type { AgentLanguage } from '../plan.ts'
import { callerWords, type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'
import { numberAt } from './numbers.ts'
import { type SpellingWords, spellingWords } from './spelling-words.ts'

// Spelled text: letters with and without a spelling alphabet, digits, and the signs of e-mail addresses.

export type SpelledPart =
  | { kind: 'letter' | 'digits' | 'word'; text: string }
  | { kind: 'at' | 'dot' | 'underscore' | 'dash' | 'plus' }

type Label = Exclude<keyof SpellingWords, 'letters' | 'lead' | 'asIn' | 'double'> | { letter: string }

interface Spelling {
  signs: PhraseIndex<Label>
  asIn: PhraseIndex<true>
  double: PhraseIndex<true>
}

const spellings = new Map<AgentLanguage, Spelling>()

function spellingOf(language: AgentLanguage): Spelling {
  const known = spellings.get(language)
  if (known) return known
  const { letters, lead: _lead, asIn, double, ...signs } = spellingWords[language]
  const named = letters.split(',').map((pair) => {
    const [name = '', letter = ''] = pair.trim().split('=')
    return [{ letter } as Label, name] as const
  })
  const made = {
    signs: phraseIndex<Label>([...named, ...(Object.entries(signs) as [Label, string][])]),
    asIn: phraseIndex([[true, asIn] as const]),
    double: phraseIndex([[true, double] as const]),
  }
  spellings.set(language, made)
  return made
}

const isLetter = (word: string | undefined) => word !== undefined && /^[a-z]$/.test(word)

/** Names of letters are letters only where the caller spells: beside another letter. */
export function spelledParts(text: string, language: AgentLanguage): SpelledPart[] {
  // Signs that speech recognition has written already.
  const written = (language === 'en' ? text.replace(/[’']s\b/g, ' is') : text)
    .replace(/@/g, ' signat ')
    .replace(/\.(?=[\p{L}\d])/gu, ' signdot ')
    .replace(/_/g, ' signunderscore ')
    .replace(/(?<=\p{L})-(?=\p{L})/gu, ' ')
    .replace(/(?<=[\p{L}\d])-(?=[\p{L}\d])/gu, ' signdash ')
  const words = callerWords(written, language)
  const spelling = spellingOf(language)
  const parts: SpelledPart[] = []
  for (let at = 0; at < words.length; ) {
    const { part, end } = partAt(words, at, language, spelling)
    parts.push(...part)
    at = end
  }
  return parts
}

const signs: Readonly<Record<string, SpelledPart>> = {
  signat: { kind: 'at' },
  signdot: { kind: 'dot' },
  signunderscore: { kind: 'underscore' },
  signdash: { kind: 'dash' },
}

function partAt(
  words: readonly string[],
  at: number,
  language: AgentLanguage,
  spelling: Spelling,
): { part: SpelledPart[]; end: number } {
  const word = words[at] ?? ''
  const sign = Object.hasOwn(signs, word) ? signs[word] : undefined
  if (sign) return { part: [sign], end: at + 1 }
  const doubled = phraseAt(spelling.double, words, at)
  if (doubled && language + word !== 'frdeux' && isLetter(words[at + doubled.words.length])) {
    const letter = words[at + doubled.words.length] ?? ''
    if (!(word === 'double' && letter === 'u') && !(language === 'fr' && letter === 'v'))
      return { part: [{ kind: 'letter', text: letter.repeat(2) }], end: at + doubled.words.length + 1 }
  }
  if (isLetter(word)) {
    const asIn = phraseAt(spelling.asIn, words, at + 1)
    // "B as in Bravo": the word repeats the letter.
    const alphabet = asIn ? words[at + 1 + asIn.words.length] : undefined
    if (asIn && alphabet?.startsWith(word)) {
      // "X-ray" is two words.
      const isTwoWords = alphabet === word && words[at + 2 + asIn.words.length] === 'ray'
      if (alphabet.length > 1 || isTwoWords)
        return { part: [{ kind: 'letter', text: word }], end: at + 2 + asIn.words.length + (isTwoWords ? 1 : 0) }
    }
    if (language === 'en' && word === 'o' && isDigitAround(words, at, language))
      return { part: [{ kind: 'digits', text: '0' }], end: at + 1 }
    return { part: [{ kind: 'letter', text: word }], end: at + 1 }
  }
  const phrase = phraseAt(spelling.signs, words, at)
  if (phrase && typeof phrase.label === 'string')
    return { part: [{ kind: phrase.label }], end: at + phrase.words.length }
  if (
    phrase &&
    typeof phrase.label === 'object' &&
    (phrase.words.length > 1 || isLetter(words[at + 1]) || isLetter(words[at - 1]))
  )
    return { part: [{ kind: 'letter', text: phrase.label.letter }], end: at + phrase.words.length }
  const number = numberAt(words, at, language)
  if (number && !number.isOrdinal) return { part: [{ kind: 'digits', text: number.digits }], end: number.end }
  return { part: [{ kind: 'word', text: word }], end: at + 1 }
}

const isDigitAround = (words: readonly string[], at: number, language: AgentLanguage) =>
  [words[at - 1], words[at + 1]].some((word) => word !== undefined && word !== 'o' && numberAt([word], 0, language))
