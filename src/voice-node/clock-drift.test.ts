import { describe, expect, test } from 'vitest'
import { encode, linearTable, samplesPerFrame } from '../media/g711.ts'
import { JitterQueue } from './queue.ts'

// Hours of a call in simulated time: the clock of the far end is faster or slower than ours, and its packets jitter.

const table = linearTable('PCMU')
const hertz = 440
const amplitude = 6_000
/** 440 Hz repeat after 200 samples. */
const period = 200
const tone = encode(
  'PCMU',
  Int16Array.from({ length: 1_000 }, (_, i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / 8_000)),
)
const steepest = (amplitude * 2 * Math.PI * hertz) / 8_000

interface Hours {
  hours: number
  ppm: number
  ptimeMs: number
  jitterMs: number
}

function carry({ hours, ppm, ptimeMs, jitterMs }: Hours) {
  const queue = new JitterQueue()
  const random = randomFrom(ppm + ptimeMs)
  const samples = ptimeMs * 8
  const sentEveryMs = ptimeMs / (1 + ppm / 1e6)
  const ticks = hours * 3_600 * 50
  const frame = new Int16Array(samplesPerFrame)
  let [sent, nextMs, deepest, last, underrunsAtStart, jumps] = [0, 0, 0, 0, 0, 0]
  for (let tick = 0; tick < ticks; tick++) {
    for (; nextMs <= tick * 20; sent++, nextMs = sent * sentEveryMs + random() * jitterMs) {
      const from = (sent * samples) % period
      queue.put((sent * samples) >>> 0, tone, from, from + samples, table)
    }
    queue.take(frame)
    // The first minute adapts to the jitter.
    if (tick < 3_000) {
      underrunsAtStart = queue.underruns
      last = frame[samplesPerFrame - 1] ?? 0
      continue
    }
    deepest = Math.max(deepest, queue.depth)
    for (let i = 0; i < samplesPerFrame; i++) {
      const sample = frame[i] ?? 0
      if (Math.abs(sample - last) > 1.4 * steepest) jumps++
      last = sample
    }
  }
  return { underruns: queue.underruns - underrunsAtStart, dropped: queue.dropped, deepestMs: deepest / 8, jumps }
}

describe('over hours', () => {
  test.each([
    { hours: 3, ppm: 100, ptimeMs: 20 },
    { hours: 3, ppm: -100, ptimeMs: 20 },
    { hours: 1, ppm: 500, ptimeMs: 60 },
    { hours: 1, ppm: -500, ptimeMs: 60 },
    { hours: 1, ppm: 300, ptimeMs: 10 },
    { hours: 1, ppm: -300, ptimeMs: 30 },
  ])('a far end that is off by $ppm ppm, with packets of $ptimeMs ms, has neither gaps nor growing delay', (drift) => {
    const carried = carry({ jitterMs: 15, ...drift })

    expect(carried).toMatchObject({ underruns: 0, dropped: 0, jumps: 0 })
    expect(carried.deepestMs).toBeLessThanOrEqual(drift.ptimeMs + 120)
  })
})

function randomFrom(seed: number): () => number {
  let state = (Math.abs(seed) + 7) * 7_919 + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
