import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seed } from '../../../test/kit/depth.ts'
import { gapAfter, maxAttempts, maxDelay, nextAttemptAt } from './schedule.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const now = Date.UTC(2026, 5, 15, 9)

const pause = (failed: number, retryAfter: string | null, random = 0.5) =>
  nextAttemptAt(now, failed, random, retryAfter).at - now

const anyFailed = fc.integer({ min: 0, max: maxAttempts - 1 })
// Not fc.double: it is even over the bit patterns, of which nearly all lie next to 0.
const anyRandom = fc.nat(2 ** 31 - 1).map((n) => n / 2 ** 31)

describe('the schedule', () => {
  test('is 13 attempts in 75 h 42 min 35 s', () => {
    const all = Array.from({ length: maxAttempts }, (_, failed) => pause(failed, null))

    expect(all.map((ms) => ms / second)).toEqual([
      0, 5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400, 86_400,
    ])
    expect(all.reduce((sum, ms) => sum + ms)).toBe(75 * hour + 42 * minute + 35 * second)
  })

  test.each([13, -1, 0.5])('there is no gap after %d failed attempts', (failed) => {
    expect(() => gapAfter(failed)).toThrow(RangeError)
  })

  test('spreads each gap by up to 20 % to either side, and the whole stays below 92 h', () => {
    const lowest = Array.from({ length: maxAttempts }, () => Infinity)
    const highest = Array.from({ length: maxAttempts }, () => 0)
    const property = fc.property(fc.array(anyRandom, { minLength: 13, maxLength: 13 }), (randoms) => {
      let total = 0
      for (const [failed, random] of randoms.entries()) {
        const { at, usesRetryAfter } = nextAttemptAt(now, failed, random, null)
        const gap = gapAfter(failed)
        expect(usesRetryAfter).toBe(false)
        expect(Number.isInteger(at)).toBe(true)
        expect(at - now).toBeGreaterThanOrEqual(0.8 * gap)
        expect(at - now).toBeLessThanOrEqual(maxDelay(failed, false))
        lowest[failed] = Math.min(lowest[failed] ?? 0, at - now)
        highest[failed] = Math.max(highest[failed] ?? 0, at - now)
        total += at - now
      }
      expect(total).toBeLessThan(92 * hour)
    })

    fc.assert(property, { seed, numRuns: 2_000 })

    for (let failed = 1; failed < maxAttempts; failed++) {
      // A run that never came near the ends has not looked at the spread.
      expect(lowest[failed]).toBeLessThan(0.85 * gapAfter(failed))
      expect(highest[failed]).toBeGreaterThan(1.15 * gapAfter(failed))
    }
    console.log(`delivery schedule: seed ${seed}, 2000 schedules of ${maxAttempts} attempts`)
  })

  test('evenly distributed random numbers give evenly distributed delays', () => {
    expect([0, 0.25, 0.5, 0.75].map((random) => pause(4, null, random) / minute)).toEqual([8, 9, 10, 11])
  })
})

