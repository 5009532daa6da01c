// Analytics: names, filters, days, rows and cells. Pure functions: no database access, no clock.
import { wallClock } from '../opening-hours.ts'

/** Local time in one time zone; fast enough for millions of instants. */
export interface Zone {
  name: string
  /** `2026-06-19` */
  dateOf(at: number): string
  /** 0 to 23. */
  hourOf(at: number): number
  /** `2026-06-19T21:39:38+02:00` */
  iso(at: number): string
  /** The first instant of the date: not every date starts at midnight. */
  startOf(date: string): number
  /** Milliseconds ahead of UTC. */
  offsetAt(at: number): number
  /** The instant before `limit` from which another offset is valid, or `limit`. */
  offsetEnd(at: number, limit: number): number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
// Offsets change at full quarters of an hour, so one lookup is valid for the whole quarter.
const slotMs = 15 * minuteMs

export function zoneOf(name: string): Zone {
  const offsets = new Map<number, number>()
  const offsetAt = (at: number): number => {
    const slot = Math.floor(at / slotMs)
    const known = offsets.get(slot)
    if (known !== undefined) return known
    const offset = wallClock(name, slot * slotMs) - slot * slotMs
    offsets.set(slot, offset)
    return offset
  }
  const wall = (at: number) => at + offsetAt(at)
  const dateOf = (at: number) => new Date(wall(at)).toISOString().slice(0, 10)
  return {
    name,
    dateOf,
    hourOf: (at) => Math.floor((((wall(at) % dayMs) + dayMs) % dayMs) / hourMs),
    iso(at) {
      const offset = offsetAt(at)
      return new Date(at + offset).toISOString().slice(0, 19) + signed(offset)
    },
    startOf(date) {
      // No zone is further than 14 hours from UTC. A later instant never has an earlier date.
      const midnight = Date.parse(`${date}T00:00:00Z`)
      let before = Math.floor((midnight - 16 * hourMs) / slotMs)
      let after = Math.ceil((midnight + 16 * hourMs) / slotMs)
      while (after - before > 1) {
        const middle = Math.floor((before + after) / 2)
        if (dateOf(middle * slotMs) < date) before = middle
        else after = middle
      }
      return after * slotMs
    },
    offsetAt,
    offsetEnd(at, limit) {
      const offset = offsetAt(at)
      // Day by day, then the quarter of an hour of that day: no zone changes twice within a day.
      let day = at
      while (day < limit && offsetAt(Math.min(day + dayMs, limit)) === offset) day += dayMs
      if (day >= limit) return limit
      let slot = Math.floor(day / slotMs) + 1
      while (slot * slotMs < limit && offsetAt(slot * slotMs) === offset) slot++
      return Math.min(slot * slotMs, limit)
    },
  }
}

const twoDigits = (n: number) => String(n).padStart(2, '0')

function signed(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / minuteMs)
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

/** Calendar arithmetic: the date this many days later. */
export const dateAfter = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
