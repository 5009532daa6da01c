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
