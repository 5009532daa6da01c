import type { AgentLanguage } from '../plan.ts'
import { callerWords, type PhraseIndex, phraseAt, phraseIndex } from './clauses.ts'
import { type ClockWords, clockWords } from './clock-words.ts'
import { numberAt } from './numbers.ts'

// Times of day in digits and words.

export interface HeardTime {
  /** 15:30 */
  time: string
  /** The half of the day was inferred: "half past three". */
  isInferred: boolean
}

type Label = keyof ClockWords
type Part = { kind: Label } | { kind: 'number'; value: number }

const indexes = new Map<AgentLanguage, PhraseIndex<Label>>()

function indexOf(language: AgentLanguage): PhraseIndex<Label> {
  const known = indexes.get(language)
  if (known) return known
  const made = phraseIndex(Object.entries(clockWords[language]) as [Label, string][])
  indexes.set(language, made)
  return made
}

export function timeIn(text: string, language: AgentLanguage): HeardTime | undefined {
  // "3.30", "15h30" and "9h" as speech recognition writes them.
  const separated = text
    .replace(/(\d{1,2})[:.](\d{2})(?!\d)/g, '$1 clockmark $2 ')
    .replace(/(\d{1,2}) ?h ?(\d{2})(?!\d)/gi, '$1 clockmark $2 ')
    .replace(/(\d)(h|am|pm|uhr)\b/gi, '$1 $2 ')
    .replace(/\b([ap])\. ?m\b\.?/gi, '$1m')
  const words = callerWords(separated, language)
  const parts = partsOf(
    words.filter((word) => word !== 'clockmark'),
    language,
  )
  const found = clockTime(parts, language)
  if (!found) return undefined
  return inDay(found, parts, words.includes('clockmark'), /(?<!\d)0\d ?[:.h]/.test(text))
}

function partsOf(words: readonly string[], language: AgentLanguage): Part[] {
  const index = indexOf(language)
  const parts: Part[] = []
  for (let at = 0; at < words.length; ) {
    const phrase = phraseAt(index, words, at)
    const number = phrase ? undefined : numberAt(words, at, language)
    if (phrase) parts.push({ kind: phrase.label })
    else if (number && !number.isOrdinal && number.value < 2_400) parts.push({ kind: 'number', value: number.value })
    at = phrase ? at + phrase.words.length : (number?.end ?? at + 1)
  }
  return parts
}

interface Clock {
  hour: number
  minute: number
  /** Said on a twelve-hour clock: "quarter past three". */
  isSpoken: boolean
}

const numberOf = (part: Part | undefined) => (part?.kind === 'number' ? part.value : undefined)

function clockTime(parts: readonly Part[], language: AgentLanguage): Clock | undefined {
  const kinds = parts.map(({ kind }) => kind)
  const named = kinds.includes('noon') ? 12 : kinds.includes('midnight') ? 0 : undefined
  const halfTo = kinds.indexOf('halfTo')
  if (halfTo >= 0) return aroundHalf(parts, halfTo)
  const three = kinds.indexOf('threeQuartersTo')
  const afterThree = numberOf(parts[three + 1])
  if (three >= 0 && afterThree !== undefined) return before(afterThree, 15)
  return (
    (language === 'en' || language === 'de' || language === 'nl'
      ? minutesFirst(parts, named)
      : hourFirst(parts, named)) ?? plainTime(parts, named)
  )
}

/** "Halb vier", "fünf vor halb vier", "tien over half vijf". */
function aroundHalf(parts: readonly Part[], at: number): Clock | undefined {
  const hour = numberOf(parts[at + 1])
  if (hour === undefined || hour > 24) return undefined
  const direction = parts[at - 1]?.kind
  const minutes = numberOf(parts[at - 2]?.kind === 'minute' ? parts[at - 3] : parts[at - 2])
  const shift = minutes === undefined ? 0 : direction === 'to' ? -minutes : direction === 'past' ? minutes : 0
  return shifted(hour, -30 + shift)
}

const before = (hour: number, minutes: number) => shifted(hour, -minutes)

function shifted(hour: number, minutes: number): Clock | undefined {
  if (hour > 24 || Math.abs(minutes) > 59) return undefined
  const total = (hour * 60 + minutes + 1_440) % 1_440
  // One o'clock minus a quarter is a quarter to one, at noon.
  const base = hour <= 12 && hour >= 1 && total < 60 ? total + 720 : total
  return { hour: Math.floor(base / 60), minute: base % 60, isSpoken: hour <= 12 }
}

