import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { beep, busy, keyTones, ringback, waitingMusic } from './call-sounds.ts'
import { toWav } from './formats.ts'
import { type Codec, decode, encode } from './g711.ts'
import { strengthOf } from './goertzel.ts'
import { measure, normalise, toInt16 } from './level.ts'
import { encodeMp3, sampleRate } from './mp3.ts'
import { readSidecar, sidesOf } from './raw-recording.ts'
import { mp3OfRawFile } from './raw-to-mp3.ts'
import { joinedSamples, resample, StreamResampler } from './resample.ts'
import { audioTypeOf, soundLimits, toUlaw8k } from './to-ulaw.ts'
import { tone } from './tones.ts'
import { readWav } from './wav.ts'

const decibels = (ratio: number) => 20 * Math.log10(ratio)
const ulawOf = async (bytes: Buffer) => {
  const sound = await toUlaw8k(bytes)
  if ('problem' in sound) throw new Error(sound.problem)
  return decode('PCMU', sound.ulaw)
}

describe('G.711', () => {
  test('known codes have the values of the standard', () => {
    const samples = (codec: Codec, codes: number[]) => [...decode(codec, Uint8Array.from(codes))]

    expect(samples('PCMU', [0xff, 0x7f, 0x00, 0x80])).toEqual([0, -0, -32_124, 32_124].map((value) => value + 0))
    expect(samples('PCMA', [0xd5, 0x55, 0x2a, 0xaa])).toEqual([8, -8, -32_256, 32_256])
  })

  test('every code survives, and every sample comes back within a few percent', () => {
    const codes = Uint8Array.from({ length: 256 }, (_, code) => code)
    for (const codec of ['PCMU', 'PCMA'] as const) {
      const again = encode(codec, decode(codec, codes))
      const different = [...codes].filter((code) => again[code] !== code)
      // µ-law has two zeros.
      expect(different).toEqual(codec === 'PCMU' ? [0x7f] : [])
      const samples = Int16Array.from({ length: 6_554 }, (_, i) => i * 10 - 32_768)
      const back = decode(codec, encode(codec, samples))
      const wrong = samples.filter((sample, i) => Math.abs((back[i] ?? 0) - sample) > Math.abs(sample) * 0.04 + 16)
      expect([...wrong]).toEqual([])
    }
  })
})

describe('another rate', () => {
  test.each([
    48_000, 44_100, 22_050, 16_000, 11_025, 8_001,
  ])('from %d Hz a tone stays and what is too high goes', (from) => {
    const keeps = resample(tone(1_000, from, from), from, 8_000)
    expect(Math.abs(decibels(strengthOf(1_000, keeps, 8_000) / 0.25))).toBeLessThan(0.5)
    expect(keeps.length).toBe(8_000)
    if (from < 16_000) return
    // 6 kHz would alias to 2 kHz.
    const goes = resample(tone(6_000, from, from), from, 8_000)
    expect(decibels(strengthOf(2_000, goes, 8_000) / 0.25)).toBeLessThan(-50)
  })

  test.each([
    48_000, 44_100, 24_000, 22_050, 16_000, 11_025, 8_000,
  ])('from %d Hz in pieces of any length the result is that of the whole', (from) => {
    const whole = tone(700, Math.round(from / 3) + 7, from)
    const stream = new StreamResampler(from, 8_000)
    const pieces: Float32Array[] = []
    for (let at = 0, length = 1; at < whole.length; at += length, length = (length * 7) % 1_013) {
      pieces.push(stream.add(whole.slice(at, at + length)))
    }
    pieces.push(stream.end())

    expect(joinedSamples(pieces)).toEqual(resample(whole, from, 8_000))
    expect(pieces[pieces.length - 1]?.length ?? 0).toBeLessThan(40)
  })
})

test('a quiet and a loud speaker come out equally loud, unclipped, and silence stays silence', () => {
  const levels = [0.02, 0.3].map((gain) => {
    const { loudness, peak } = measure(normalise(tone(440, 8_000, 8_000).map((sample) => sample * 4 * gain)))
    expect(peak).toBeLessThanOrEqual(0.951)
    return decibels(loudness)
  })
  expect(Math.abs((levels[0] ?? 0) - (levels[1] ?? 0))).toBeLessThan(1.1)
  expect(Math.abs((levels[1] ?? 0) + 16)).toBeLessThan(0.1)
  expect(normalise(new Float32Array(800)).every((sample) => sample === 0)).toBe(true)
})

