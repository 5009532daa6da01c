import { frameMs } from '../domain/speech/talk.ts'

const samplesPerFrame = (8_000 * frameMs) / 1_000
/** Level above the noise floor that counts as speech, in dB. */
const onAbove = 12
const offAbove = 6
const quietest = -60
/** How fast the noise floor rises, in dB per frame; it falls at once. */
const rise = 0.04

/**
 * Voice activity detection by level alone, for installations without models: speech probability of each frame at 8 kHz.
 * The noise floor follows the background level.
 */
export class EnergyVad {
  readonly #frame = new Int16Array(samplesPerFrame)
  #filled = 0
  #floor: number | undefined

  detect(samples: Int16Array): Float32Array {
    const found: number[] = []
    for (const sample of samples) {
      this.#frame[this.#filled++] = sample
      if (this.#filled < samplesPerFrame) continue
      this.#filled = 0
      found.push(this.#judge(loudnessOf(this.#frame)))
    }
    return Float32Array.from(found)
  }

  #judge(loudness: number): number {
    const level = Math.max(quietest, loudness)
    const floor = Math.min(level, (this.#floor ?? level) + rise)
    this.#floor = floor
    const above = level - floor
    return above >= onAbove ? 1 : above >= offAbove ? 0.4 : 0
  }
}

/** In dB below full scale. */
function loudnessOf(frame: Int16Array): number {
  let power = 0
  for (const sample of frame) power += sample * sample
  return 10 * Math.log10(Math.max(1, power / frame.length)) - 20 * Math.log10(32_768)
}
