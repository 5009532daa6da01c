import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { G722Decoder, G722Encoder } from './g722.ts'
import { strengthOf } from './goertzel.ts'

// An independent implementation is the judge: ffmpeg where it is installed, and in any case digests of its output.

function hasFfmpeg(): boolean {
  const isThere = spawnSync('ffmpeg', ['-version'], { stdio: 'ignore' }).status === 0
  if (!isThere) process.stderr.write('\n*** G.722 against ffmpeg is SKIPPED: apt-get install ffmpeg ***\n\n')
  return isThere
}

const ffmpeg = (input: Uint8Array, ...options: string[]): Buffer =>
  execFileSync('ffmpeg', ['-v', 'error', ...options, 'pipe:1'], { input, maxBuffer: 2 ** 26 })

const encodedByFfmpeg = (samples: Int16Array) =>
  ffmpeg(bytesOf(samples), '-f', 's16le', '-ar', '16000', '-ac', '1', '-i', 'pipe:0', '-c:a', 'g722', '-f', 'g722')

const decodedByFfmpeg = (codes: Uint8Array) => ffmpeg(codes, '-f', 'g722', '-i', 'pipe:0', '-f', 's16le')

const bytesOf = (samples: Int16Array) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function encoded(samples: Int16Array, encoder = new G722Encoder()): Uint8Array {
  const codes = new Uint8Array(samples.length / 2)
  encoder.encodeInto(samples, codes, 0)
  return codes
}

function decoded(codes: Uint8Array, decoder = new G722Decoder()): Int16Array {
  const samples = new Int16Array(2 * codes.length)
  decoder.decode(codes, samples)
  return samples
}

/** The same on every machine. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const seconds = (count: number, sampleAt: (i: number) => number): Int16Array =>
  Int16Array.from({ length: count * 16_000 }, (_, i) => Math.max(-32_768, Math.min(32_767, Math.round(sampleAt(i)))))

const tone = (hz: number, loudness = 8_000) => seconds(1, (i) => loudness * Math.sin((2 * Math.PI * hz * i) / 16_000))

const noise = random(1)
const signals = {
  'a sweep over both bands': seconds(2, (i) => 12_000 * Math.sin((2 * Math.PI * (i / 8) * (i / 16_000)) / 2)),
  'noise of changing loudness': seconds(2, (i) => 30_000 * (noise() - 0.5) * Math.sin(i / 5_000) ** 2),
  'a clipped tone': seconds(1, (i) => 60_000 * Math.sin(i / 3)),
  silence: seconds(1, () => 0),
}

describe.skipIf(!hasFfmpeg())('G.722 and ffmpeg agree on every bit', () => {
  test.each(Object.entries(signals))('of %s', (_, samples) => {
    const codes = encodedByFfmpeg(samples)

    expect(digestOf(encoded(samples))).toBe(digestOf(codes))
    expect(digestOf(bytesOf(decoded(codes)))).toBe(digestOf(decodedByFfmpeg(codes)))
  })

  test('of bytes that no encoder would produce', () => {
    const next = random(7)
    const codes = Uint8Array.from({ length: 32_000 }, () => next() * 256)

    expect(digestOf(bytesOf(decoded(codes)))).toBe(digestOf(decodedByFfmpeg(codes)))
  })
})

describe('G.722', () => {
  test('decodes arbitrary bytes to the samples that ffmpeg decodes', () => {
    const next = random(7)
    const codes = Uint8Array.from({ length: 32_000 }, () => next() * 256)

    expect(digestOf(bytesOf(decoded(codes)))).toBe('1c4086cb565aa57950d51eb3e614ff61ee5af90206d913148d9c209bf31ee822')
  })

  test.each([300, 1_000, 3_400, 5_000, 6_500])('carries a tone of %d Hz', (hz) => {
    const received = decoded(encoded(tone(hz))).subarray(4_000)

    expect(strengthOf(hz, received, 16_000)).toBeGreaterThan(7_000)
    expect(strengthOf(hz, received, 16_000)).toBeLessThan(9_000)
  })

  test('a stream continues without a click where an encoder takes over from forwarded bytes', () => {
    const samples = tone(700)
    const [forwarded, encodedHere] = [samples.subarray(0, 8_000), samples.subarray(8_000)]
    const switched = (takeOver: (encoder: G722Encoder, relay: G722Decoder) => void) => {
      const [far, relay, encoder] = [new G722Decoder(), new G722Decoder(), new G722Encoder()]
      const codes = encoded(forwarded)
      decoded(codes, relay)
      // Its filter has the samples of the last frame.
      encoded(forwarded.subarray(-320), encoder)
      takeOver(encoder, relay)
      decoded(codes, far)
      return decoded(encoded(encodedHere, encoder), far)
    }
    const uninterrupted = decoded(encoded(samples)).subarray(8_000)
    const errorOf = (received: Int16Array) =>
      received
        .subarray(0, 320)
        .reduce((most, sample, i) => Math.max(most, Math.abs(sample - (uninterrupted[i] ?? 0))), 0)

    expect(errorOf(switched((encoder, relay) => encoder.continueFrom(relay)))).toBeLessThan(200)
    expect(errorOf(switched(() => {}))).toBeGreaterThan(200)
  })
})
