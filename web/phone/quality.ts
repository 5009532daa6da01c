import type { LineGrade } from '../../src/live/protocol.ts'

// How good the sound is that arrives: counted by the browser, judged here.

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

/** The line beyond the server, as the server measures it. */
export interface FarQuality {
  received: LineGrade
  sent: LineGrade
}

/** Both parts of the way together: the worse one counts. Without sound from the other party nothing is known. */
export function wholeWay(own: Quality | null, far: FarQuality | undefined): { grade: LineGrade; hint: string } | null {
  if (far?.received === 'unknown') return { grade: 'unknown', hint: 'No sound arrives from the other party' }
  if (!own) return null
  const hint = `${own.lossPercent} % of the sound lost, ${own.jitterMs} ms unsteady`
  const other = far && worse(far.received, far.sent)
  if (!other || worse(own.grade, other) === own.grade) return { grade: own.grade, hint }
  return { grade: other, hint: "The other party's line is weak" }
}

const order: readonly LineGrade[] = ['unknown', 'good', 'fair', 'poor']

const worse = (a: LineGrade, b: LineGrade): LineGrade => (order.indexOf(a) >= order.indexOf(b) ? a : b)

/** What the browser has counted since the call began; undefined before anything has come. */
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

/** Of what came between two looks; null when nothing did. */
export function qualityBetween(before: Sample, after: Sample): Quality | null {
  const received = after.received - before.received
  // Late packets are taken off the loss again, so that it may shrink.
  const lost = Math.max(0, after.lost - before.lost)
  if (received <= 0) return null
  const lossPercent = Math.round((lost / (received + lost)) * 1_000) / 10
  return { grade: gradeOf(lossPercent, after.jitterMs), lossPercent, jitterMs: after.jitterMs }
}

function gradeOf(lossPercent: number, jitterMs: number): Quality['grade'] {
  if (lossPercent > 5 || jitterMs > 60) return 'poor'
  return lossPercent > 1.5 || jitterMs > 30 ? 'fair' : 'good'
}
