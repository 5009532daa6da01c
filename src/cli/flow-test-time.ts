import { isOpen, nextChange } from '../domain/opening-hours.ts'
import { day, hour } from '../lib/clock.ts'
import { type LocalTime, type Weekday, weekdays } from './flow-test.ts'

/** `mon 10:00` or `2026-12-24 17:30`; undefined if the text is neither. */
export function localTimeIn(text: string): LocalTime | undefined {
  const [, when = '', time = ''] = /^(\S+) ((?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ?? []
  const weekday = weekdays.find((known) => known === when.toLowerCase())
  if (weekday) return { weekday, time }
  return isDate(when) ? { date: when, time } : undefined
}

function isDate(text: string): boolean {
  const midnight = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(midnight) && isoDate(midnight) === text
}

const isoDate = (at: number) => new Date(at).toISOString().slice(0, 10)

/** The first instant from `from` on with this local time; undefined if a daylight saving change skips it. */
export function instantOf(wanted: LocalTime, timeZone: string, from: number): number | undefined {
  if ('weekday' in wanted) return nextInstant(wanted.weekday, wanted.time, timeZone, from)
  const midnight = Date.parse(`${wanted.date}T00:00:00Z`)
  // UTC offsets are below 15 hours.
  const at = nextInstant(weekdayOf(midnight), wanted.time, timeZone, midnight - 15 * hour)
  return at !== undefined && at < midnight + day + 15 * hour ? at : undefined
}

const weekdayOf = (midnight: number): Weekday => weekdays[(new Date(midnight).getUTCDay() + 6) % 7] ?? 'mon'

/** Uses a schedule that is open for this one minute of the week. */
function nextInstant(weekday: Weekday, time: string, timeZone: string, from: number): number | undefined {
  const schedule = { hours: { [weekday]: [[time, minuteAfter(time)]] }, closedDates: [] }
  const change = nextChange(schedule, timeZone, from - 1)
  return change === undefined || isOpen(schedule, timeZone, change) ? change : nextChange(schedule, timeZone, change)
}

function minuteAfter(time: string): string {
  const minutes = Number(time.slice(0, 2)) * 60 + Number(time.slice(3)) + 1
  const two = (part: number) => String(part).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
