import { type Day, days } from '../opening-hours.ts'
import type { DateFilter } from './range.ts'
import { dateAfter, type Zone } from './zone.ts'

export const reportFrequencies = ['daily', 'weekly', 'monthly'] as const
type ReportFrequency = (typeof reportFrequencies)[number]

export const reportPeriods = ['previous_day', 'previous_week', 'previous_month'] as const
export type ReportPeriod = (typeof reportPeriods)[number]

/** When a report is sent: at a local time, every day, on a day of the week, or on a day of the month. */
export interface ReportSchedule {
  frequency: ReportFrequency
  /** Of a weekly report. */
  weekday: Day
  /** Of a monthly report; in a shorter month the last day. */
  dayOfMonth: number
  /** `HH:MM` */
  time: string
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Two consecutive days of a monthly report are never further apart. */
const maxDaysApart = 32

/** The first run after an instant. */
export function nextRun(schedule: ReportSchedule, zone: Zone, after: number): number {
  const today = zone.dateOf(after)
  for (let days = 0; days <= maxDaysApart; days++) {
    const date = dateAfter(today, days)
    if (!isOn(schedule, date)) continue
    const at = localInstant(zone, date, schedule.time)
    if (at > after) return at
  }
  throw new Error('a schedule must have a run within a month')
}

/** The last run up to an instant: after an outage only this one is sent. */
export function latestRun(schedule: ReportSchedule, zone: Zone, until: number): number {
  const today = zone.dateOf(until)
  for (let days = 0; days <= maxDaysApart; days++) {
    const date = dateAfter(today, -days)
    if (!isOn(schedule, date)) continue
    const at = localInstant(zone, date, schedule.time)
    if (at <= until) return at
  }
  throw new Error('a schedule must have had a run within a month')
}

function isOn({ frequency, weekday, dayOfMonth }: ReportSchedule, date: string): boolean {
  if (frequency === 'daily') return true
  if (frequency === 'weekly') return days[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7] === weekday
  const isLastDay = dateAfter(date, 1).endsWith('-01')
  const day = Number(date.slice(8))
  return day === dayOfMonth || (isLastDay && day < dayOfMonth)
}

/**
 * The instant of a local time. A time that occurs twice when clocks are set back is the first one; a time that is
 * skipped when they are set forward is the first instant after the gap.
 */
export function localInstant(zone: Zone, date: string, time: string): number {
  const wall = Date.parse(`${date}T${time}:00Z`)
  // No zone is further than 14 hours from UTC, so both sides of a change of the offset are seen.
  const offsets = [zone.offsetAt(wall - 16 * hourMs), zone.offsetAt(wall + 16 * hourMs)]
  const instants = offsets.map((offset) => wall - offset).filter((at) => at + zone.offsetAt(at) === wall)
  if (instants.length > 0) return Math.min(...instants)
  const before = wall - dayMs
  return zone.offsetEnd(before, wall + dayMs)
}

const ranges = { previous_day: 'YESTERDAY', previous_week: 'LAST_WEEK', previous_month: 'LAST_MONTH' } as const

/** The period that a report covers, relative to the day on which it is due. */
export const dateFilterOf = (period: ReportPeriod): DateFilter => ({ relative: ranges[period] })
