/** `start` is inclusive, `end` is exclusive; both "HH:MM", and an end may be "24:00". */
export type TimeRange = [start: string, end: string]
export type Day = (typeof days)[number]
/** A missing day is closed. */
export type Hours = { [day in Day]?: TimeRange[] }
export type Schedule = { hours: Hours; closedDates: string[] }

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

const wholeDay: TimeRange = ['00:00', '24:00']
export const alwaysOpen: Hours = {
  mon: [wholeDay],
  tue: [wholeDay],
  wed: [wholeDay],
  thu: [wholeDay],
  fri: [wholeDay],
  sat: [wholeDay],
  sun: [wholeDay],
}

export function isOpen(schedule: Schedule, timeZone: string, at: number): boolean {
  const wall = wallClock(timeZone, at)
  const time = new Date(wall).toISOString().slice(11, 16)
  return rangesOn(schedule, wall).some(([start, end]) => start <= time && time < end)
}

/** The first instant after `at` at which isOpen changes, looking 400 days ahead. */
export function nextChange(schedule: Schedule, timeZone: string, at: number): number | undefined {
  if (neverTurns(schedule)) return undefined
  const openAtFirst = isOpen(schedule, timeZone, at)
  const horizon = at + 400 * dayMs
  for (let turn = nextTurn(schedule, timeZone, at); turn <= horizon; turn = nextTurn(schedule, timeZone, turn)) {
    if (isOpen(schedule, timeZone, turn) !== openAtFirst) return turn
  }
  return undefined
}

export function isTimeZone(name: string): boolean {
  // Newer engines also accept plain offsets such as "+02:00", which are not IANA names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatterOf(name)
    return true
  } catch {
    return false
  }
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** A schedule with a single state, the most frequent case, needs no search. */
function neverTurns({ hours, closedDates }: Schedule): boolean {
  const closed = days.every((day) => (hours[day] ?? []).length === 0)
  const open = days.every((day) => hours[day]?.some(([start, end]) => start === '00:00' && end === '24:00'))
  return closed || (open && closedDates.length === 0)
}

/** The first instant after `from` at which a range starts or ends, the date changes, or the UTC offset changes. */
function nextTurn(schedule: Schedule, timeZone: string, from: number): number {
  const wall = wallClock(timeZone, from)
  const midnight = startOfDay(wall)
  const turns = turningTimes(rangesOn(schedule, wall)).map((time) => midnight + minutesOf(time) * minuteMs)
  const nextWall = Math.min(midnight + dayMs, ...turns.filter((turn) => turn > wall))
  const candidate = from + nextWall - wall
  const offset = wall - from
  if (offsetAt(timeZone, candidate) === offset) return candidate
  return clockMove(timeZone, from, candidate)
}

/** Adjacent ranges cause no change. */
function turningTimes(ranges: TimeRange[]): string[] {
  const starts = ranges.map(([start]) => start)
  const ends = ranges.map(([, end]) => end)
  return [...starts.filter((start) => !ends.includes(start)), ...ends.filter((end) => !starts.includes(end))]
}

/** The first instant after `from` with another UTC offset; `to` has another one. */
function clockMove(timeZone: string, from: number, to: number): number {
  const offset = offsetAt(timeZone, from)
  let before = from
  let after = to
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(timeZone, middle) === offset) before = middle
    else after = middle
  }
  return after
}

function rangesOn(schedule: Schedule, wall: number): TimeRange[] {
  const date = new Date(wall)
  if (schedule.closedDates.includes(date.toISOString().slice(0, 10))) return []
  const day = days[(date.getUTCDay() + 6) % 7]
  return (day && schedule.hours[day]) ?? []
}

function startOfDay(wall: number): number {
  return Math.floor(wall / dayMs) * dayMs
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
}

function offsetAt(timeZone: string, at: number): number {
  return wallClock(timeZone, at) - at
}

