import type { AwayReason, Granular } from '../domain/availability.ts'
import { day, hour, minute } from '../lib/clock.ts'
import type { PastCall } from './past-call.ts'

// Generates past status changes of users: start of work, lunch and end of work. No database access.

export interface PastStatus {
  userId: number
  at: number
  granular: Granular
  reason: AwayReason | null
}

interface Stretch {
  from: number
  to: number
}

const days = 30

/** In chronological order per user; all users are offline at the end. */
export function planDays(userIds: readonly number[], calls: readonly PastCall[], at: number): PastStatus[] {
  const today = Math.floor(at / day) * day
  return userIds.flatMap((userId) => {
    const talks = calls
      .flatMap(({ parties }) => parties.filter((party) => party.userId === userId))
      .map(({ joinedAt, leftAt }) => ({ from: joinedAt, to: leftAt }))
      .sort((a, b) => a.from - b.from)
    return Array.from({ length: days + 1 }, (_, i) => today - (days - i) * day).flatMap((midnight) =>
      dayOf(
        userId,
        midnight,
        talks.filter(({ from }) => from >= midnight && from < midnight + day),
        at - minute,
      ),
    )
  })
}

function dayOf(userId: number, midnight: number, talks: readonly Stretch[], end: number): PastStatus[] {
  const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay())
  const [first] = talks
  if (isWeekend && !first) return []
  // Times vary by user and by day.
  const late = ((userId * 7 + midnight / day) % 5) * 4 * minute
  const regular = { from: midnight + 6.75 * hour + late, to: midnight + 15.5 * hour + late }
  const last = Math.max(...talks.map(({ to }) => to), 0)
  const from = Math.min(isWeekend ? Number.POSITIVE_INFINITY : regular.from, (first?.from ?? regular.from) - 5 * minute)
  const to = Math.min(Math.max(isWeekend ? 0 : regular.to, last + 8 * minute), end)
  if (from >= to) return []
  const lunch = { from: midnight + 10.5 * hour + late, to: midnight + 11.25 * hour + late }
  const note = (moment: number, granular: Granular, reason: AwayReason | null = null): PastStatus => {
    return { userId, at: moment, granular, reason }
  }
  const away = [lunch].filter((one) => one.from > from && one.to < to && !talks.some((talk) => overlap(talk, one)))
  const middle = [
    ...merged(talks).map((one) => ({ ...one, word: 'in_call' as const, reason: null })),
    ...away.map((one) => ({ ...one, word: 'do_not_disturb' as const, reason: 'out_for_lunch' as const })),
  ].sort((a, b) => a.from - b.from)
  return [
    note(from, 'available'),
    ...middle.flatMap(({ from, to, word, reason }) => [note(from, word, reason), note(to, 'available')]),
    note(to, 'offline'),
  ]
}

const overlap = (a: Stretch, b: Stretch) => a.from < b.to + minute && b.from < a.to + minute

/** Generated calls may overlap: merges them, since a user is on one call at a time. */
function merged(talks: readonly Stretch[]): Stretch[] {
  const all: Stretch[] = []
  for (const talk of talks) {
    const before = all.at(-1)
    if (before && talk.from <= before.to) before.to = Math.max(before.to, talk.to)
    else all.push({ ...talk })
  }
  return all
}
