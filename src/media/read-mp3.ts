import { breathe } from './resample.ts'
import { type Sound, sampleRates, type Unreadable } from './wav.ts'

const bytesAtOnce = 32_768

/** Read piece by piece: a small file can hold hours. */
export async function readMp3(bytes: Buffer, mostSeconds: number): Promise<Sound | Unreadable> {
  // At the first need: most processes never decode.
  const { MPEGDecoder } = await import('mpg123-decoder')
  const decoder = new MPEGDecoder()
  await decoder.ready
  try {
    const pieces: Float32Array[] = []
    let length = 0
    let sampleRate = 0
    for (let at = 0; at < bytes.length; at += bytesAtOnce) {
      // A long file takes seconds, and calls are waiting.
      await breathe()
      const piece = decoder.decode(bytes.subarray(at, at + bytesAtOnce))
      // A file of one channel is given as two.
      const [first] = piece.channelData
      if (!first || piece.samplesDecoded === 0) continue
      sampleRate ||= piece.sampleRate
      if (piece.sampleRate !== sampleRate) return { problem: 'the mp3 file changes its sample rate' }
      length += first.length
      if (length > mostSeconds * sampleRate) return { problem: `it is longer than ${mostSeconds} seconds` }
      pieces.push(first.slice())
    }
    if (length === 0) return { problem: 'the mp3 file holds no sound' }
    if (sampleRate < sampleRates.lowest)
      return { problem: `an mp3 file of ${sampleRate} samples per second is not read` }
    return { sampleRate, samples: joined(pieces, length) }
  } finally {
    decoder.free()
  }
}

export function joined(pieces: readonly Float32Array[], length: number): Float32Array {
  const whole = new Float32Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