/** "Quarter past three", "ten minutes to four". */
function minutesFirst(parts: readonly Part[], named: number | undefined): Clock | undefined {
  const at = parts.findIndex(({ kind }) => kind === 'past' || kind === 'to')
  const half = parts.findIndex(({ kind }) => kind === 'half')
  if (half >= 0) {
    const hour = numberOf(parts[half + 1]) ?? named
    return hour === undefined ? undefined : shifted(hour, 30)
  }
  const quarter = parts.findIndex(({ kind }) => kind === 'quarter')
  if (at < 1) {
    // German "viertel vier" is 3:15.
    const hour = quarter >= 0 ? numberOf(parts[quarter + 1]) : undefined
    return hour === undefined ? undefined : shifted(hour, -45)
  }
  const ahead = parts[at - 1]?.kind === 'minute' ? parts[at - 2] : parts[at - 1]
  const minutes = ahead?.kind === 'quarter' ? 15 : numberOf(ahead)
  const hour = numberOf(parts[at + 1]) ?? (['noon', 'midnight'].includes(parts[at + 1]?.kind ?? '') ? named : undefined)
  if (minutes === undefined || hour === undefined) return undefined
  return shifted(hour, parts[at]?.kind === 'to' ? -minutes : minutes)
}

/** "Quatre heures moins le quart", "las tres y media", "le tre e dieci". */
function hourFirst(parts: readonly Part[], named: number | undefined): Clock | undefined {
  const at = parts.findIndex(({ kind }) => ['past', 'to', 'half', 'quarter'].includes(kind))
  if (at < 0) return undefined
  const mark = parts[at]
  const ahead = parts.slice(0, at)
  const hour = numberOf(ahead.findLast(({ kind }) => kind === 'number')) ?? named
  if (hour === undefined || hour > 24) return undefined
  if (mark?.kind === 'half') return shifted(hour, 30)
  if (mark?.kind === 'quarter') return shifted(hour, 15)
  const next = parts[at + 1]
  const minutes = next?.kind === 'quarter' ? 15 : next?.kind === 'half' ? 30 : numberOf(next)
  if (minutes === undefined) return undefined
  return shifted(hour, mark?.kind === 'to' ? -minutes : minutes)
}

/** "Fifteen thirty", "three o'clock", "1530". */
function plainTime(parts: readonly Part[], named: number | undefined): Clock | undefined {
  const at = parts.findIndex(({ kind }) => kind === 'number')
  const first = numberOf(parts[at])
  if (named !== undefined) {
    const isMinute = ['noon', 'midnight'].includes(parts[at - 1]?.kind ?? '') && first !== undefined && first < 60
    return { hour: named, minute: isMinute ? first : 0, isSpoken: false }
  }
  if (first === undefined) return undefined
  if (first >= 100) {
    const [hour, minute] = [Math.floor(first / 100), first % 100]
    return minute < 60 && hour < 24 ? { hour, minute, isSpoken: hour <= 12 } : undefined
  }
  const isHour = parts[at + 1]?.kind === 'hour'
  const rest = parts.slice(at + (isHour ? 2 : 1))
  const second = numberOf(rest[0]?.kind === 'past' ? rest[1] : rest[0])
  // "Three oh five"
  const third = second === 0 ? numberOf(rest[1]) : undefined
  const minute = third !== undefined && third < 10 ? third : (second ?? 0)
  if (first > 24 || minute > 59) return undefined
  return { hour: first % 24, minute, isSpoken: first <= 12 && first > 0 }
}

function inDay({ hour, minute, isSpoken }: Clock, parts: readonly Part[], isWritten: boolean, isPadded: boolean) {
  const has = (kind: Label) => parts.some((part) => part.kind === kind)
  const said = (at: number, isInferred: boolean): HeardTime => ({
    time: `${String(at).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
    isInferred,
  })
  const half = hour % 12
  if (hour <= 12 && has('am')) return said(half, false)
  if (hour <= 12 && has('pm')) return said(half + 12, false)
  if (hour <= 12 && has('midday')) return said(hour >= 10 ? hour : half + 12, false)
  if (hour <= 12 && has('night')) return said(hour >= 6 && hour < 12 ? hour + 12 : half, false)
  if (!isSpoken || isPadded || (isWritten && hour > 12)) return said(hour, false)
  // Without a.m. or p.m., three is the afternoon: calls and visits take place by day.
  return said(hour >= 1 && hour <= 6 ? hour + 12 : hour, true)
}
