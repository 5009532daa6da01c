import { describe, expect, test } from 'vitest'
import { strengthOf } from '../media/goertzel.ts'
import { hasOpus, opusEncoder } from '../media/opus.ts'
import { OpusDecoder } from '../media/opus-decoder.ts'
import { OpusReceiver } from './opus-receiver.ts'

/** Packets of 20 ms with a tone that rises with every packet, so that each packet is recognizable. */
function packets(count: number): Uint8Array[] {
  const encoder = opusEncoder()
  if (!encoder) throw new Error('there is no Opus here')
  let phase = 0
  return Array.from({ length: count }, (_, n) =>
    Uint8Array.from(
      encoder.encode(
        Int16Array.from({ length: 160 }, () => {
          phase += (2 * Math.PI * pitchOf(n)) / 8_000
          return 6_000 * Math.sin(phase)
        }),
      ),
    ),
  )
}

const pitchOf = (n: number) => 400 + 20 * n

/** The packet whose tone is strongest; null where there is next to nothing. */
function packetIn(frame: Int16Array, count: number): number | null {
  const strengths = Array.from({ length: count }, (_, n) => strengthOf(pitchOf(n), frame, 8_000))
  const best = strengths.indexOf(Math.max(...strengths))
  return (strengths[best] ?? 0) < 300 ? null : best
}

/** The audio when packets arrive as given, those of one tick together. */
function playOut(ticks: readonly (readonly number[])[], { count = 40, timestamp = 0 } = {}) {
  const receiver = new OpusReceiver()
  const all = packets(count)
  const frame = new Int16Array(160)
  const frames = ticks.map((arriving) => {
    for (const n of arriving) receiver.receive((timestamp + n * 960) >>> 0, all[n] ?? new Uint8Array())
    receiver.take(frame)
    return Int16Array.from(frame)
  })
  return { frames, receiver, order: frames.map((one) => packetIn(one, count)) }
}

const steadily = (count: number, without: readonly number[] = []) =>
  Array.from({ length: count + 6 }, (_, n) => (n < count && !without.includes(n) ? [n] : []))

describe.skipIf(!hasOpus())('Opus of a leg', () => {
  test('is played in order, also when timestamps wrap and packets are reordered', () => {
    const ticks = [[0], [1], [3], [2], [4], [6, 5], [7], [8], [10], [9], ...steadily(20).slice(11, 20), [], [], []]
    const { order } = playOut(ticks, { count: 20, timestamp: 2 ** 32 - 5 * 960 })
    const known = order.filter((n) => n !== null)

    // The codec looks ahead: a frame has something of its neighbour.
    expect(known).toEqual([...known].sort((a, b) => a - b))
    expect(new Set(known).size).toBeGreaterThan(17)
  })

  test('a lost packet is recovered from the next one, better than it is guessed', () => {
    const all = packets(30)
    const lost = (repair: (decoder: OpusDecoder) => Int16Array | null) => {
      const decoder = new OpusDecoder()
      for (const packet of all.slice(0, 20)) decoder.decode(packet)
      const samples = repair(decoder)
      return strengthOf(pitchOf(20), samples ?? [], 8_000)
    }
    const next = all[21] ?? new Uint8Array()

    expect(lost((decoder) => decoder.recover(next, 160))).toBeGreaterThan(1.2 * lost((decoder) => decoder.conceal(160)))
    const { order, receiver } = playOut(steadily(40, [20]))
    expect([order.includes(19), order.includes(21), receiver.dropped]).toEqual([true, true, 0])
  })

  test('packets that come late make it wait longer, and a pause in the speech gives the delay back', () => {
    const isSpoken = (n: number) => n < 150 || n >= 560
    const late = (n: number) => (n < 150 && n % 3 === 0 ? 5 : 0)
    const encoder = opusEncoder()
    const receiver = new OpusReceiver()
    const arriving: { n: number; payload: Uint8Array }[][] = Array.from({ length: 640 }, () => [])
    for (let n = 0; n < 600; n++) {
      const tone = Int16Array.from(
        { length: 160 },
        (_, i) => 6_000 * Math.sin((2 * Math.PI * 500 * (n * 160 + i)) / 8_000),
      )
      const payload = Uint8Array.from(encoder?.encode(isSpoken(n) ? tone : new Int16Array(160)) ?? [])
      arriving[n + late(n)]?.push({ n, payload })
    }
    const frame = new Int16Array(160)
    const loudness = arriving.map((some) => {
      for (const { n, payload } of some) receiver.receive(n * 960, payload)
      receiver.take(frame)
      return strengthOf(500, frame, 8_000)
    })

    // Once it has learnt how late packets come, none is missing.
    expect(Math.min(...loudness.slice(60, 150))).toBeGreaterThan(3_000)
    const ends = loudness.findIndex((strength, tick) => tick >= 150 && strength < 1_000)
    const begins = loudness.findIndex((strength, tick) => tick >= 560 && strength > 3_000)
    expect(ends - 150).toBeGreaterThanOrEqual(5)
    expect(begins - 560).toBeLessThan(ends - 150)
  })

  test('silence ends playback, and later packets are played again', () => {
    const ticks = [...steadily(10), ...Array.from({ length: 30 }, () => []), [20], [21], [22], [23], [], []]
    const { frames, order } = playOut(ticks)

    expect(Math.max(...(frames[40] ?? []))).toBe(0)
    expect(order.slice(-4)).toContain(22)
  })

  test('what is no Opus is silence', () => {
    const receiver = new OpusReceiver()
    const frame = new Int16Array(160)

    for (let n = 0; n < 10; n++) {
      receiver.receive(n * 960, n % 2 === 0 ? new Uint8Array() : Uint8Array.of(0xff, 0xff, 0xff))
      receiver.take(frame)
    }

    expect(Math.max(...frame)).toBe(0)
  })
})