describe('Retry-After', () => {
  test.each([
    ['seconds', '90', 90 * second],
    ['leading zeros', '00090', 90 * second],
    ['a date', 'Mon, 15 Jun 2026 09:02:00 GMT', 2 * minute],
    ['a date of RFC 850', 'Monday, 15-Jun-26 09:02:00 GMT', 2 * minute],
    ['a date of asctime', 'Mon Jun 15 09:02:00 2026', 2 * minute],
    ['more than an hour', '86400', hour],
    ['a number beyond all numbers', '9'.repeat(400), hour],
    ['a date of next year', 'Tue, 15 Jun 2027 09:00:00 GMT', hour],
  ])('of %s decides', (_, retryAfter, expected) => {
    expect(nextAttemptAt(now, 2, 0.5, retryAfter)).toEqual({ at: now + expected, usesRetryAfter: true })
  })

  test.each([
    ['less than the gap', '29'],
    ['exactly the gap', '30'],
    ['nothing', '0'],
    ['a date gone by', 'Sun, 06 Nov 1994 08:49:37 GMT'],
    ['a date of RFC 850 gone by', 'Sunday, 06-Nov-94 08:49:37 GMT'],
    ['a date of asctime gone by', 'Sun Nov  6 08:49:37 1994'],
  ])('of %s leaves the gap', (_, retryAfter) => {
    expect(nextAttemptAt(now, 2, 0.5, retryAfter)).toEqual({ at: now + 30 * second, usesRetryAfter: false })
  })

  test.each([
    '',
    ' ',
    ' 90',
    '90 ',
    '+90',
    '-90',
    '90.5',
    '9e9',
    '0x5a',
    '٩٠',
    '90, 120',
    'Infinity',
    'soon',
    '2027-06-15T09:00:00Z',
    'Tue, 15 Jun 2027 09:00:00',
    'Tue, 15 Jun 2027 09:00:00 UTC',
    'Tue, 15 Jun 2027 09:00:00 +0000',
    'tue, 15 jun 2027 09:00:00 gmt',
    'Tue, 5 Jun 2027 09:00:00 GMT',
    'Tue, 15 Jux 2027 09:00:00 GMT',
    'Wed, 15 Jun 2027 09:00:00 GMT',
    'Mon, 31 Jun 2027 09:00:00 GMT',
    'Tue, 15 Jun 2027 24:00:00 GMT',
    'Tue, 15 Jun 2027 09:60:00 GMT',
    'Tue, 15 Jun 2027 09:00:00 GMT\n',
    'Tueday, 15-Jun-27 09:00:00 GMT',
    'Tuesday, 15-Jun-2027 09:00:00 GMT',
    'Tue Jun 15 09:00:00 2027 GMT',
    'Tue Jun 1  09:00:00 2027',
  ])('that reads %j counts as absent', (retryAfter) => {
    expect(nextAttemptAt(now, 2, 0.5, retryAfter)).toEqual({ at: now + 30 * second, usesRetryAfter: false })
  })

  test('of two digits for the year means the nearest year that is not far ahead', () => {
    const newYearsEve = Date.UTC(2099, 11, 31, 23, 59)

    expect(nextAttemptAt(newYearsEve, 2, 0.5, 'Friday, 01-Jan-00 00:09:00 GMT')).toEqual({
      at: Date.UTC(2100, 0, 1, 0, 9),
      usesRetryAfter: true,
    })
  })

  test('may double a gap longer than half an hour', () => {
    expect(pause(5, '999999')).toBe(hour)
    expect(pause(7, '999999')).toBe(4 * hour)
    expect(pause(12, '999999')).toBe(48 * hour)
  })

  test('stays within its limits for any value', () => {
    const counts = { retryAfter: 0, gap: 0 }
    const dates = fc.date({ noInvalidDate: true, min: new Date(now - 10 * hour), max: new Date(now + 100 * hour) })
    const header = fc.oneof(
      fc.nat(400_000).map(String),
      dates.map((date) => date.toUTCString()),
      fc.stringMatching(/^\d{1,400}$/),
      fc.string(),
    )
    const property = fc.property(anyFailed, anyRandom, header, (failed, random, retryAfter) => {
      const plain = nextAttemptAt(now, failed, random, null)
      const { at, usesRetryAfter } = nextAttemptAt(now, failed, random, retryAfter)
      counts[usesRetryAfter ? 'retryAfter' : 'gap']++
      if (!usesRetryAfter) {
        expect(at).toBe(plain.at)
        return
      }
      expect(at).toBeGreaterThan(plain.at)
      expect(at - now).toBeLessThanOrEqual(Math.max(2 * (plain.at - now), hour))
      expect(at - now).toBeLessThanOrEqual(maxDelay(failed, true))
    })

    fc.assert(property, { seed, numRuns: 5_000 })

    expect(Math.min(counts.retryAfter, counts.gap)).toBeGreaterThan(500)
    console.log(`Retry-After: seed ${seed}, ${counts.retryAfter} decided, ${counts.gap} left the gap`)
  })

  test('a date is read in each form that HTTP knows', () => {
    const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
    const property = fc.property(fc.integer({ min: 31, max: 3_599 }), fc.nat(20_000), (seconds, day) => {
      const start = now + day * 24 * hour
      const date = new Date(start + seconds * second)
      const [weekday = '', dd = '', month = '', year = '', time = ''] = date.toUTCString().split(' ')
      const forms = [
        `${weekday} ${dd} ${month} ${year} ${time} GMT`,
        `${days[date.getUTCDay()]}, ${dd}-${month}-${year.slice(2)} ${time} GMT`,
        `${weekday.slice(0, 3)} ${month} ${dd.replace(/^0/, ' ')} ${time} ${year}`,
      ]
      for (const form of forms) {
        expect(nextAttemptAt(start, 2, 0.5, form)).toEqual({ at: date.getTime(), usesRetryAfter: true })
      }
    })

    fc.assert(property, { seed, numRuns: 1_000 })
  })
})

describe('after a jump of the clock', () => {
  test.each([
    [1, false, 6 * second],
    [12, false, 28.8 * hour],
    [0, false, 0],
    [1, true, hour],
    [6, true, 2 * hour],
    [12, true, 48 * hour],
  ])('a row with %d failed attempts (Retry-After: %s) lies at most %d ms ahead', (failed, usesRetryAfter, expected) => {
    expect(maxDelay(failed, usesRetryAfter)).toBe(expected)
  })
})
