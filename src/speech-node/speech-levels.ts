import type { SpokenWord } from '../domain/intelligence/engines.ts'

const rate = 16_000
const frameMs = 10
const samplesPerFrame = (rate * frameMs) / 1_000
/** Frames that much quieter than the loud ones are a pause. */
const pauseBelowLoudDb = 30
const loudShare = 0.95
/** A word that would be shorter is left as it is. */
const minWordSeconds = 0.04

/** The attention moves to the next word during a pause: words begin and end with the sound. */
export function withoutPauses(words: readonly SpokenWord[], levels: Float32Array): SpokenWord[] {
  const threshold = pauseThreshold(levels)
  const isSound = (frame: number) => (levels[frame] ?? -Infinity) >= threshold
  return words.map((word) => {
    const last = Math.min(levels.length, Math.ceil((word.end * 1_000) / frameMs))
    let from = Math.floor((word.start * 1_000) / frameMs)
    let until = last
    while (from < last && !isSound(from)) from++
    while (until > from && !isSound(until - 1)) until--
    const start = Math.max(word.start, (from * frameMs) / 1_000)
    const end = Math.min(word.end, (until * frameMs) / 1_000)
    return end - start < minWordSeconds ? word : { ...word, start, end }
  })
}

/** Level of each frame of 10 ms, in dB; the samples are at 16 kHz. */
export function levelsOf(samples: Float32Array): Float32Array {
  const levels = new Float32Array(Math.ceil(samples.length / samplesPerFrame))
  for (let frame = 0; frame < levels.length; frame++) {
    let power = 0
    const part = samples.subarray(frame * samplesPerFrame, (frame + 1) * samplesPerFrame)
    for (const sample of part) power += sample * sample
    levels[frame] = 10 * Math.log10(Math.max(1e-12, power / samplesPerFrame))
  }
  return levels
}

function pauseThreshold(levels: Float32Array): number {
  const sorted = levels.toSorted()
  return (sorted[Math.floor(sorted.length * loudShare)] ?? 0) - pauseBelowLoudDb
}
