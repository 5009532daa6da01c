import { readableSince } from '../call/history.ts'
import { dateAfter, type Zone } from './zone.ts'

export const relativeRanges = ['LAST_MONTH', 'LAST_WEEK', 'THIS_MONTH', 'THIS_WEEK', 'TODAY', 'YESTERDAY'] as const
export type RelativeRange = (typeof relativeRanges)[number]

/** Both dates are inclusive. */
export interface Dates {
  fromDate: string
  toDate: string
}

export type DateFilter = { relative: RelativeRange } | { absoluteRange: Dates }

/** One row per user: the whole range, or one day of it. `from` is inclusive, `to` is exclusive. */
export interface Period extends Dates {
  from: number
  to: number
}

/** The queried interval: never in the future, and not beyond the retention of calls. */
export interface ReportRange extends Period {
  now: number
}

export function rangeOf(filter: DateFilter, zone: Zone, now: number): ReportRange {
  const { fromDate, toDate } = 'relative' in filter ? datesOf(filter.relative, zone.dateOf(now)) : filter.absoluteRange
  const since = readableSince(now)
  const from = Math.max(zone.startOf(fromDate), since)
  const to = Math.max(from, Math.min(zone.startOf(dateAfter(toDate, 1)), now + 1))
  const first = zone.dateOf(from)
  const today = zone.dateOf(now)
  const last = toDate < today ? toDate : today
  return { fromDate: first > fromDate ? first : fromDate, toDate: last, from, to, now }
}

/** One period per day, or one for the whole range; none when the range holds no readable data. */
export function periodsOf(range: ReportRange, zone: Zone, breakdown: 'DAILY' | undefined): Period[] {
  const { fromDate, toDate, from, to } = range
  if (from >= to || fromDate > toDate) return []
  if (!breakdown) return [{ fromDate, toDate, from, to }]
  const days: Period[] = []
  for (let date = fromDate; date <= toDate; date = dateAfter(date, 1)) {
    const begin = Math.max(zone.startOf(date), from)
    const end = Math.min(zone.startOf(dateAfter(date, 1)), to)
    if (begin < end) days.push({ fromDate: date, toDate: date, from: begin, to: end })
  }
  return days
}

function datesOf(relative: RelativeRange, today: string): Dates {
  const monday = dateAfter(today, -((new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7))
  const first = `${today.slice(0, 8)}01`
  switch (relative) {
    case 'TODAY':
      return { fromDate: today, toDate: today }
    case 'YESTERDAY':
      return { fromDate: dateAfter(today, -1), toDate: dateAfter(today, -1) }
    case 'THIS_WEEK':
      return { fromDate: monday, toDate: today }
    case 'LAST_WEEK':
      return { fromDate: dateAfter(monday, -7), toDate: dateAfter(monday, -1) }
    case 'THIS_MONTH':
      return { fromDate: first, toDate: today }
    case 'LAST_MONTH': {
      const last = dateAfter(first, -1)
      return { fromDate: `${last.slice(0, 8)}01`, toDate: last }
    }
  }
}

/**
 * The period before, of the same length: the month before a month, the same days of the week before, or as many days.
 * While the range is in progress it ends at the same local time of its last day. Undefined if it is no longer readable.
 */
export function rangeBefore(filter: DateFilter, range: ReportRange, zone: Zone): ReportRange | undefined {
  const { now } = range
  const { fromDate, toDate } = datesBefore(filter, zone.dateOf(now))
  const from = zone.startOf(fromDate)
  if (range.from >= range.to || from < readableSince(now)) return undefined
  const isInProgress = range.to > now
  const whole = zone.startOf(dateAfter(toDate, 1))
  const to = isInProgress ? Math.min(whole, zone.startOf(toDate) + (range.to - zone.startOf(range.toDate))) : whole
  return { fromDate, toDate, from, to, now }
}

function datesBefore(filter: DateFilter, today: string): Dates {
  const { fromDate, toDate } = 'relative' in filter ? datesOf(filter.relative, today) : filter.absoluteRange
  if ('relative' in filter && (filter.relative === 'THIS_WEEK' || filter.relative === 'LAST_WEEK')) {
    return { fromDate: dateAfter(fromDate, -7), toDate: dateAfter(toDate, -7) }
  }
  if ('relative' in filter && (filter.relative === 'THIS_MONTH' || filter.relative === 'LAST_MONTH')) {
    const lastOfMonth = dateAfter(fromDate, -1)
    const first = `${lastOfMonth.slice(0, 8)}01`
    const sameDay = dateAfter(first, Number(toDate.slice(8)) - 1)
    const isWhole = filter.relative === 'LAST_MONTH' || sameDay > lastOfMonth
    return { fromDate: first, toDate: isWhole ? lastOfMonth : sameDay }
  }
  const last = toDate < today ? toDate : today
  const days = Math.round((Date.parse(last) - Date.parse(fromDate)) / 86_400_000) + 1
  return { fromDate: dateAfter(fromDate, -days), toDate: dateAfter(fromDate, -1) }
}
