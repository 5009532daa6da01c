import { estimatedMos } from './mos.ts'
import type { Quality } from './voice.ts'

/**
 * Reports of a leg, merged: seconds since the first report, number of reports, then loss in percent and jitter in ms of
 * received and of sent media, and the round trip in ms. Null: not measured. Stored: the order cannot change.
 */
export type QualityPoint = readonly [
  seconds: number,
  reports: number,
  receivedLoss: number | null,
  receivedJitter: number | null,
  sentLoss: number | null,
  sentJitter: number | null,
  roundTrip: number | null,
]

/** Twenty minutes at full resolution; of a longer leg, neighbours are merged. */
export const maxQualityPoints = 240

export function qualityPoint(seconds: number, received: Quality | null, sent: Quality | null): QualityPoint {
  return [
    Math.round(seconds),
    1,
    rounded(received?.lossPct),
    rounded(received?.jitterMs),
    rounded(sent?.lossPct),
    rounded(sent?.jitterMs),
    rounded(sent?.roundTripMs ?? received?.roundTripMs),
  ]
}

const rounded = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Math.round(value * 10) / 10

/** Appends points; the series stays within its bound. */
export function extendSeries(series: readonly QualityPoint[], added: readonly QualityPoint[]): QualityPoint[] {
  let all = [...series, ...added]
  while (all.length > maxQualityPoints) all = mergePairs(all)
  return all
}

const mergePairs = (points: readonly QualityPoint[]): QualityPoint[] =>
  points.flatMap((point, i) => {
    const next = points[i + 1]
    if (i % 2 === 1) return []
    return [next ? merged(point, next) : point]
  })

function merged(a: QualityPoint, b: QualityPoint): QualityPoint {
  const mean = (one: number | null, other: number | null) =>
    one === null || other === null ? (one ?? other) : rounded((one * a[1] + other * b[1]) / (a[1] + b[1]))
  return [b[0], a[1] + b[1], mean(a[2], b[2]), mean(a[3], b[3]), mean(a[4], b[4]), mean(a[5], b[5]), mean(a[6], b[6])]
}

/** One direction of a point with its score. */
export interface DirectionQuality {
  lossPct: number
  jitterMs: number
  roundTripMs: number | null
  mos: number
}

/** Null: not measured. The round trip is that of both directions. */
export function directionsOf(point: QualityPoint): {
  received: DirectionQuality | null
  sent: DirectionQuality | null
} {
  const [, , receivedLoss, receivedJitter, sentLoss, sentJitter, roundTripMs] = point
  return {
    received: scored(receivedLoss, receivedJitter, roundTripMs),
    sent: scored(sentLoss, sentJitter, roundTripMs),
  }
}

function scored(lossPct: number | null, jitterMs: number | null, roundTripMs: number | null): DirectionQuality | null {
  if (lossPct === null || jitterMs === null) return null
  const quality = { lossPct, jitterMs, roundTripMs }
  return { ...quality, mos: estimatedMos(quality) }
}

export interface QualitySummary extends DirectionQuality {
  minMos: number
}

/** The averages of a series, weighted by the number of reports; null if the direction was never measured. */
export function qualitySummaryOf(
  series: readonly QualityPoint[],
  direction: 'received' | 'sent',
): QualitySummary | null {
  const measured = series.flatMap((point) => {
    const quality = directionsOf(point)[direction]
    return quality ? [{ quality, reports: point[1] }] : []
  })
  if (measured.length === 0) return null
  const mean = (of: (quality: DirectionQuality) => number | null) => {
    const known = measured.flatMap(({ quality, reports }) => {
      const value = of(quality)
      return value === null ? [] : [{ value, reports }]
    })
    const total = known.reduce((sum, { reports }) => sum + reports, 0)
    return total === 0 ? null : known.reduce((sum, { value, reports }) => sum + value * reports, 0) / total
  }
  return {
    lossPct: mean(({ lossPct }) => lossPct) ?? 0,
    jitterMs: mean(({ jitterMs }) => jitterMs) ?? 0,
    roundTripMs: mean(({ roundTripMs }) => roundTripMs),
    mos: mean(({ mos }) => mos) ?? 0,
    minMos: Math.min(...measured.map(({ quality }) => quality.mos)),
  }
}
