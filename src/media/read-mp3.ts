import { toInt16 } from './level.ts'
import { breathe, resample } from './resample.ts'
import { type DecodedSound, sampleRates, type Unreadable } from './wav.ts'

const bytesAtOnce = 32_768

/** Decodes in chunks: a small file can hold hours of audio. */
export async function readMp3(bytes: Buffer, maxSeconds: number): Promise<DecodedSound | Unreadable> {
  // On first use: most processes never decode.
  const { MPEGDecoder } = await import('mpg123-decoder')
  const decoder = new MPEGDecoder()
  await decoder.ready
  try {
    const pieces: Float32Array[] = []
    let length = 0
    let sampleRate = 0
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      // A long file takes seconds and must not block calls.
      await breathe()
      const piece = decoder.decode(bytes.subarray(at, at + bytesAtOnce))
      // The decoder returns a mono file as two channels.
      const [first] = piece.channelData
      if (!first || piece.samplesDecoded === 0) continue
      sampleRate ||= piece.sampleRate
      if (piece.sampleRate !== sampleRate) return { problem: 'the mp3 file changes its sample rate' }
      length += first.length
      if (length > maxSeconds * sampleRate) return { problem: `it is longer than ${maxSeconds} seconds` }
      pieces.push(first.slice())
    }
    if (length === 0) return { problem: 'the mp3 file contains no audio' }
    if (sampleRate < sampleRates.lowest)
      return { problem: `an mp3 file of ${sampleRate} samples per second is not read` }
    return { sampleRate, samples: joinedChunks(pieces, length) }
  } finally {
    decoder.free()
  }
}

/**
 * Both channels of one of our own recordings at 8 kHz; a mono recording is returned twice. Long recordings are resampled in
 * chunks.
 */
export async function readMp3Sides(bytes: Buffer, maxSeconds: number): Promise<Int16Array[] | Unreadable> {
  const { MPEGDecoder } = await import('mpg123-decoder')
  const decoder = new MPEGDecoder()
  await decoder.ready
  try {
    const sides = [new Halver(), new Halver()]
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      await breathe()
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(bytes.subarray(at, at + bytesAtOnce))
      if (samplesDecoded === 0) continue
      if (sampleRate !== 16_000) return { problem: `an mp3 file of ${sampleRate} samples per second is none of ours` }
      for (const [index, side] of sides.entries()) side.add(channelData[index] ?? channelData[0] ?? new Float32Array(0))
      if ((sides[0]?.length ?? 0) > maxSeconds * 8_000) return { problem: `it is longer than ${maxSeconds} seconds` }
    }
    return sides.map((side) => side.end())
  } finally {
    decoder.free()
  }
}

/** Longer than the filter, on both sides of a chunk. */
const margin = 64

/** From 16 to 8 kHz, in chunks that join seamlessly. */
class Halver {
  readonly #pieces: Int16Array[] = []
  #rest: Float32Array = new Float32Array(0)
  #isFirst = true
  length = 0

  add(samples: Float32Array): void {
    this.#rest = joinedChunks([this.#rest, samples], this.#rest.length + samples.length)
    const until = this.#rest.length - margin
    if (until > 4 * margin) this.#take(until - (until % 2))
  }

  #take(until: number): void {
    const from = this.#isFirst ? 0 : margin
    const halved = toInt16(resample(this.#rest, 16_000, 8_000).subarray(from / 2, until / 2))
    this.#pieces.push(halved)
    this.length += halved.length
    this.#rest = this.#rest.slice(until - margin)
    this.#isFirst = false
  }

  end(): Int16Array {
    this.#take(this.#rest.length - (this.#rest.length % 2))
    const whole = new Int16Array(this.length)
    let at = 0
    for (const piece of this.#pieces) {
      whole.set(piece, at)
      at += piece.length
    }
    return whole
  }
}

export function joinedChunks(pieces: readonly Float32Array[], length: number): Float32Array {
  const whole = new Float32Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
