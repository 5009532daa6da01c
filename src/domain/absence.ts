import { wallClock } from './opening-hours.ts'

/** How long do not disturb lasts, as selected in the phone app. */
export const absenceDurations = ['30_minutes', '1_hour', 'until_tomorrow'] as const
export type AbsenceDuration = (typeof absenceDurations)[number]

const hourMs = 3_600_000
/** Of the next day, local time. */
const morningHour = 8

export function absenceEndsAt(duration: AbsenceDuration, timeZone: string, at: number): number {
  if (duration === '30_minutes') return at + hourMs / 2
  if (duration === '1_hour') return at + hourMs
  const wall = wallClock(timeZone, at)
  const morning = (Math.floor(wall / (24 * hourMs)) + 1) * 24 * hourMs + morningHour * hourMs
  const guess = at + morning - wall
  // The clocks may change during the night.
  return guess + morning - wallClock(timeZone, guess)
}
