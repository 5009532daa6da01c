import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { rate as narrowRate, toneGenerator, type Voice, wideRate, wideToneGenerator } from './tones.ts'

const seconds = 240

/** A WAV file with that tone for fake microphones, or with both tones of a wideband voice; longer than any test. */
export async function toneFile(voice: Voice, isWide = false): Promise<string> {
  const nextFrame = isWide ? wideToneGenerator(voice) : toneGenerator(voice)
  const rate = isWide ? wideRate : narrowRate
  const frames = Array.from({ length: seconds * 50 }, () => Buffer.from(nextFrame().buffer))
  const sound = Buffer.concat(frames)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + sound.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(sound.length, 40)
  const file = path.join(await mkdtemp(path.join(inject('runFolder'), 'tone-')), `${voice}.wav`)
  await writeFile(file, Buffer.concat([head, sound]))
  return file
}
