import { expect, test } from 'vitest'
import { strengthOf } from './goertzel.ts'
import { encodeMp3 } from './mp3.ts'
import { readMp3Sides } from './read-mp3.ts'

const tone = (hz: number, seconds: number) =>
  Float32Array.from({ length: 16_000 * seconds }, (_, i) => 0.4 * Math.sin((2 * Math.PI * hz * i) / 16_000))

test('both sides of a recording come back at the rate of the phone, each with its own sound', async () => {
  const bytes = await encodeMp3([tone(500, 5), tone(1_200, 5)])

  const sides = await readMp3Sides(bytes, 60)

  if ('problem' in sides) throw new Error(sides.problem)
  const [left, right] = sides
  expect(Math.abs((left?.length ?? 0) / 8 - 5_000)).toBeLessThan(200)
  expect(left?.length).toBe(right?.length)
  // In the middle, over the seams of several pieces.
  for (const at of [8_000, 16_000, 24_000]) {
    const part = (side: Int16Array | undefined) => side?.slice(at, at + 800) ?? new Int16Array(0)
    expect(strengthOf(500, part(left), 8_000)).toBeGreaterThan(20 * strengthOf(1_200, part(left), 8_000))
    expect(strengthOf(1_200, part(right), 8_000)).toBeGreaterThan(20 * strengthOf(500, part(right), 8_000))
  }
  expect(await readMp3Sides(bytes, 2)).toEqual({ problem: 'it is longer than 2 seconds' })
})
