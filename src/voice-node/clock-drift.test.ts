import { describe, expect, test } from 'vitest'
import { encode, linearTable, samplesPerFrame } from '../media/g711.ts'
import { G722Encoder } from '../media/g722.ts'
import { hasOpus, opusEncoder } from '../media/opus.ts'
import { G722Receiver } from './g722-receiver.ts'
import { OpusReceiver } from './opus-receiver.ts'
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

interface Receiver {
  receive(timestamp: number, payload: Uint8Array): void
  take(into: Int16Array): void
  underruns: number
  dropped: number
}

/** A far end whose clock is off by that much sends the packets again and again; the delay is that of the last one. */
function repeat(receiver: Receiver, packets: readonly Uint8Array[], clockPerPacket: number, ppm: number) {
  const random = randomFrom(ppm)
  const frame = new Int16Array(320)
  const ticks = 15 * 60 * 50
  let [sent, nextMs, underrunsAtStart] = [0, 0, 0]
  for (let tick = 0; tick < ticks; tick++) {
    for (; nextMs <= tick * 20; sent++, nextMs = (sent * 20) / (1 + ppm / 1e6) + random() * 15) {
      receiver.receive((sent * clockPerPacket) >>> 0, packets[sent % packets.length] ?? new Uint8Array())
    }
    receiver.take(frame)
    if (tick === 3_000) underrunsAtStart = receiver.underruns
  }
  return { underruns: receiver.underruns - underrunsAtStart, driftedFrames: Math.abs(sent - ticks) }
}

describe('a quarter of an hour with a clock that is off by 0.1 %', () => {
  const samples = Int16Array.from({ length: 8_000 }, (_, i) => amplitude * Math.sin((2 * Math.PI * hertz * i) / 16_000))
  const frames = Array.from({ length: 25 }, (_, n) => samples.slice(320 * n, 320 * (n + 1)))

  test.each([1_000, -1_000])('has no gaps with G.722 at %d ppm', (ppm) => {
    const encoder = new G722Encoder()
    const packets = frames.map((frame) => {
      const packet = Buffer.alloc(160)
      encoder.encodeInto(frame, packet, 0)
      return packet
    })
    const receiver = new G722Receiver()
    const adapted: Receiver = {
      receive: (timestamp, payload) => receiver.receive(timestamp, payload, 0, payload.length),
      take: (into) => receiver.take(into),
      get underruns() {
        return receiver.underruns
      },
      get dropped() {
        return receiver.dropped
      },
    }

    const { underruns, driftedFrames } = repeat(adapted, packets, 160, ppm)

    expect(driftedFrames).toBeGreaterThan(40)
    expect(underruns).toBe(0)
    if (ppm > 0) expect(receiver.dropped).toBeGreaterThan(30)
  })

  test.skipIf(!hasOpus()).each([1_000, -1_000])(
    'neither starves nor delays Opus at %d ppm, even without any pause',
    (ppm) => {
      const encoder = opusEncoder(16_000)
      if (!encoder) throw new Error('there is no Opus here')
      const packets = frames.map((frame) => Uint8Array.from(encoder.encode(frame)))
      const receiver = new OpusReceiver(16_000)

      const { underruns, driftedFrames } = repeat(receiver, packets, 960, ppm)

      // A slower far end leaves a frame at a time to conceal; of a faster one what is too much is left out.
      expect(underruns).toBeLessThanOrEqual(ppm > 0 ? 0 : driftedFrames)
      if (ppm > 0) expect(receiver.dropped).toBeGreaterThan(driftedFrames - 10)
    },
  )
})

function randomFrom(seed: number): () => number {
  let state = (Math.abs(seed) + 7) * 7_919 + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
