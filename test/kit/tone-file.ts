import { mkdtemp, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { inject } from 'vitest'
import { toWav } from '../../src/media/formats.ts'
import { rate as narrowRate, toneGenerator, type Voice, wideRate, wideToneGenerator } from './tones.ts'

const seconds = 240

/** A WAV file with that tone for fake microphones, or with both tones of a wideband voice; longer than any test. */
export async function toneFile(voice: Voice, isWide = false): Promise<string> {
  const nextFrame = isWide ? wideToneGenerator(voice) : toneGenerator(voice)
  const rate = isWide ? wideRate : narrowRate
  const samples = new Int16Array(seconds * rate)
  for (let at = 0; at < samples.length; at += rate / 50) samples.set(nextFrame(), at)
  const file = path.join(await mkdtemp(path.join(inject('runFolder'), 'tone-')), `${voice}.wav`)
  await writeFile(file, toWav(samples, rate))
  return file
}
