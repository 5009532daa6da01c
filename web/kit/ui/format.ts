// Formats of dates, times and durations.

const stamp = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** The API returns UNIX seconds in some fields and ISO 8601 in others. */
export const instantOf = (at: number | string) => new Date(typeof at === 'number' ? at * 1_000 : at)

export function dateTime(at: number | string | null | undefined): string {
  return at === null || at === undefined ? '–' : stamp.format(instantOf(at))
}

export function timeOnly(at: number | string | null | undefined): string {
  return at === null || at === undefined ? '–' : clock.format(instantOf(at))
}

/** A time of day of the API, `08:00` to `24:00`, as the browser writes times. */
export function timeOfDay(time: string): string {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return clock.format(new Date(2_000, 0, 1, hours, minutes))
}

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' })

/** The shortest form: today only the time, this year without the year. */
export function when(at: number | string): string {
  const then = instantOf(at)
  const now = new Date()
  if (then.toDateString() === now.toDateString()) return clock.format(then)
  return then.getFullYear() === now.getFullYear() ? `${day.format(then)}, ${clock.format(then)}` : stamp.format(then)
}

/** 75 seconds are 1:15. */
export function span(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–'
  const whole = Math.max(0, Math.round(seconds))
  const hours = Math.floor(whole / 3_600)
  const minutes = Math.floor((whole % 3_600) / 60)
  const two = (n: number) => String(n).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

export const count = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString()} ${n === 1 ? one : many}`

/** Value of a `datetime-local` input, in the time zone of the browser. */
export const dateTimeField = (ms: number): string =>
  new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
