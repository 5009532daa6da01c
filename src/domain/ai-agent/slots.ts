import { phrasesOf } from './phrases.ts'
import type { AgentLanguage, IntakeAnswer, IntakeQuestion } from './plan.ts'
import { containsPhrase, plain } from './words.ts'

// Extracts the answer to a question from speech or keys. Keys are never ambiguous.

export function fromWords(question: IntakeQuestion, language: AgentLanguage, text: string): IntakeAnswer | undefined {
  switch (question.kind) {
    case 'text':
      return text.trim() || undefined
    case 'name':
      return nameIn(text)
    case 'number': {
      const digits = digitsIn(text, language)
      return digits === '' || digits.length > 15 ? undefined : Number(digits)
    }
    case 'phone': {
      const digits = digitsIn(text, language)
      return isPhone(digits) ? `${text.includes('+') ? '+' : ''}${digits}` : undefined
    }
    case 'date':
      return dateIn(text)
    case 'yes_no':
      return yesOrNo(text, language)
    case 'choice':
      return question.options.find((option) => containsPhrase(text, [option]))
  }
}

export function fromKeys(question: IntakeQuestion, keys: string): IntakeAnswer | undefined {
  switch (question.kind) {
    case 'yes_no':
      return keys === '1' ? true : keys === '2' ? false : undefined
    case 'choice':
      return question.options[Number(keys) - 1]
    case 'number':
      return keys.length > 15 ? undefined : Number(keys)
    case 'phone':
      return isPhone(keys) ? keys : undefined
    case 'date':
      return dateOf(keys.slice(4), keys.slice(2, 4), keys.slice(0, 2))
    case 'text':
    case 'name':
      return keys
  }
}

/** A single key is a complete answer. */
export const takesOneKey = ({ kind, options }: IntakeQuestion): boolean =>
  kind === 'yes_no' || (kind === 'choice' && options.length < 10)

/** No is matched before yes: "not right" contains "right". */
export function yesOrNo(text: string, language: AgentLanguage): boolean | undefined {
  const { yes, no } = phrasesOf(language)
  if (containsPhrase(text, no)) return false
  return containsPhrase(text, yes) ? true : undefined
}

const isPhone = (digits: string) => digits.length >= 6 && digits.length <= 15

/** Digits or spelled digits: "4 7 two nine". */
function digitsIn(text: string, language: AgentLanguage): string {
  const spelled = phrasesOf(language).digits.map(plain)
  return plain(text)
    .split(' ')
    .map((word) => (spelled.includes(word) ? String(spelled.indexOf(word)) : word.replace(/\D/g, '')))
    .join('')
}

const introductions = ['my name is', 'this is', 'i am', 'je m appelle', 'je suis', 'me llamo', 'soy', 'ich bin']
const moreIntroductions = ['mein name ist', 'ich heisse', 'ik ben', 'mijn naam is', 'mi chiamo', 'sono']

/** Text after "my name is", if present. */
function nameIn(text: string): string | undefined {
  const words = text.trim().split(/[\s’']+/)
  for (const introduction of [...introductions, ...moreIntroductions]) {
    const length = introduction.split(' ').length
    const at = words.findIndex((_, index) => plain(words.slice(index, index + length).join(' ')) === introduction)
    if (at >= 0) words.splice(0, at + length)
  }
  const name = words.join(' ').replace(/[.,!?]{1,5}$/, '')
  return name === '' || name.length > 80 || /\d/.test(name) ? undefined : name
}

/** 2026-06-15, or day, month and year in that order, as in most countries. */
function dateIn(text: string): string | undefined {
  const iso = /(\d{4})-(\d{1,2})-(\d{1,2})/.exec(text)
  if (iso) return dateOf(iso[1], iso[2], iso[3])
  const spoken = /(\d{1,2})[./ ](\d{1,2})[./ ](\d{4})/.exec(text)
  return spoken ? dateOf(spoken[3], spoken[2], spoken[1]) : undefined
}

function dateOf(year = '', month = '', day = ''): string | undefined {
  if (!/^\d{4}$/.test(year)) return undefined
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined
}