/** Local time, as the milliseconds at which UTC shows the same digits. */
export function wallClock(timeZone: string, at: number): number {
  // Parsing the digits of one string is three times faster than formatToParts.
  const [month = 1, day, year = 0, hour, minute, second] = (
    cachedFormatter(timeZone).format(at).match(/\d+/g) ?? []
  ).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) + (at - Math.floor(at / 1000) * 1000)
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Names of time zones are compared without case: each spelling would take memory for good. */
function cachedFormatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone) ?? formatters.get(timeZone.toLowerCase())
  if (known) return known
  const formatter = formatterOf(timeZone)
  const { timeZone: canonical } = formatter.resolvedOptions()
  formatters.set(timeZone === canonical ? canonical : timeZone.toLowerCase(), formatter)
  return formatter
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
}

const maxRangesADay = 24
const maxClosedDates = 400

/** `where` names the value in the message: "hours", "working_hours". */
export function parseHours(value: unknown, where: string): { hours: Hours } | { problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: `${where} must be an object with the keys ${days.join(', ')}` }
  }
  const hours: Hours = {}
  for (const [key, ranges] of Object.entries(value)) {
    const day = days.find((known) => known === key)
    if (!day) return { problem: `${where} has the unknown day "${key.slice(0, 20)}"; the days are ${days.join(', ')}` }
    const parsed = parseRanges(ranges, `${where}.${day}`)
    if ('problem' in parsed) return parsed
    hours[day] = parsed.ranges
  }
  return { hours }
}

/** A missing `closed_dates` means none. */
export function parseSchedule(value: {
  hours?: unknown
  closed_dates?: unknown
}): { schedule: Schedule } | { problem: string } {
  const parsed = parseHours(value.hours, 'hours')
  if ('problem' in parsed) return parsed
  const { closed_dates: dates = [] } = value
  if (!Array.isArray(dates)) return { problem: 'closed_dates must be an Array of YYYY-MM-DD' }
  if (dates.length > maxClosedDates) return { problem: `closed_dates may hold at most ${maxClosedDates} dates` }
  const wrong = dates.findIndex((date) => !isCalendarDate(date))
  if (wrong >= 0) return { problem: `closed_dates[${wrong}] must be a date of the calendar as YYYY-MM-DD` }
  return { schedule: { hours: parsed.hours, closedDates: dates.filter(isCalendarDate) } }
}

/** Whether the ranges of one day are well-formed and do not overlap. */
export const areRanges = (value: unknown): boolean => 'ranges' in parseRanges(value, '')

function parseRanges(value: unknown, where: string): { ranges: TimeRange[] } | { problem: string } {
  if (!Array.isArray(value)) return { problem: `${where} must be an Array of ["HH:MM", "HH:MM"]` }
  if (value.length > maxRangesADay) return { problem: `${where} may hold at most ${maxRangesADay} ranges` }
  const ranges: TimeRange[] = []
  for (const [index, pair] of value.entries()) {
    if (!isTimeRange(pair)) return { problem: `${where}[${index}] must be ["HH:MM", "HH:MM"], from 00:00 to 24:00` }
    const [start, end] = pair
    if (start >= end) return { problem: `${where}[${index}] must start before it ends` }
    ranges.push([start, end])
  }
  const sorted = ranges.toSorted(([a], [b]) => (a < b ? -1 : 1))
  const overlap = sorted.some(([start], index) => start < (sorted[index - 1]?.[1] ?? ''))
  return overlap ? { problem: `${where} has ranges that overlap` } : { ranges }
}

function isTimeRange(value: unknown): value is TimeRange {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [start, end] = value
  return isTimeOfDay(start) && (end === '24:00' || isTimeOfDay(end))
}

function isTimeOfDay(value: unknown): value is string {
  return typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value)
}

export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const midnight = new Date(`${value}T00:00:00Z`)
  // An engine may parse 30 February as 2 March.
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(value)
}