describe('reading files', () => {
  const samples = toInt16(tone(440, 16_000, 16_000))

  test('WAV and mp3 become µ-law of the same length and tone', async () => {
    const wav = await ulawOf(toWav(samples, 16_000))
    const mp3 = await ulawOf(await encodeMp3([tone(440, sampleRate, sampleRate)]))

    expect(wav.length).toBe(8_000)
    expect(Math.abs(mp3.length - 8_000)).toBeLessThan(1_200)
    for (const decoded of [wav, mp3]) {
      for (const other of [620, 880, 1_000]) {
        expect(decibels(strengthOf(440, decoded, 8_000) / strengthOf(other, decoded, 8_000))).toBeGreaterThan(30)
      }
    }
  })

  test('what is broken, too much or something else is said, and never thrown', async () => {
    const wav = toWav(samples, 16_000)
    const changed = (at: number, ...bytes: number[]) => {
      const copy = Buffer.from(wav)
      copy.set(bytes, at)
      return copy
    }
    const cases: [Buffer, string][] = [
      [Buffer.alloc(0), 'neither'],
      [Buffer.from('<html>'), 'neither'],
      [Buffer.alloc(soundLimits.bytes + 1), 'larger'],
      [wav.subarray(0, 20), 'no valid header'],
      [wav.subarray(0, 44), 'no audio'],
      [changed(20, 0x55), 'kind 85'],
      [changed(22, 200), '200 channels'],
      [changed(24, 1, 0, 0, 0), '1 samples'],
      [Buffer.from('OggS0000'), 'no audio'],
      [Buffer.from('ID3 and nothing more'), 'no audio'],
      [toWav(new Int16Array(4_001 * 601), 4_001), 'longer than 600'],
    ]
    for (const [bytes, words] of cases)
      expect(await toUlaw8k(bytes), words).toMatchObject({ problem: expect.stringContaining(words) })
  })

  test('random bytes behind a true beginning do no harm', async () => {
    const wav = toWav(samples.subarray(0, 800), 16_000)
    for (let seed = 1; seed < 300; seed++) {
      const broken = Buffer.from(wav)
      for (let i = 0; i < 6; i++)
        broken[12 + ((seed * 7_919 + i * 104_729) % (broken.length - 12))] = (seed * 31 + i * 17) & 0xff
      const result = await toUlaw8k(broken)
      expect('problem' in result || result.ulaw.length > 0).toBe(true)
    }
  })

  test('a file type is detected by its bytes', () => {
    expect(['RIFF____WAVE', 'OggS', 'ID3', 'RIFF____AVI '].map((text) => audioTypeOf(Buffer.from(text)))).toEqual([
      'wav',
      'ogg',
      'mp3',
      null,
    ])
    expect([audioTypeOf(Buffer.from('fff348c4', 'hex')), audioTypeOf(Buffer.from('ffffffff', 'hex'))]).toEqual([
      'mp3',
      null,
    ])
  })

  test('every bundled prompt can be decoded, and the six languages have the same prompts', async () => {
    const folder = path.resolve(import.meta.dirname, '..', 'drivers', 'prompts')
    for (const language of ['en', 'fr', 'es', 'de', 'nl', 'it']) {
      const bytes = readFileSync(path.join(folder, language, 'voicemail.wav'))
      const sound = readWav(bytes, 60)
      expect(readdirSync(path.join(folder, language))).toEqual(readdirSync(path.join(folder, 'en')))
      expect('samples' in sound && sound.samples.length / sound.sampleRate).toBeGreaterThan(1)
      expect(measure(Float32Array.from(await ulawOf(bytes), (sample) => sample / 32_768)).loudness).toBeGreaterThan(
        0.05,
      )
    }
  })
})

test('the computed sounds are whole, none is loud, and the music has no seam', () => {
  const all = [ringback(), busy(), beep(), waitingMusic()].map((sound) => decode('PCMU', sound))

  expect(all.map(({ length }) => length / 8_000)).toEqual([5, 1, 0.5, 15.36])
  for (const samples of all) {
    const highest = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)
    expect(highest).toBeGreaterThan(3_000)
    expect(highest).toBeLessThan(16_000)
    expect(Math.abs((samples[0] ?? 0) - (samples.at(-1) ?? 0))).toBeLessThan(1_500)
  }
  expect([keyTones['1'], keyTones['0'], keyTones['#'], keyTones.D]).toEqual([
    [697, 1_209],
    [941, 1_336],
    [941, 1_477],
    [941, 1_633],
  ])
})

describe('a raw recording', () => {
  const frame = (value: number) => Buffer.alloc(160, encode('PCMU', Int16Array.of(value))[0])

  test('its frames lie in turn, and what was cut off is left out', () => {
    const raw = Buffer.concat([frame(1_000), frame(-8_000), frame(1_000), frame(-8_000), frame(5).subarray(0, 40)])
    const [inside = [], outside = []] = sidesOf(raw, 2)

    expect([inside.length, outside.length]).toEqual([320, 320])
    expect([new Set(inside).size, new Set(outside).size]).toEqual([1, 1])
    expect(Math.abs((outside[7] ?? 0) + 8_000)).toBeLessThan(300)
  })

  test('its mp3 has each side on its own channel', async () => {
    const hum = (hz: number, at: number) => encode('PCMU', toInt16(tone(hz, 8_000, 8_000).subarray(at, at + 160)))
    const raw = Buffer.concat(Array.from({ length: 50 }, (_, i) => [hum(440, i * 160), hum(620, i * 160)]).flat())
    const folder = await mkdtemp(path.join(tmpdir(), 'hookswitch-raw-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'r.ulaw')
    await writeFile(file, raw)
    const { MPEGDecoder } = await import('mpg123-decoder')
    const decoder = new MPEGDecoder()
    await decoder.ready
    const { channelData } = decoder.decode(await mp3OfRawFile(file, 2))
    decoder.free()
    const [left = [], right = []] = channelData

    expect(decibels(strengthOf(440, left, sampleRate) / strengthOf(620, left, sampleRate))).toBeGreaterThan(20)
    expect(decibels(strengthOf(620, right, sampleRate) / strengthOf(440, right, sampleRate))).toBeGreaterThan(20)
  })

  test('what stands beside it is read only when it is that', () => {
    const sidecar = { channels: 2, startedAt: 1, pauses: [{ offsetMs: 5, from: 6, until: null }] }
    expect(readSidecar(JSON.stringify(sidecar))).toEqual(sidecar)
    for (const text of ['null', '{}', '{"channels":3,"startedAt":1,"pauses":[]}'])
      expect(() => readSidecar(text)).toThrow()
  })
})
