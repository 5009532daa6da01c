import { Type } from 'typebox'
import {
  type DirectionQuality,
  directionsOf,
  type QualityPoint,
  type QualitySummary,
  qualitySummaryOf,
} from '../../../domain/quality-series.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { second } from '../../../lib/clock.ts'
import { isoMillis } from '../../../lib/time-format.ts'
import type { LegQuality } from './store.ts'

const figures = {
  loss_percent: Type.Number({ description: 'RTP packets lost' }),
  jitter_ms: Type.Number({ description: 'Interarrival jitter (RFC 3550)' }),
  round_trip_ms: nullable(Type.Number({ description: 'Round trip to the far end; null if it sends no RTCP reports' })),
  mos: Type.Number({ description: 'Estimated mean opinion score, 1 to 4.5, by the E-model of ITU-T G.107' }),
}
const Figures = nullable(Type.Object(figures))
const Summary = nullable(
  Type.Object({ ...figures, min_mos: Type.Number({ description: 'The lowest score of a sample' }) }),
)

export const LegQualityView = Type.Object({
  party: oneOf(['customer', 'agent', 'supervisor', 'external'] as const, {
    description: 'Who is at the far end: `external` is a further party of a conference or transfer',
  }),
  user_id: nullable(Type.Integer()),
  started_at: Type.String({ format: 'date-time' }),
  ended_at: Type.String({ format: 'date-time', description: 'The last report' }),
  received: Summary,
  sent: Summary,
  samples: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time' }),
      seconds: Type.Integer({ description: 'Duration that the sample covers' }),
      received: Figures,
      sent: Figures,
    }),
  ),
})

/** The driver reports every five seconds. */
const reportSeconds = 5

export function legQualityView({ party, userId, startedAt, updatedAt, series }: LegQuality) {
  return {
    party,
    user_id: userId,
    started_at: isoMillis(startedAt),
    ended_at: isoMillis(updatedAt),
    received: summaryView(qualitySummaryOf(series, 'received')),
    sent: summaryView(qualitySummaryOf(series, 'sent')),
    samples: series.map((point) => sampleView(point, startedAt)),
  }
}

function sampleView(point: QualityPoint, startedAt: number) {
  const [seconds, reports] = point
  const { received, sent } = directionsOf(point)
  return {
    at: isoMillis(startedAt + seconds * second),
    seconds: reports * reportSeconds,
    received: figuresView(received),
    sent: figuresView(sent),
  }
}

const tenths = (value: number) => Math.round(value * 10) / 10
const hundredths = (value: number) => Math.round(value * 100) / 100

const figuresView = (quality: DirectionQuality | null) =>
  quality && {
    loss_percent: tenths(quality.lossPct),
    jitter_ms: tenths(quality.jitterMs),
    round_trip_ms: quality.roundTripMs === null ? null : tenths(quality.roundTripMs),
    mos: hundredths(quality.mos),
  }

function summaryView(summary: QualitySummary | null) {
  const shown = figuresView(summary)
  return summary && shown && { ...shown, min_mos: hundredths(summary.minMos) }
}
