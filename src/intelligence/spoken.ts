import { toInt16 } from '../media/level.ts'
import { readMp3 } from '../media/read-mp3.ts'
import { resampleInTurns } from '../media/resample.ts'
import { type DecodedSound, readWav } from '../media/wav.ts'
import { EngineTrouble } from './server.ts'

const maxSeconds = 300

/** Converts synthesized speech to 8 kHz. The format is detected from the bytes; raw samples have the rate `bareRate`. */
export async function at8k(bytes: Buffer, bareRate: number | undefined): Promise<Int16Array> {
  const sound = await soundIn(bytes, bareRate)
  if ('problem' in sound)
    throw new EngineTrouble(`The audio of the speech server cannot be played: ${sound.problem}.`, false)
  return toInt16(await resampleInTurns(sound.samples, sound.sampleRate, 8_000))
}

async function soundIn(bytes: Buffer, bareRate: number | undefined): Promise<DecodedSound | { problem: string }> {
  const begins = bytes.toString('latin1', 0, 4)
  if (begins === 'RIFF') return readWav(withTrueLengths(bytes), maxSeconds)
  if (isMp3(bytes, bareRate)) return readMp3(bytes, maxSeconds)
  if (bareRate === undefined) return { problem: 'it is neither WAV nor mp3' }
  const samples = new Float32Array(bytes.length >> 1)
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i) / 32_768
  return { sampleRate: bareRate, samples }
}

/** The first bytes of raw samples can look like an mp3 frame. */
export const isMp3 = (bytes: Buffer, bareRate: number | undefined) =>
  bytes.toString('latin1', 0, 3) === 'ID3' ||
  (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0 && bareRate === undefined)

// A program that writes to a pipe does not know the length yet and writes 0 or the maximum.
function withTrueLengths(bytes: Buffer): Buffer {
  const at = bytes.indexOf('data', 12, 'latin1')
  if (at < 0 || at + 8 > bytes.length) return bytes
  const declared = bytes.readUInt32LE(at + 4)
  if (declared !== 0 && declared <= bytes.length - at - 8) return bytes
  const mended = Buffer.from(bytes)
  mended.writeUInt32LE(bytes.length - at - 8, at + 4)
  return mended
}
