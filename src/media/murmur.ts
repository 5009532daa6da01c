import { type Random, seededRandom } from '../lib/random.ts'
import { bytesPerFrame, encodeMp3, sampleRate, samplesPerMp3Frame } from './mp3.ts'

// A murmur that has the rhythm and the melody of speech, but no words: the voice of simulated people in demo recordings.

/** One speaker after the other; agents are on the left. A mono file has one channel for all. */
export interface MurmuredPart {
  ms: number
  side: 'left' | 'right'
  /** Fundamental frequency in hertz; null for silence. */
  voice: number | null
}

/** Some seconds of each voice are encoded once and repeated, so that a recording of minutes takes milliseconds. */
export async function mp3OfMurmur(channels: 1 | 2, parts: readonly MurmuredPart[]): Promise<Buffer> {
  const pieces: Buffer[] = []
  let endMs = 0
  let frames = 0
  for (const { ms, side, voice } of parts) {
    endMs += ms
    const until = Math.round((endMs * sampleRate) / (1_000 * samplesPerMp3Frame))
    const chunk = await chunkFor(channels, side, voice)
    for (; frames < until; frames += framesPerChunk) {
      pieces.push(chunk.subarray(0, Math.min(until - frames, framesPerChunk) * bytesPerFrame(channels)))
    }
    frames = until
  }
  return Buffer.concat(pieces)
}

const framesPerChunk = 70
const chunks = new Map<string, Promise<Buffer>>()

function chunkFor(channels: 1 | 2, side: MurmuredPart['side'], voice: number | null): Promise<Buffer> {
  const key = `${channels} ${voice === null ? 'silence' : `${side} ${voice}`}`
  const known = chunks.get(key)
  if (known) return known
  const length = framesPerChunk * samplesPerMp3Frame
  const sound = voice === null ? new Float32Array(length) : voiceOf(voice, length)
  const silence = new Float32Array(length)
  const made = encodeMp3(channels === 1 ? [sound] : side === 'left' ? [sound, silence] : [silence, sound])
  chunks.set(key, made)
  return made
}

const voices = new Map<number, Float32Array>()

function voiceOf(hz: number, length: number): Float32Array {
  const known = voices.get(hz) ?? murmur(hz, length)
  voices.set(hz, known)
  return known
}

/** Formants of a, e, i, o and u, in hertz. */
const vowels = [
  [730, 1_090],
  [530, 1_840],
  [300, 2_250],
  [570, 840],
  [320, 870],
] as const

const loudness = 0.3
const harmonics = 14

function murmur(hz: number, length: number): Float32Array {
  const random = seededRandom(hz)
  const samples = new Float32Array(length)
  for (let at = 0; at < length; ) at += syllable(samples, at, hz, random)
  return samples
}

/** Returns its length, with the pause after some of them. */
function syllable(samples: Float32Array, from: number, hz: number, random: Random): number {
  const [low, high] = random.pick(vowels)
  const size = Math.round(sampleRate * (0.11 + 0.13 * random.next()))
  const pitch = hz * (0.9 + 0.25 * random.next())
  const bend = -0.15 + 0.25 * random.next()
  const weights = Array.from({ length: harmonics }, (_, n) => {
    const tone = pitch * (n + 1)
    return near(tone, low, 110) + 0.5 * near(tone, high, 170) + 0.04 / (n + 1)
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let phase = 0
  for (let i = 0; i < size && from + i < samples.length; i++) {
    const share = i / size
    phase += (2 * Math.PI * pitch * (1 + bend * share)) / sampleRate
    let sample = 0
    // sin((n + 1)x) = 2 cos(x) sin(nx) - sin((n - 1)x)
    const twice = 2 * Math.cos(phase)
    for (let n = 0, before = 0, sine = Math.sin(phase); n < harmonics; n++) {
      sample += (weights[n] ?? 0) * sine
      ;[before, sine] = [sine, twice * sine - before]
    }
    samples[from + i] = (loudness * Math.sin(Math.PI * share) ** 0.7 * sample) / total
  }
  const pause = random.next() < 0.18 ? 0.22 : 0.02
  return size + Math.round(sampleRate * pause)
}

const near = (tone: number, formant: number, width: number) => 1 / (1 + ((tone - formant) / width) ** 2)
