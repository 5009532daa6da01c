import { expect, test } from 'vitest'
import { bytesPerCall, isGrowing, type Point, trendOf } from '../bench/soak/trend.ts'

// What the soak test calls a trend, on series with a known answer.

const minute = 60_000
const memory = { amount: 16, share: 0.1 }

/** A sample per minute, with a sawtooth as of garbage collection. */
function series(minutes: number, valueAt: (minute: number) => number, process = 1): Point[] {
  return Array.from({ length: minutes }, (_, n) => ({ at: n * minute, value: valueAt(n) + (n % 5) * 4, process }))
}

test('memory that grows by a megabyte a minute is a trend', () => {
  const trend = trendOf(
    series(60, (n) => 150 + n),
    6 * minute,
  )

  expect(trend?.perHour).toBeCloseTo(60, -1)
  expect(trend && isGrowing(trend, memory)).toBe(true)
})

test('memory that grows during the warm-up only is none', () => {
  const trend = trendOf(
    series(60, (n) => 100 + 10 * Math.min(n, 6)),
    6 * minute,
  )

  expect(trend && isGrowing(trend, memory)).toBe(false)
})

test('neither single peaks nor the new process after a kill are a trend', () => {
  const first = series(30, (n) => (n === 20 ? 900 : 120), 1)
  const second = series(30, () => 180, 2).map((point) => ({ ...point, at: point.at + 30 * minute }))

  const trend = trendOf([...first, ...second], 6 * minute)

  expect(trend && isGrowing(trend, memory)).toBe(false)
})

test('a leak that begins anew with each process is a trend', () => {
  const first = series(30, (n) => 100 + 2 * n, 1)
  const second = series(30, (n) => 100 + 2 * n, 2).map((point) => ({ ...point, at: point.at + 30 * minute }))

  const trend = trendOf([...first, ...second], 3 * minute)

  expect(trend && isGrowing(trend, memory)).toBe(true)
})

test('too few samples of each process give no trend', () => {
  expect(
    trendOf(
      series(5, () => 100),
      0,
    ),
  ).toBeUndefined()
})

test('disk that fills at the same rate per call is explained by its rows; a rising rate is visible', () => {
  const filling = (bytesAfter: (calls: number) => number) =>
    Array.from({ length: 11 }, (_, n) => ({ calls: n * 100, bytes: bytesAfter(n * 100) }))

  expect(bytesPerCall(filling((calls) => 5_000 + calls * 300))).toEqual({ first: 300, second: 300 })
  expect(bytesPerCall(filling((calls) => calls * calls))).toEqual({ first: 500, second: 1_500 })
})
