import { expect, test } from 'vitest'
import { estimatedMos } from './mos.ts'

const score = (lossPct: number, jitterMs: number, roundTripMs: number | null) =>
  Number(estimatedMos({ lossPct, jitterMs, roundTripMs }).toFixed(2))

test('a clean G.711 connection is rated as toll quality', () => {
  expect(score(0, 0, null)).toBe(4.38)
  expect(score(0, 0, 40)).toBe(4.37)
})

test('loss, jitter and delay lower the score', () => {
  expect(score(1, 2, 40)).toBe(4.27)
  expect(score(5, 5, 80)).toBe(3.81)
  expect(score(0, 5, 600)).toBe(3.26)
  expect(score(20, 40, 200)).toBeLessThan(2.5)
})

test('the score stays between 1 and 4.5', () => {
  expect(score(100, 1_000, 5_000)).toBe(1)
  expect(score(90, 0, 0)).toBeGreaterThanOrEqual(1)
})
