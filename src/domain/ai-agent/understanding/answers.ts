import { wallClock } from '../../opening-hours.ts'
import type { AgentLanguage, AgentPlan, IntakeAnswer, IntakeQuestion } from '../plan.ts'
import { containsPhrase, plain } from '../words.ts'
import { callerWords } from './clauses.ts'
import { dateIn } from './dates.ts'
import { dayOfIso } from './days.ts'
import { emailAddressIn } from './emails.ts'
import { nameIn } from './names.ts'
import { digitGroups, numbersIn, spokenDigits, withPauses } from './numbers.ts'
import { postcodeIn } from './postcodes.ts'
import { repaired } from './repairs.ts'
import { timeIn } from './times.ts'
import { yesOrNo } from './yes-no.ts'

// The answer to a question in what the caller said. Scripted agents and tools of a language model use the same rules.

/** What the words of a caller refer to. */
export interface Hearing {
  language: AgentLanguage
  /** Time of the turn: "tomorrow" is the day after it. */
  now: number
  timeZone: string
  /** Country of the Number, for postcodes and the order of day and month. */
  country?: string
}

export const hearingOf = ({ language, timeZone = 'UTC', country }: AgentPlan, now: number): Hearing => ({
  language,
  now,
  timeZone,
  ...(country !== undefined && { country }),
})

export interface HeardAnswer {
  value: IntakeAnswer
  /** The caller did not say all of it: it is read back. */
  isInferred: boolean
}

/** `near` is the answer that the caller corrects: "make it the sixteenth". */
export function answerInWords(
  question: IntakeQuestion,
  text: string,
  hearing: Hearing,
  near?: IntakeAnswer,
): HeardAnswer | undefined {
  const one = (said: string) => valueIn(question, said, hearing, near)
  return hasStructure(question) ? repaired(text, hearing.language, one) : one(text)
}

/** Values that cannot be mistaken for a comment, unlike a name. */
export const hasStructure = ({ kind }: IntakeQuestion): boolean =>
  kind !== 'text' && kind !== 'name' && kind !== 'yes_no'

function valueIn(
  question: IntakeQuestion,
  text: string,
  hearing: Hearing,
  near: IntakeAnswer | undefined,
): HeardAnswer | undefined {
  const { language } = hearing
  switch (question.kind) {
    case 'text':
      return exactly(text.trim() || undefined)
    case 'name':
      return exactly(nameIn(text, language))
    case 'number':
      return exactly(numberIn(text, language))
    case 'phone':
      return exactly(phoneIn(text, language))
    case 'date': {
      const today = dayOfIso(new Date(wallClock(hearing.timeZone, hearing.now)).toISOString().slice(0, 10))
      const base = typeof near === 'string' ? dayOfIso(near) : undefined
      const monthFirst = hearing.country === 'US'
      const found = today && dateIn(text, language, { today, monthFirst, ...(base && { near: base }) })
      return found && { value: found.date, isInferred: found.isInferred }
    }
    case 'time': {
      const found = timeIn(text, language)
      return found && { value: found.time, isInferred: found.isInferred }
    }
    case 'email':
      return exactly(emailAddressIn(text, language))
    case 'postcode':
      return exactly(postcodeIn(text, language, hearing.country))
    case 'yes_no':
      return exactly(yesOrNo(text, language))
    case 'choice':
      return exactly(optionIn(question.options, text, language))
  }
}

const exactly = (value: IntakeAnswer | undefined): HeardAnswer | undefined =>
  value === undefined ? undefined : { value, isInferred: false }

/** A number with leading zeros is kept as text. */
function numberIn(text: string, language: AgentLanguage): IntakeAnswer | undefined {
  const digits = spokenDigits(text, language)?.digits ?? ''
  if (digits === '' || digits.length > 15) return undefined
  return digits.length > 1 && digits.startsWith('0') ? digits : Number(digits)
}

/** Groups of digits said apart belong to one phone number. */
function phoneIn(text: string, language: AgentLanguage): string | undefined {
  const longest = spokenDigits(text, language)
  if (longest && isPhone(longest.digits)) return `${longest.hasPlus ? '+' : ''}${longest.digits}`
  const groups = digitGroups(callerWords(withPauses(text), language), language)
  const all = groups.map(({ digits }) => digits).join('')
  return isPhone(all) ? `${groups[0]?.hasPlus ? '+' : ''}${all}` : undefined
}

export const isPhone = (digits: string): boolean => digits.length >= 6 && digits.length <= 15

/** By its words or its position; "not the red one, the blue one" is blue. */
function optionIn(options: readonly string[], text: string, language: AgentLanguage): string | undefined {
  const words = ` ${plain(text)} `
  const named = options
    .map((option) => ({ option, at: words.lastIndexOf(` ${plain(option)} `) }))
    .filter(({ option, at }) => at >= 0 && containsPhrase(text, [option]))
  if (named.length > 0) {
    const wanted = named.filter(({ at }) => !isRejected(words.slice(0, at), language))
    // The longest of overlapping options: "light blue" contains "blue".
    return wanted.toSorted((a, b) => b.option.length - a.option.length || b.at - a.at)[0]?.option
  }
  const numbers = numbersIn(callerWords(text, language), language).filter(({ isArticle }) => !isArticle)
  return numbers.length === 1 ? options[(numbers[0]?.value ?? 0) - 1] : undefined
}

const negations: Record<AgentLanguage, readonly string[]> = {
  en: ['not', 'no', 'isn t', 'don t want', 'without'],
  fr: ['pas', 'non', 'sans'],
  de: ['nicht', 'kein', 'keine', 'keinen', 'ohne'],
  es: ['no', 'sin'],
  it: ['non', 'no', 'senza'],
  nl: ['niet', 'geen', 'zonder'],
}

/** A negation among the last three words. */
const isRejected = (before: string, language: AgentLanguage) =>
  containsPhrase(before.trim().split(' ').slice(-3).join(' '), negations[language])
