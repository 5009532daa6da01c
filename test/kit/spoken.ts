import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { decode, encode, samplesPerFrame } from '../../src/media/g711.ts'

// Synthesized telephone speech, and the models that recognize it, where available.

const run = promisify(execFile)

/** Null where they are missing; `npm test` downloads them if possible. */
export function modelsFolder(): string | null {
  const folder = process.env.AI_MODELS_DIR ?? path.join(homedir(), '.cache', 'hookswitch', 'models')
  return existsSync(path.join(folder, 'manifest.json')) ? folder : null
}

function speakersAreThere(): boolean {
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return ['flite', 'espeak-ng', 'sox'].every((name) => folders.some((folder) => existsSync(path.join(folder, name))))
}

export const canSpeak = modelsFolder() !== null && speakersAreThere()

/** `espeak-fr` is the voice `fr` of espeak-ng; `espeak` is its English voice. */
export type Voice = 'slt' | 'espeak' | `espeak-${string}`

/** Band of 300 to 3400 Hz, 8 kHz, through µ-law and back; leading and trailing silence is removed. */
export async function spoken(text: string, voice: Voice = 'slt'): Promise<Int16Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'hookswitch-spoken-'))
  const file = (name: string) => path.join(folder, name)
  if (voice === 'slt') await run('flite', ['-voice', 'slt', '-t', text, '-o', file('wide.wav')])
  else await run('espeak-ng', ['-v', voice.slice('espeak-'.length) || 'en', '-w', file('wide.wav'), text])
  const trim = ['silence', '1', '0.02', '0.5%', 'reverse', 'silence', '1', '0.02', '0.5%', 'reverse']
  const phone = ['-t', 'raw', '-e', 'mu-law', '-r', '8000', '-c', '1', file('phone.ulaw')]
  // SoX dithers with random numbers; without dither, every run recognizes the same audio.
  await run('sox', ['-D', file('wide.wav'), ...phone, 'sinc', '300-3400', 'gain', '-n', '-6', ...trim])
  const samples = decode('PCMU', await readFile(file('phone.ulaw')))
  await rm(folder, { recursive: true, force: true })
  return samples
}

export interface Placed {
  side: 'internal' | 'external'
  text: string
  samples: Int16Array
  startMs: number
  endMs: number
}

/** One after the other with pauses; odd ones are the agent's. */
export async function conversationOf(lines: readonly string[], pauseMs: number, voice?: Voice): Promise<Placed[]> {
  const placed: Placed[] = []
  let at = 1_000
  for (const line of lines) {
    const samples = await spoken(line.slice(2).trim(), voice)
    const endMs = at + samples.length / 8
    placed.push({
      side: line.startsWith('a') ? 'internal' : 'external',
      text: line.slice(2).trim(),
      samples,
      startMs: at,
      endMs,
    })
    at = Math.ceil(endMs + pauseMs)
  }
  return placed
}

/** Two channels; `under` is background noise on both. */
export function sidesWith(placed: readonly Placed[], under: (length: number) => Int16Array): [Int16Array, Int16Array] {
  const length = Math.ceil(((placed.at(-1)?.endMs ?? 0) + 1_500) / 20) * samplesPerFrame
  const sides: [Int16Array, Int16Array] = [under(length), under(length)]
  for (const { side, samples, startMs } of placed) {
    const into = sides[side === 'internal' ? 0 : 1]
    const from = startMs * 8
    for (const [index, sample] of samples.entries()) into[from + index] = (into[from + index] ?? 0) + sample
  }
  return sides
}

export const silence = (length: number) => new Int16Array(length)

/** Deterministic noise of this level. */
export function noise(loudness: number): (length: number) => Int16Array {
  return (length) => {
    let seed = 11
    return Int16Array.from({ length }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      return Math.round((seed / 0x7fffffff - 0.5) * 2 * loudness)
    })
  }
}

/** As written by the media process: interleaved frames of both sides, and the sidecar file. */
export async function writeRaw(file: string, sides: readonly Int16Array[], startedAt: number): Promise<void> {
  const encoded = sides.map((side) => encode('PCMU', side))
  const frames = Math.floor((sides[0]?.length ?? 0) / samplesPerFrame)
  const parts: Uint8Array[] = []
  for (let frame = 0; frame < frames; frame++) {
    for (const side of encoded) parts.push(side.subarray(frame * samplesPerFrame, (frame + 1) * samplesPerFrame))
  }
  await writeFile(file, Buffer.concat(parts))
  const sidecar = { channels: sides.length, startedAt, pauses: [] }
  await writeFile(file.replace(/\.ulaw$/, '.json'), JSON.stringify(sidecar))
}

const wordsIn = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFC')
    .replaceAll('’', "'")
    .match(/[\p{L}']+/gu) ?? []

/** Number of words, as counted by the word error rate. */
export const wordCount = (text: string): number => wordsIn(text).length

/** Word error rate. */
export function wordErrorRate(reference: string, transcript: string): number {
  const [a, b] = [wordsIn(reference), wordsIn(transcript)]
  let row = b.map((_, index) => index + 1)
  row.unshift(0)
  for (const [i, word] of a.entries()) {
    const next = [i + 1]
    for (const [j, other] of b.entries()) {
      const change = (row[j] ?? 0) + (word === other ? 0 : 1)
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return (row.at(-1) ?? 0) / Math.max(1, a.length)
}
