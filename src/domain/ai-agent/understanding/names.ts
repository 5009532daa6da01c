import type { AgentLanguage } from '../plan.ts'
import { plain } from '../words.ts'
import { type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'
import { callerNameWords, type NameWords } from './name-words.ts'
import { yesNoWords } from './yes-no-words.ts'

// The name in what a caller says: after the introduction, before the rest of the sentence. A sentence is no name.

const maxWords = 5

const indexes = new Map<AgentLanguage, PhraseIndex<keyof NameWords>>()

function indexOf(language: AgentLanguage): PhraseIndex<keyof NameWords> {
  const known = indexes.get(language)
  if (known) return known
  const made = phraseIndex(Object.entries(callerNameWords[language]) as [keyof NameWords, string][])
  indexes.set(language, made)
  return made
}

interface Token {
  text: string
  /** Normalized words of the token: "c'est" has two. */
  words: string[]
}

const tokensIn = (text: string): Token[] =>
  text
    .trim()
    .split(/\s+/)
    .map((part) => ({ text: part.replace(/^[^\p{L}\d]{1,5}|[^\p{L}\d]{1,5}$/gu, ''), words: plain(part).split(' ') }))
    .filter(({ text: part }) => part !== '')

export function nameIn(text: string, language: AgentLanguage): string | undefined {
  if (text.length > 400 || text.trim().endsWith('?')) return undefined
  const all = spelled(tokensIn(elided(text)))
  if (isQuestion(all, language)) return undefined
  const { tokens, isIntroduced } = afterIntroduction(all, language)
  const name = untilEnd(tokens, language)
  if (name.length === 0 || name.length > maxWords) return undefined
  if (name.some(({ text: word }) => /\d/.test(word))) return undefined
  // Without an introduction, one word of a sentence is enough to reject it.
  const words = name.flatMap((token) => token.words)
  const isSentence = (at: number) => {
    const phrase = phraseAt(indexOf(language), words, at)
    return phrase?.label === 'sentence'
  }
  const first = phraseAt(indexOf(language), words, 0)
  if (first?.label === 'ends' && !particles.has(words[0] ?? '')) return undefined
  if (words.some((_, at) => isSentence(at) && (!isIntroduced || at === 0))) return undefined
  const said = name.map(({ text: word }) => word).join(' ')
  return said.length > 80 ? undefined : inTitleCase(said)
}

const questions = new Map<AgentLanguage, PhraseIndex<true>>()

/** "Why do you need my name": starts like a question, apart from greetings. */
function isQuestion(tokens: readonly Token[], language: AgentLanguage): boolean {
  const index = questions.get(language) ?? phraseIndex([[true, yesNoWords[language].question] as const])
  questions.set(language, index)
  const words = tokens.flatMap((token) => token.words)
  let at = 0
  for (let filler = phraseAt(indexOf(language), words, at); filler?.label === 'fillers'; ) {
    at += filler.words.length
    filler = phraseAt(indexOf(language), words, at)
  }
  return phraseAt(index, words, at) !== undefined
}

/** French and Italian elisions are words of their own, but not in names: "d'Artagnan", "O'Neil". */
const elided = (text: string) => text.replace(/\b(c|j|m|s|qu)[’'](?=\p{L})/giu, '$1 ').replace(/[’']/g, '’')

/** Drops greetings, and everything up to the last introduction. */
function afterIntroduction(tokens: readonly Token[], language: AgentLanguage) {
  const index = indexOf(language)
  const flat = tokens.flatMap(({ words }, token) => words.map((word) => ({ word, token })))
  const words = flat.map(({ word }) => word)
  let from = 0
  let isIntroduced = false
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(index, words, at)
    const length = phrase?.words.length ?? 1
    const next = flat[at + length]?.token ?? tokens.length
    const isStart = flat[at]?.token === from
    if (phrase?.label === 'introductions' && next < tokens.length) {
      from = next
      isIntroduced = true
    } else if (phrase?.label === 'fillers' && isStart && next < tokens.length) from = next
    // An introduction belongs to the beginning: "Jo March, I am calling about …".
    else if (phrase?.label === 'ends' && isIntroduced) break
    at += length
  }
  return { tokens: tokens.slice(from), isIntroduced }
}

function untilEnd(tokens: readonly Token[], language: AgentLanguage): Token[] {
  const index = indexOf(language)
  const flat = tokens.flatMap(({ words }, token) => words.map((word) => ({ word, token })))
  const words = flat.map(({ word }) => word)
  const at = flat.findIndex(({ token }, nth) => {
    if (token === 0) return false
    const phrase = phraseAt(index, words, nth)
    // "von" and "de" are parts of names as well.
    return phrase?.label === 'ends' && !(phrase.words.length === 1 && particles.has(phrase.words[0] ?? ''))
  })
  return tokens.slice(0, at < 0 ? tokens.length : (flat[at]?.token ?? tokens.length))
}

const particles = new Set(['von', 'van', 'de', 'der', 'den', 'la', 'di', 'da', 'du', 'del', 'zu', 'ter', 'ten'])

/** "March, M A R C H": spelled letters repeat a word, or are a word. */
function spelled(tokens: readonly Token[]): Token[] {
  const isLetter = ({ text }: Token) => /^\p{L}$/u.test(text)
  const from = tokens.findIndex(
    (token, at) => isLetter(token) && [1, 2].every((n) => tokens[at + n] && isLetter(tokens[at + n] as Token)),
  )
  if (from < 0) return [...tokens]
  const rest = tokens.slice(from)
  const count = rest.findIndex((token) => !isLetter(token))
  const letters = (count < 0 ? rest : rest.slice(0, count)).map(({ text }) => text).join('')
  const word = letters.charAt(0).toUpperCase() + letters.slice(1).toLowerCase()
  const before = tokens.slice(0, from)
  if (before.some(({ words }) => words.join('') === plain(letters))) return before
  return [...before, { text: word, words: [plain(word)] }]
}

/** Speech recognition may write everything in lower case. */
function inTitleCase(name: string): string {
  if (name !== name.toLowerCase()) return name.replaceAll('’', "'")
  return name
    .replaceAll('’', "'")
    .split(' ')
    .map((word, at) =>
      at > 0 && particles.has(word) ? word : word.replace(/(^|['-])\p{L}/gu, (first) => first.toUpperCase()),
    )
    .join(' ')
}
