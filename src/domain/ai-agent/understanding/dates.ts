import type { AgentLanguage } from '../plan.ts'
import { type CalendarWords, calendarWords } from './calendar-words.ts'
import { callerWords, type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'
import { type CalendarDay, dayOf, daysLater, isoDay, monthsLater, weekdayOf } from './days.ts'
import { numberAt, type SpokenNumber } from './numbers.ts'

// Dates in digits and words, relative to the day of the call.

export interface HeardDate {
  date: string
  /** Parts were inferred from the day of the call: "Friday", "the fifteenth". */
  isInferred: boolean
}

export interface DateContext {
  today: CalendarDay
  /** Digits are month, day, year: 6/15/2026. */
  monthFirst: boolean
  /** The date that is corrected: "the sixteenth" keeps its month. */
  near?: CalendarDay
}

type Simple = Exclude<keyof CalendarWords, 'months' | 'weekdays' | 'nextIsNextWeek'>
type Label = { kind: Simple } | { kind: 'monthName' | 'weekday'; nth: number }

const indexes = new Map<AgentLanguage, PhraseIndex<Label>>()

function indexOf(language: AgentLanguage): PhraseIndex<Label> {
  const known = indexes.get(language)
  if (known) return known
  const { months, weekdays, nextIsNextWeek: _rule, ...simple } = calendarWords[language]
  const named = (list: string, kind: 'monthName' | 'weekday') =>
    list.split(',').flatMap((names, nth) => names.split(' ').map((name) => [{ kind, nth } as Label, name] as const))
  const made = phraseIndex<Label>([
    ...named(months, 'monthName'),
    ...named(weekdays, 'weekday'),
    ...Object.entries(simple).map(([kind, list]) => [{ kind: kind as Simple }, list] as const),
  ])
  indexes.set(language, made)
  return made
}

type Part = ({ kind: 'number'; number: SpokenNumber } | Label) & { at: number; end: number }

export function dateIn(text: string, language: AgentLanguage, context: DateContext): HeardDate | undefined {
  const iso = /(\d{4})-(\d{1,2})-(\d{1,2})/.exec(text)
  if (iso) return exact(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const numeric = /(?<!\d)(\d{1,2})[./ -]{1,2}(\d{1,2})[./ -]{1,2}(\d{4}|\d{2})(?!\d|[:h])/.exec(text)
  if (numeric) return ofDigits(numeric, context)
  const short = /(?<!\d)(\d{1,2})([./])(\d{1,2})(?!\d)\.?/.exec(text)
  if (short) return inYear(short[1], short[3], context)
  return dateInWords(callerWords(text, language), language, context)
}

const exact = (year: number, month: number, day: number): HeardDate | undefined => {
  const found = dayOf(year, month, day)
  return found && { date: isoDay(found), isInferred: false }
}

const inferred = (day: CalendarDay | undefined): HeardDate | undefined => day && { date: isoDay(day), isInferred: true }

function ofDigits([, first = '', second = '', third = '']: RegExpExecArray, { today, monthFirst }: DateContext) {
  const year = third.length === 2 ? fullYear(Number(third), today) : Number(third)
  const [a, b] = [Number(first), Number(second)]
  const isMonthFirst = (monthFirst && a <= 12) || b > 12
  return isMonthFirst ? exact(year, a, b) : exact(year, b, a)
}

function inYear(first = '', second = '', context: DateContext): HeardDate | undefined {
  const [a, b] = [Number(first), Number(second)]
  const isMonthFirst = (context.monthFirst && a <= 12) || b > 12
  return inferred(upcoming(isMonthFirst ? a : b, isMonthFirst ? b : a, context))
}

/** 84 is 1984, 26 is 2026. */
const fullYear = (short: number, { year }: CalendarDay) => {
  const century = year - (year % 100)
  return century + short > year + 10 ? century - 100 + short : century + short
}

/** The next day with this month and day; next to the corrected date if there is one. */
function upcoming(month: number, day: number, { today, near }: DateContext): CalendarDay | undefined {
  const base = near ?? today
  const found = dayOf(base.year, month, day) ?? dayOf(base.year + 1, month, day)
  if (!found || near) return found
  return isoDay(found) < isoDay(today) ? dayOf(today.year + 1, month, day) : found
}

function partsOf(words: readonly string[], language: AgentLanguage): Part[] {
  const index = indexOf(language)
  const parts: Part[] = []
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(index, words, at)
    const number = phrase ? undefined : numberAt(words, at, language)
    const end = phrase ? at + phrase.words.length : (number?.end ?? at + 1)
    if (phrase) parts.push({ ...phrase.label, at, end })
    else if (number) parts.push({ kind: 'number', number, at, end })
    at = end
  }
  return parts
}

function dateInWords(words: readonly string[], language: AgentLanguage, context: DateContext): HeardDate | undefined {
  const parts = partsOf(words, language)
  // A month with an impossible day is no date.
  if (parts.some(({ kind }) => kind === 'monthName')) return withMonth(parts, language, context)
  return (
    withMonth(parts, language, context) ??
    relative(parts, context) ??
    onWeekday(parts, language, context) ??
    bare(parts, context)
  )
}

const isNumber = (part: Part | undefined): part is Part & { kind: 'number' } => part?.kind === 'number'

/** "The fifteenth of June", "June 15", "dritter zweiter neunzehnhundertvierundachtzig". */
function withMonth(parts: readonly Part[], language: AgentLanguage, context: DateContext): HeardDate | undefined {
  const at = parts.findLastIndex(({ kind }) => kind === 'monthName')
  const name = parts[at]
  if (name?.kind === 'monthName') {
    const before = parts[at - 1]
    const numbers = parts.slice(at + 1).filter(isNumber)
    const isDayFirst = isNumber(before) && before.number.value >= 1 && before.number.value <= 31
    const day = isDayFirst ? before.number.value : numbers[0]?.number.value
    if (day === undefined) return undefined
    const year = yearOf(isDayFirst ? numbers : numbers.slice(1), context)
    return year === undefined ? inferred(upcoming(name.nth + 1, day, context)) : exact(year, name.nth + 1, day)
  }
  // Months as ordinals: "der dritte zweite".
  const numbers = parts.filter(isNumber)
  const [day, month, ...rest] = numbers
  if (language !== 'de' || !day?.number.isOrdinal || !month?.number.isOrdinal) return undefined
  const year = yearOf(rest, context)
  return year === undefined
    ? inferred(upcoming(month.number.value, day.number.value, context))
    : exact(year, month.number.value, day.number.value)
}

/** "1984", "nineteen eighty-four", "two thousand and five", "eighty-four". */
function yearOf(numbers: readonly { number: SpokenNumber }[], { today }: DateContext): number | undefined {
  const digits = numbers.map(({ number }) => number.digits).join('')
  if (/^\d{4}$/.test(digits)) return Number(digits)
  return /^\d{2}$/.test(digits) ? fullYear(Number(digits), today) : undefined
}

function relative(parts: readonly Part[], { today }: DateContext): HeardDate | undefined {
  const has = (kind: Part['kind']) => parts.find((part) => part.kind === kind)
  const weeks = has('twoWeeksLater') ? 14 : has('weekLater') ? 7 : 0
  if (has('dayAfterTomorrow')) return inferred(daysLater(today, 2 + weeks))
  if (has('tomorrow')) return inferred(daysLater(today, 1 + weeks))
  if (has('today')) return inferred(daysLater(today, weeks))
  if (has('dayBeforeYesterday')) return inferred(daysLater(today, -2))
  if (has('yesterday')) return inferred(daysLater(today, -1))
  if (has('end')) return inferred(daysLater(monthsLater({ ...today, day: 1 }, 1), -1))
  if (has('weekday')) return undefined
  const unitAt = parts.findLastIndex(({ kind }) => ['day', 'week', 'fortnight', 'month', 'year'].includes(kind))
  const unit = parts[unitAt]?.kind
  const before = parts[unitAt - 1]
  if (has('within') || has('ago')) {
    if (!has('ago') && weeks > 0 && unitAt < 0) return inferred(daysLater(today, weeks))
    const count = isNumber(before) ? before.number.value : unitAt >= 0 ? 1 : undefined
    if (count === undefined || count > 1_000) return undefined
    return inferred(moved(today, unit, has('ago') ? -count : count))
  }
  if (weeks > 0) return inferred(daysLater(today, weeks))
  if (unitAt >= 0 && has('next') && (unit === 'week' || unit === 'month')) return inferred(moved(today, unit, 1))
  return undefined
}

function moved(today: CalendarDay, unit: Part['kind'] | undefined, count: number): CalendarDay | undefined {
  switch (unit) {
    case 'day':
      // "Eight days" and "fifteen days" are one and two weeks in several languages.
      return daysLater(today, count === 15 ? 14 : count === 8 ? 7 : count)
    case 'week':
      return daysLater(today, 7 * count)
    case 'fortnight':
      return daysLater(today, 14 * count)
    case 'month':
      return monthsLater(today, count)
    case 'year':
      return monthsLater(today, 12 * count)
    default:
      return undefined
  }
}

function onWeekday(parts: readonly Part[], language: AgentLanguage, context: DateContext): HeardDate | undefined {
  const { today } = context
  const at = parts.findLastIndex(({ kind }) => kind === 'weekday')
  const name = parts[at]
  if (name?.kind !== 'weekday') return undefined
  // "Tuesday the fifteenth"
  const dated = parts.slice(at + 1).find((part) => isNumber(part) && part.number.value <= 31)
  if (isNumber(dated) && !parts.some(({ kind }) => kind === 'week' || kind === 'weekLater' || kind === 'within'))
    return inferred(upcomingDay(dated.number.value, context))
  const ahead = (name.nth - weekdayOf(today) + 7) % 7 || 7
  const has = (kind: Part['kind']) => parts.some((part) => part.kind === kind)
  if (has('last')) return inferred(daysLater(today, ahead - 7 === 0 ? -7 : ahead - 7))
  const hasNextWeek = parts.some(
    (part, nth) => part.kind === 'week' && (parts[nth - 1]?.kind === 'next' || parts[nth + 1]?.kind === 'next'),
  )
  // On a Wednesday, "Wednesday week" is in seven days.
  const fromToday = ahead % 7
  if (has('twoWeeksLater')) return inferred(daysLater(today, fromToday + 14))
  if (hasNextWeek || (has('next') && calendarWords[language].nextIsNextWeek && !has('week') && !has('weekLater')))
    return inferred(daysLater(today, 7 - weekdayOf(today) + name.nth))
  if (parts.some((part, nth) => (part.kind === 'weekLater' || part.kind === 'week') && !isThisWeek(parts, nth)))
    return inferred(daysLater(today, fromToday + 7))
  return inferred(daysLater(today, ahead))
}

const isThisWeek = (parts: readonly Part[], nth: number) =>
  parts[nth - 1]?.kind === 'coming' || parts[nth + 1]?.kind === 'coming'

/** "The fifteenth": in this month, or the next month that has it. */
function upcomingDay(day: number, { today, near }: DateContext): CalendarDay | undefined {
  const base = near ?? today
  for (let months = 0; months <= 3; months++) {
    const month = monthsLater({ ...base, day: 1 }, months)
    const found = dayOf(month.year, month.month, day)
    if (found && (near || isoDay(found) >= isoDay(today))) return found
  }
  return undefined
}

function bare(parts: readonly Part[], context: DateContext): HeardDate | undefined {
  const numbers = parts.filter(isNumber).map(({ number }) => number)
  const ordinal = numbers.findLast(({ isOrdinal }) => isOrdinal) ?? (numbers.length === 1 ? numbers[0] : undefined)
  if (!ordinal || ordinal.isArticle || ordinal.value < 1 || ordinal.value > 31) return undefined
  return inferred(upcomingDay(ordinal.value, context))
}
