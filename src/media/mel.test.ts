import { expect, test } from 'vitest'
import { logMel, melBands } from './mel.ts'

const tone = (hz: number, seconds = 2) =>
  Float32Array.from({ length: 16_000 * seconds }, (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / 16_000))

/** The loudest band of the frame at one second. */
function loudestBand(mel: Float32Array): number {
  const column = Array.from({ length: melBands }, (_, band) => mel[band * 3_000 + 100] ?? 0)
  return column.indexOf(Math.max(...column))
}

test('a tone is loudest in the band it belongs to', () => {
  // Bands lie a little over 37 Hz apart below 1 kHz, and the first has its top at one step.
  expect([200, 400, 800].map((hz) => loudestBand(logMel(tone(hz))))).toEqual([4, 10, 20])
  expect(loudestBand(logMel(tone(6_000)))).toBeGreaterThan(65)
})

test('silence is as low as it can be, and the scale spans two', () => {
  const mel = logMel(tone(400))

  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of mel) [low, high] = [Math.min(low, value), Math.max(high, value)]
  expect(mel).toHaveLength(80 * 3_000)
  expect(high - low).toBeCloseTo(2, 5)
  expect(mel[2_999]).toBeCloseTo(low, 5)
})
