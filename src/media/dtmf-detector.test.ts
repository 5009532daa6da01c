import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { keyTones } from './call-sounds.ts'
import { DtmfDetector } from './dtmf-detector.ts'
import { decode, encode } from './g711.ts'
import { readWav } from './wav.ts'

const rate = 8_000
const keys = '1234567890*#ABCD1122'

interface Dialling {
  onMs: number
  offMs: number
  loudness?: number
  /** The high tone in relation to the low one. */
  twist?: number
  detuning?: number
  noise?: number
}

function dialled({ onMs, offMs, loudness = 5_000, twist = 1, detuning = 1, noise = 0 }: Dialling): Int16Array {
  let seed = 1
  const hiss = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return noise * ((2 * seed) / 2_147_483_647 - 1)
  }
  const pause = Array.from({ length: 800 }, hiss)
  const tones = [...keys].flatMap((key) => {
    const [low, high] = keyTones[key] ?? [0, 0]
    const wave = (hz: number, i: number) => Math.sin((2 * Math.PI * hz * detuning * i) / rate)
    return [
      ...Array.from({ length: onMs * 8 }, (_, i) => loudness * (wave(low, i) + twist * wave(high, i)) + hiss()),
      ...Array.from({ length: offMs * 8 }, hiss),
    ]
  })
  return Int16Array.from([...pause, ...tones, ...pause])
}

/** What is detected in it after it went over a line. */
function detected(samples: Int16Array): string {
  let found = ''
  const detector = new DtmfDetector((key) => {
    found += key
  })
  const line = decode('PCMU', encode('PCMU', samples))
  for (let at = 0; at + 160 <= line.length; at += 160) detector.write(line.subarray(at, at + 160))
  return found
}

test.each<[string, Dialling]>([
  ['pressed by hand', { onMs: 120, offMs: 120 }],
  ['as short as Q.24 allows', { onMs: 40, offMs: 40 }],
  ['quiet', { onMs: 80, offMs: 80, loudness: 800 }],
  ['as loud as a line can be', { onMs: 80, offMs: 80, loudness: 14_000 }],
  ['with a weak high tone', { onMs: 80, offMs: 80, twist: 0.56 }],
  ['with a strong high tone', { onMs: 80, offMs: 80, twist: 1.7 }],
  ['1.5 % too high', { onMs: 80, offMs: 80, detuning: 1.015 }],
  ['1.5 % too low', { onMs: 80, offMs: 80, detuning: 0.985 }],
  ['in noise', { onMs: 80, offMs: 80, noise: 800 }],
])('each key is detected once: %s', (_, how) => {
  expect(detected(dialled(how))).toBe(keys)
})

test.each<[string, Dialling]>([
  ['too short to be keys', { onMs: 20, offMs: 60 }],
  ['of other frequencies', { onMs: 80, offMs: 80, detuning: 1.035 }],
])('tones %s are none', (_, how) => {
  expect(detected(dialled(how))).toBe('')
})

test('a packet that is lost in the middle of a key does not make two of it', () => {
  const samples = dialled({ onMs: 160, offMs: 80 })
  const line = samples.map((sample, i) => (Math.floor(i / 160) % 12 === 11 ? 0 : sample))

  expect(detected(line)).toBe(keys)
})

test('speech is no key, loud or quiet, in six languages', () => {
  const folder = path.join(import.meta.dirname, '..', 'drivers', 'prompts')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.wav'))
  let seconds = 0

  for (const name of files) {
    const sound = readWav(readFileSync(path.join(folder, name)), 60)
    if ('problem' in sound) throw new Error(`${name}: ${sound.problem}`)
    expect(sound.sampleRate % rate).toBe(0)
    const step = sound.sampleRate / rate
    for (const gain of [1, 0.3]) {
      const samples = Int16Array.from(
        { length: sound.samples.length / step },
        (_, i) => 32_767 * gain * (sound.samples[i * step] ?? 0),
      )
      expect(detected(samples), name).toBe('')
      seconds += samples.length / rate
    }
  }

  expect(seconds).toBeGreaterThan(200)
})
