import type { AgentLanguage } from '../plan.ts'
import { type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'
import { type SpelledPart, spelledParts } from './spelling.ts'
import { spellingWords } from './spelling-words.ts'

// E-mail addresses, written or spelled.

const mailbox = /^[A-Za-z0-9._%+-]{1,64}$/
const domain = /^[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}$/

/** One word with an @; punctuation around it does not belong to it. */
function writtenIn(text: string): string | undefined {
  for (const word of text.split(/[\s,;:<>()"'!?]/)) {
    const [local = '', host = '', ...more] = word.split('@')
    const name = host.endsWith('.') ? host.slice(0, -1) : host
    if (more.length === 0 && mailbox.test(local) && domain.test(name)) return `${local}@${name}`
  }
  return undefined
}

const leads = new Map<AgentLanguage, PhraseIndex<true>>()

function leadOf(language: AgentLanguage): PhraseIndex<true> {
  const known = leads.get(language)
  if (known) return known
  const made = phraseIndex([[true, spellingWords[language].lead] as const])
  leads.set(language, made)
  return made
}

export function emailAddressIn(text: string, language: AgentLanguage): string | undefined {
  const direct = writtenIn(text)
  if (direct) return direct.toLowerCase()
  const parts = spelledParts(text, language)
  // The last "at" is the sign: "at work it is jo at example dot com".
  const at = parts.findLastIndex(({ kind }) => kind === 'at')
  if (at < 1) return undefined
  const local = localPart(parts.slice(0, at), language)
  const domain = domainPart(parts.slice(at + 1))
  if (domain === undefined || !/^[a-z0-9](?:[a-z0-9._+-]{0,62}[a-z0-9])?$/.test(local)) return undefined
  return `${local}@${domain}`
}

/** Everything after the introduction: "my address is". */
function localPart(parts: readonly SpelledPart[], language: AgentLanguage): string {
  const words = parts.map((part) => ('text' in part ? part.text : ''))
  const lead = leadOf(language)
  let from = 0
  for (let at = 0; at < parts.length; at++) {
    const phrase = parts[at]?.kind === 'word' || parts[at]?.kind === 'letter' ? phraseAt(lead, words, at) : undefined
    // A letter that is a word as well ("e", "a") is a letter where the caller spells.
    const spells = parts[at]?.kind === 'letter' && at > 0 && parts[at - 1]?.kind !== 'word'
    if (phrase && !spells) from = at + phrase.words.length
  }
  return parts.slice(from).map(symbol).join('')
}

function domainPart(parts: readonly SpelledPart[]): string | undefined {
  const name = parts.map(symbol).join('')
  const found = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,4}\.[a-z]{2,24}/.exec(name)?.[0]
  if (found === undefined) return undefined
  // Words after the address: "… dot com, thank you".
  const labels = found.split('.')
  const last = labels.at(-1) ?? ''
  const end = lastLabel(parts, labels.length - 1)
  return [...labels.slice(0, -1), end ?? last].join('.')
}

/** A spelled top-level domain, or its single word. */
function lastLabel(parts: readonly SpelledPart[], dots: number): string | undefined {
  let seen = 0
  const from = parts.findIndex(({ kind }) => kind === 'dot' && ++seen === dots)
  const rest = parts.slice(from + 1)
  const [first] = rest
  if (first?.kind === 'word') return first.text
  const letters: string[] = []
  for (const part of rest) {
    if (part.kind !== 'letter') break
    letters.push(part.text)
  }
  return letters.length >= 2 ? letters.join('') : undefined
}

const marks = { at: '@', dot: '.', underscore: '_', dash: '-', plus: '+' } as const

const symbol = (part: SpelledPart): string => ('text' in part ? part.text : marks[part.kind])
