import { expect, test } from 'vitest'
import {
  directionsOf,
  extendSeries,
  maxQualityPoints,
  type QualityPoint,
  qualityPoint,
  qualitySummaryOf,
} from './quality-series.ts'

const good = { lossPct: 0, jitterMs: 2, roundTripMs: null }
const bad = { lossPct: 10, jitterMs: 40, roundTripMs: 300 }

test('a series of any length stays within its bound and keeps its averages', () => {
  let series: QualityPoint[] = []
  for (let n = 0; n < 3_000; n++) series = extendSeries(series, [qualityPoint(5 * n, n < 1_500 ? good : bad, null)])

  expect(series.length).toBeLessThanOrEqual(maxQualityPoints)
  expect(series.reduce((sum, [, reports]) => sum + reports, 0)).toBe(3_000)
  expect(qualitySummaryOf(series, 'received')?.lossPct).toBeCloseTo(5, 1)
  expect(series.at(-1)?.[0]).toBe(5 * 2_999)
})

test('the round trip of the reports counts for both directions', () => {
  const { received, sent } = directionsOf(qualityPoint(5, good, bad))

  expect(received).toMatchObject({ lossPct: 0, roundTripMs: 300 })
  expect(sent?.mos).toBeLessThan(received?.mos ?? 0)
})

test('a direction that was never measured has no summary', () => {
  const series = [qualityPoint(0, good, null), qualityPoint(5, null, null)]

  expect(qualitySummaryOf(series, 'sent')).toBeNull()
  expect(qualitySummaryOf(series, 'received')).toMatchObject({ lossPct: 0, jitterMs: 2, roundTripMs: null })
})
