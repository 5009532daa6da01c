import { phrasesOf } from './phrases.ts'
import type { AgentLanguage, IntakeAnswer, IntakeQuestion, QuestionKind } from './plan.ts'
import { answerInWords, type Hearing } from './understanding/answers.ts'

// Values as they are read back to the caller.

/** Digits one by one: "four thousand seven hundred and twenty-nine" is hard to verify by ear. */
export function spokenValue(language: AgentLanguage, kind: QuestionKind | undefined, answer: IntakeAnswer): string {
  if (typeof answer === 'boolean') return answer ? phrasesOf(language).yes : phrasesOf(language).no
  const text = String(answer)
  if (kind === 'date') return dateInWords(language, text)
  if (kind === 'email') return spelledEmail(language, text)
  if (kind === 'postcode') return [...text.replace(/\s/g, '')].join(' ')
  return /^\+?\d+$/.test(text) ? [...text].join(' ') : text
}

const dateInWords = (language: AgentLanguage, date: string) =>
  new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { dateStyle: 'full', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  )

/** Signs by their names; the words remain words. */
function spelledEmail(language: AgentLanguage, address: string): string {
  const names = signs[language]
  return address.replace(/[@._+-]/g, (sign) => ` ${names['@._+-'.indexOf(sign)] ?? sign} `)
}

/** Of @ . _ + and - in that order. */
const signs: Record<AgentLanguage, readonly string[]> = {
  en: ['at', 'dot', 'underscore', 'plus', 'hyphen'],
  fr: ['arobase', 'point', 'tiret bas', 'plus', 'tiret'],
  es: ['arroba', 'punto', 'guion bajo', 'más', 'guion'],
  de: ['at', 'Punkt', 'Unterstrich', 'Plus', 'Bindestrich'],
  nl: ['apenstaartje', 'punt', 'underscore', 'plus', 'streepje'],
  it: ['chiocciola', 'punto', 'trattino basso', 'più', 'trattino'],
}

/** Whether the agent said the value, in characters or in words. */
export function isReadBack(question: IntakeQuestion, answer: IntakeAnswer, said: string, hearing: Hearing): boolean {
  const { language } = hearing
  const forms = [String(answer), spokenValue(language, question.kind, answer)]
  if (forms.some((form) => containsValue(bare(said), bare(form)))) return true
  return answerInWords(question, said, hearing)?.value === answer
}

/** Letters and digits only: "4-7, 2 9" contains 4729. */
const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** Not as a part of a longer number. */
function containsValue(text: string, value: string): boolean {
  const isDigit = (char: string | undefined) => char !== undefined && char >= '0' && char <= '9'
  for (let at = text.indexOf(value); value !== '' && at !== -1; at = text.indexOf(value, at + 1)) {
    const isLonger =
      (isDigit(value[0]) && isDigit(text[at - 1])) || (isDigit(value.at(-1)) && isDigit(text[at + value.length]))
    if (!isLonger) return true
  }
  return false
}
