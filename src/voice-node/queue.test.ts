import { describe, expect, test } from 'vitest'
import { encode, linearTable } from '../media/g711.ts'
import { JitterQueue } from './queue.ts'

const table = linearTable('PCMU')
// The loud half of the negative codes: all different, none of them silence.
const codeOf = (n: number) => n % 100
const numberOf = (sample: number) => encode('PCMU', Int16Array.of(sample))[0] ?? null

/** A queue that is fed numbers instead of sound: the n-th packet holds the n-th code, and a hundred later it begins again. */
function feed(samplesPerPacket = 160, start = 0) {
  const queue = new JitterQueue()
  const put = (n: number) => {
    const bytes = Buffer.alloc(samplesPerPacket, codeOf(n))
    queue.put((start + n * samplesPerPacket) >>> 0, bytes, 0, bytes.length, table)
  }
  const frame = new Int16Array(160)
  /** The value at the beginning and at the end of the next frame, in packets; null is silence. */
  const take = () => {
    queue.take(frame)
    return [frame[0] ?? 0, frame[159] ?? 0].map((value) => (value === 0 ? null : numberOf(value)))
  }
  return { queue, put, take, frame }
}

describe('the queue of a leg', () => {
  test('it waits for two frames, then gives them out one by one', () => {
    const { put, take } = feed()
    put(0)
    expect(take()).toEqual([null, null])
    put(1)
    expect([take(), take()]).toEqual([
      [0, 0],
      [1, 1],
    ])
  })

  test.each([80, 240, 320, 480])('packets of %d samples become frames of 160', (samples) => {
    const { queue, put, take } = feed(samples)
    const packets = 4_800 / samples
    const taken: (number | null)[] = []
    let sent = 0
    for (let at = 0; at < 4_800; at += 160) {
      // A little ahead, as they come in life.
      for (; sent < packets && sent * samples < at + 640; sent++) put(sent)
      taken.push(...take())
    }
    expect(taken).toEqual([...taken].sort((a, b) => (a ?? 0) - (b ?? 0)))
    expect([taken[0], taken.at(-1), queue.underruns]).toEqual([0, packets - 1, 0])
  })

  test('packets out of order are put in order, over the end of the timestamps too', () => {
    const { put, take } = feed(160, 4_294_967_296 - 320)
    for (const n of [1, 0, 3, 2, 4]) put(n)

    expect([take(), take(), take(), take(), take()].map(([first]) => first)).toEqual([0, 1, 2, 3, 4])
  })

  test('one that is lost is a fading repetition, and the next ones are in time', () => {
    const { put, take, frame } = feed()
    for (const n of [0, 1, 3]) put(n)
    take()
    take()

    take()
    expect(frame[0]).toBe(table[1])
    expect((frame[159] ?? 0) / (table[1] ?? 1)).toBeCloseTo(0.6, 1)
    expect(take()).toEqual([3, 3])
  })

  test('when nothing comes it fades to silence, counts it once, and waits for two frames again', () => {
    const { queue, put, take, frame } = feed()
    put(0)
    put(1)
    for (let i = 0; i < 7; i++) take()
    expect([frame.every((sample) => sample === 0), queue.underruns]).toEqual([true, 1])

    put(7)
    expect(take()).toEqual([null, null])
    put(8)
    expect(take()).toEqual([7, 7])
  })

  test('above eight frames the oldest go, and are counted', () => {
    const { queue, put, take } = feed()
    for (let n = 0; n < 9; n++) put(n)

    expect(take()).toEqual([5, 5])
    expect(queue.dropped).toBe(5)
  })

  test('a burst does not delay the rest of the call', () => {
    const { queue, put, take } = feed()
    for (let n = 0; n < 8; n++) put(n)
    let last = 0
    for (let n = 8; n < 900; n++) {
      put(n)
      last = take()[0] ?? last
    }
    expect(99 - last).toBeLessThanOrEqual(4)
    expect(queue.underruns).toBe(0)
  })

  test('a restarted stream is followed, and late packets are dropped', () => {
    const { queue, put, take } = feed()
    for (const n of [110, 111, 112]) put(n)
    take()
    take()
    put(110)
    expect(take()).toEqual([12, 12])

    for (const n of [1_044, 1_045]) put(n)
    expect(take()).toEqual([44, 44])
    expect(queue.dropped).toBe(0)
    queue.put(0, Buffer.alloc(5_000), 0, 5_000, table)
    queue.put(0, Buffer.alloc(0), 0, 0, table)
  })
})
