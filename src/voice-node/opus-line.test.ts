import { describe, expect, test } from 'vitest'
import { strengthOf } from '../media/goertzel.ts'
import { hasOpus } from '../media/opus.ts'
import { OpusLine } from './opus-line.ts'

/** Packets of 20 ms in which 440 Hz is heard. */
function packets(count: number): Uint8Array[] {
  const line = new OpusLine()
  return Array.from({ length: count }, (_, n) =>
    line.encode(
      Int16Array.from({ length: 160 }, (_, i) => 6_000 * Math.sin((2 * Math.PI * 440 * (n * 160 + i)) / 8_000)),
    ),
  )
}

interface Placed {
  at: number
  samples: Int16Array
}

/** What comes of those packets, in that order; each has its number in the stream. */
function received(order: readonly number[], { sequence = 0, timestamp = 0 } = {}): Placed[] {
  const line = new OpusLine()
  const all = packets(Math.max(...order) + 1)
  const placed: Placed[] = []
  for (const n of order) {
    const payload = all[n] ?? new Uint8Array()
    line.receive((sequence + n) & 0xffff, (timestamp + n * 960) >>> 0, payload, (at, samples) =>
      placed.push({ at, samples }),
    )
  }
  return placed
}

const upTo = (count: number, without: readonly number[] = []) =>
  Array.from({ length: count }, (_, n) => n).filter((n) => !without.includes(n))

describe.skipIf(!hasOpus())('Opus on a leg', () => {
  test('each packet has its place at our rate, also where the numbers begin again at zero', () => {
    const placed = received(upTo(60), { sequence: 65_500, timestamp: 2 ** 32 - 20 * 960 })

    const places = placed.map(({ at }) => at)
    expect(placed.every(({ samples }) => samples.length === 160)).toBe(true)
    expect(places.slice(1).map((at, i) => (at - (places[i] ?? 0)) >>> 0)).toEqual(Array(59).fill(160))
  })

  test('what is lost is guessed in its place, and sounds like what was there', () => {
    const placed = received(upTo(40, [20, 21]))

    expect(placed.map(({ at }) => at)).toEqual(upTo(40).map((n) => n * 160))
    for (const { samples } of placed.slice(20, 22)) expect(strengthOf(440, samples, 8_000)).toBeGreaterThan(2_000)
  })

  test('a longer silence is left to whoever plays it, and one that was overtaken is not heard twice', () => {
    expect(received(upTo(40, upTo(30).slice(10))).length).toBe(20)
    const overtaken = [...upTo(10), 11, 10, 12, 12, 13]
    expect(received(overtaken).map(({ at }) => at / 160)).toEqual(upTo(14))
  })

  test('a gap that keys explain is none, and what is no Opus is silence', () => {
    const line = new OpusLine()
    const [first = new Uint8Array(), next = new Uint8Array()] = packets(2)
    const at: number[] = []
    const put = (place: number) => void at.push(place)

    line.receive(1, 0, first, put)
    for (const sequence of [2, 3, 4]) line.noteKey(sequence)
    line.receive(5, 4 * 960, next, put)
    line.receive(6, 5 * 960, Uint8Array.of(0xff, 0xff, 0xff), put)
    line.receive(7, 6 * 960, new Uint8Array(), put)

    expect(at).toEqual([0, 640])
  })
})
