import { describe, expect, test } from 'vitest'
import { strengthOf } from './goertzel.ts'
import { Downsampler, Upsampler } from './wideband.ts'

const tone = (hz: number, rate: number) =>
  Int16Array.from({ length: rate }, (_, i) => 8_000 * Math.sin((2 * Math.PI * hz * i) / rate))

function inFrames(samples: Int16Array, [from, to]: [number, number], run: (a: Int16Array, b: Int16Array) => void) {
  const result = new Int16Array((samples.length / from) * to)
  for (let n = 0; n < samples.length / from; n++)
    run(samples.subarray(n * from, (n + 1) * from), result.subarray(n * to, (n + 1) * to))
  return result.subarray(to)
}

const downsampled = (samples: Int16Array) => {
  const filter = new Downsampler()
  return inFrames(samples, [320, 160], (wide, narrow) => filter.run(wide, narrow))
}

const upsampled = (samples: Int16Array) => {
  const filter = new Upsampler()
  return inFrames(samples, [160, 320], (narrow, wide) => filter.run(narrow, wide))
}

describe('between 8 and 16 kHz', () => {
  test.each([200, 1_000, 3_400])('a tone of %d Hz stays as it is, both ways and across frames', (hz) => {
    expect(strengthOf(hz, downsampled(tone(hz, 16_000)), 8_000)).toBeCloseTo(8_000, -2)
    expect(strengthOf(hz, upsampled(tone(hz, 8_000)), 16_000)).toBeCloseTo(8_000, -2)
  })

  test.each([4_600, 5_500, 7_000])('a tone of %d Hz does not return as a lower one', (hz) => {
    expect(strengthOf(8_000 - hz, downsampled(tone(hz, 16_000)), 8_000)).toBeLessThan(20)
  })

  test('narrowband audio has no mirror image above 4 kHz', () => {
    expect(strengthOf(16_000 - 8_000 - 3_000, upsampled(tone(3_000, 8_000)), 16_000)).toBeLessThan(20)
  })

  test('the loudest samples are clipped instead of wrapping around', () => {
    const square = Int16Array.from({ length: 16_000 }, (_, i) => (i % 64 < 32 ? 32_767 : -32_768))

    const quiet = downsampled(square).filter((sample, i, all) => i > 0 && Math.abs(sample - (all[i - 1] ?? 0)) > 65_000)
    expect(quiet.length).toBe(0)
  })
})
