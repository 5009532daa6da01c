import { bytesPerSecond, encode } from './g711.ts'
import { normalise, toInt16 } from './level.ts'
import { readMp3 } from './read-mp3.ts'
import { readOggFile } from './read-ogg.ts'
import { breathe, resampleInTurns } from './resample.ts'
import { readWav, type Unreadable } from './wav.ts'

export const soundLimits = { bytes: 20 * 1024 * 1024, seconds: 600 } as const

/**
 * Converts any supported audio file to the format of calls: 8 kHz, mono, µ-law, normalized. The type is detected from the
 * bytes, not from the name. `problem` is worded for the user who uploaded the file.
 */
export async function toUlaw8k(bytes: Buffer): Promise<{ ulaw: Buffer; seconds: number } | Unreadable> {
  if (bytes.length > soundLimits.bytes) return { problem: `it is larger than ${soundLimits.bytes / 1024 ** 2} MB` }
  const sound = await readAny(bytes)
  if ('problem' in sound) return sound
  const samples = await resampleInTurns(sound.samples, sound.sampleRate, bytesPerSecond)
  if (samples.length === 0) return { problem: 'it contains no audio' }
  const ulaw = await encodeInTurns(normalise(samples))
  return { ulaw, seconds: ulaw.length / bytesPerSecond }
}

const samplesAtOnce = 80_000

async function encodeInTurns(samples: Float32Array): Promise<Buffer> {
  const pieces: Buffer[] = []
  for (let at = 0; at < samples.length; at += samplesAtOnce) {
    pieces.push(encode('PCMU', toInt16(samples.subarray(at, at + samplesAtOnce))))
    await breathe()
  }
  return Buffer.concat(pieces)
}

async function readAny(bytes: Buffer) {
  switch (audioTypeOf(bytes)) {
    case 'wav':
      return readWav(bytes, soundLimits.seconds)
    case 'mp3':
      return readMp3(bytes, soundLimits.seconds)
    case 'ogg':
      return readOggFile(bytes, soundLimits.seconds)
    case null:
      return { problem: 'it is neither a WAV, an mp3 nor an Ogg file' }
  }
}

/** The type by the first bytes. */
export function audioTypeOf(bytes: Buffer): 'wav' | 'mp3' | 'ogg' | null {
  const text = (from: number, until: number) => bytes.toString('latin1', from, until)
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WAVE') return 'wav'
  if (text(0, 4) === 'OggS') return 'ogg'
  if (text(0, 3) === 'ID3') return 'mp3'
  // ISO 11172-3: eleven set bits, then a version, a layer, a bit rate and a sample rate that exist.
  const head = bytes.length >= 4 ? bytes.readUInt32BE(0) : 0
  const synced = (head & 0xffe0_0000) >>> 0 === 0xffe0_0000
  const layer = (head >>> 17) & 3
  const exists = ((head >>> 19) & 3) !== 1 && layer !== 0 && ((head >>> 12) & 15) !== 15 && ((head >>> 10) & 3) !== 3
  return synced && exists ? 'mp3' : null
}
