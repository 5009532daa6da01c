import { toInt16 } from './level.ts'
import { breathe, joinedSamples, StreamResampler } from './resample.ts'
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
    return { sampleRate, samples: joinedSamples(pieces) }
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
    const sides = [0, 1].map(() => ({ resampler: new StreamResampler(16_000, 8_000), pieces: [] as Float32Array[] }))
    let length = 0
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      await breathe()
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(bytes.subarray(at, at + bytesAtOnce))
      if (samplesDecoded === 0) continue
      if (sampleRate !== 16_000) return { problem: `an mp3 file of ${sampleRate} samples per second is none of ours` }
      for (const [index, { resampler, pieces }] of sides.entries()) {
        pieces.push(resampler.add(channelData[index] ?? channelData[0] ?? new Float32Array(0)))
      }
      length += samplesDecoded
      if (length > maxSeconds * sampleRate) return { problem: `it is longer than ${maxSeconds} seconds` }
    }
    return sides.map(({ resampler, pieces }) => toInt16(joinedSamples([...pieces, resampler.end()])))
  } finally {
    decoder.free()
  }
}
