import type { LineGrade } from '../../src/domain/line-quality.ts'

// The audio quality of a call, from the statistics of the browser and the measurements of the server.

export interface Sample {
  received: number
  lost: number
  jitterMs: number
}

export interface Quality {
  grade: 'good' | 'fair' | 'poor'
  lossPercent: number
  jitterMs: number
}

/** The connection between the server and the other party, measured by the server. */
export interface FarQuality {
  received: LineGrade
  sent: LineGrade
}

/** The worse of both connections. Unknown while no audio arrives from the other party. */
export function endToEndQuality(
  own: Quality | null,
  far: FarQuality | undefined,
): { grade: LineGrade; hint: string } | null {
  if (far?.received === 'unknown') return { grade: 'unknown', hint: 'No audio is arriving from the other party' }
  if (!own) return null
  const hint = `${own.lossPercent}% packet loss, ${own.jitterMs} ms jitter`
  const other = far && worse(far.received, far.sent)
  if (!other || worse(own.grade, other) === own.grade) return { grade: own.grade, hint }
  return { grade: other, hint: "The other party's connection is weak" }
}

const order: readonly LineGrade[] = ['unknown', 'good', 'fair', 'poor']

const worse = (a: LineGrade, b: LineGrade): LineGrade => (order.indexOf(a) >= order.indexOf(b) ? a : b)

/** The totals since the start of the call; undefined before the first packet. */
export function sampleOf(reports: Iterable<Record<string, unknown>>): Sample | undefined {
  for (const { type, kind, packetsReceived, packetsLost, jitter } of reports) {
    if (type !== 'inbound-rtp' || kind !== 'audio' || typeof packetsReceived !== 'number') continue
    return {
      received: packetsReceived,
      lost: typeof packetsLost === 'number' ? packetsLost : 0,
      jitterMs: typeof jitter === 'number' ? Math.round(jitter * 1_000) : 0,
    }
  }
  return undefined
}

/** The quality between two samples; null if no packet arrived. */
export function qualityBetween(before: Sample, after: Sample): Quality | null {
  const received = after.received - before.received
  // The total loss may shrink, because late packets are subtracted from it.
  const lost = Math.max(0, after.lost - before.lost)
  if (received <= 0) return null
  const lossPercent = Math.round((lost / (received + lost)) * 1_000) / 10
  return { grade: gradeOf(lossPercent, after.jitterMs), lossPercent, jitterMs: after.jitterMs }
}

function gradeOf(lossPercent: number, jitterMs: number): Quality['grade'] {
  if (lossPercent > 5 || jitterMs > 60) return 'poor'
  return lossPercent > 1.5 || jitterMs > 30 ? 'fair' : 'good'
}
