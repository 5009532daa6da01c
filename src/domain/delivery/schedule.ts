// The rules of webhook delivery as pure functions: retry schedule, endpoint health and assignment to workers. Sending
// and storage are elsewhere; results, times and random numbers are passed in.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The delay before each attempt, counted from the end of the previous attempt. */
const gaps = [
  0,
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  1 * hour,
  2 * hour,
  4 * hour,
  8 * hour,
  12 * hour,
  24 * hour,
  24 * hour,
] as const

export const maxAttempts = gaps.length

/** Number of first attempts during which later events of the same resource wait. */
export const blockingAttempts = 4

/** The delay in ms before the next attempt, after `failed` failed attempts. */
export function gapAfter(failed: number): number {
  const gap = gaps[failed]
  if (gap === undefined) throw new RangeError(`no attempt follows ${failed} failed ones`)
  return gap
}

/**
 * `random` in [0, 1) shifts the delay by up to 20 % in either direction, so that deliveries that failed together are
 * not retried together; 0.5 is the nominal delay. `usesRetryAfter`: the delay is that of the endpoint's Retry-After.
 */
export function nextAttemptAt(
  now: number,
  failed: number,
  random: number,
  retryAfter: string | null,
): { at: number; usesRetryAfter: boolean } {
  const gap = Math.round(gapAfter(failed) * (0.8 + 0.4 * random))
  const requestedDelay = retryAfter === null ? null : parseRetryAfter(retryAfter, now)
  if (requestedDelay === null || requestedDelay <= gap) return { at: now + gap, usesRetryAfter: false }
  // The second bound keeps a long delay with maximum jitter within the limit for clock jumps.
  const limit = Math.min(maxRequestedDelay(gap), maxDelay(failed, true))
  return { at: now + Math.min(requestedDelay, limit), usesRetryAfter: true }
}

/** Maximum delay of a queued delivery; a row beyond it was written by a clock that jumped. */
export function maxDelay(failed: number, usesRetryAfter: boolean): number {
  const gap = gapAfter(failed)
  return usesRetryAfter ? maxRequestedDelay(gap) : Math.round(1.2 * gap)
}

const maxRequestedDelay = (gap: number) => Math.max(2 * gap, hour)

/** RFC 9110 §10.2.3: delay-seconds or HTTP-date. Null for anything else. */
function parseRetryAfter(retryAfter: string, now: number): number | null {
  // A number too large for any date becomes Infinity and is clamped by the bounds.
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * second
  const date = httpDate(retryAfter, now)
  return date === null ? null : date - now
}

// RFC 9110 §5.6.7: IMF-fixdate, and the two obsolete forms that a recipient must still read.
const httpDates = [
  /^(?<weekday>\w{3}), (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?<weekday>Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^(?<weekday>\w{3}) (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
]
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function httpDate(text: string, now: number): number | null {
  const parts = httpDates.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!parts) return null
  const { weekday = '', month = '', time = '' } = parts
  const day = (parts.day ?? '').replace(' ', '0')
  const year = parts.year?.length === 2 ? fullYear(Number(parts.year), now) : Number(parts.year)
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  const date = Date.UTC(year, months.indexOf(month), Number(day), hours, minutes, seconds)
  // Formatted again it must be identical, or it named a day, hour or weekday that does not exist.
  const written = `${weekday.slice(0, 3)}, ${day} ${month} ${year} ${time} GMT`
  return new Date(date).toUTCString() === written ? date : null
}

/** RFC 9110 §5.6.7: two digits that would lie more than 50 years ahead mean the century before. */
function fullYear(twoDigits: number, now: number): number {
  const latest = new Date(now).getUTCFullYear() + 50
  return latest - ((latest - twoDigits) % 100)
}
