import { expect, test } from 'vitest'
import { VoiceActivityDetector } from '../domain/speech/talk.ts'
import { EnergyVad } from './energy-vad.ts'

/** Noise of a steady seed, so loud; from a small generator that is the same everywhere. */
function noise(samples: number, loudness: number): Int16Array {
  let seed = 7
  return Int16Array.from({ length: samples }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.round((seed / 0x7fffffff - 0.5) * 2 * loudness)
  })
}

test('what is much louder than the noise of the line is speech, and the noise is not', () => {
  const line = noise(8_000 * 6, 200)
  line.set(noise(8_000 * 2, 6_000), 8_000 * 2)
  const vad = new EnergyVad()
  const talk = new VoiceActivityDetector()

  const facts = [...talk.process(vad.detect(line)), ...talk.end()]

  expect(facts).toHaveLength(1)
  const [{ startMs, endMs } = { startMs: 0, endMs: 0 }] = facts.flatMap((fact) =>
    fact.kind === 'segment' ? [fact] : [],
  )
  expect(Math.abs(startMs - 2_000)).toBeLessThanOrEqual(64)
  expect(Math.abs(endMs - 4_000)).toBeLessThanOrEqual(64)
})

test('silence and steady noise hold nothing', () => {
  const activityIn = (samples: Int16Array) => {
    const talk = new VoiceActivityDetector()
    return [...talk.process(new EnergyVad().detect(samples)), ...talk.end()]
  }

  expect(activityIn(new Int16Array(8_000 * 4))).toEqual([])
  expect(activityIn(noise(8_000 * 4, 3_000))).toEqual([])
})
