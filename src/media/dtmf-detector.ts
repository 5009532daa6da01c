import { keyTones } from './call-sounds.ts'
import { strengthOf } from './goertzel.ts'

// In-band DTMF (ITU-T Q.23, Q.24), for far ends without telephone events.

const rate = 8_000
/** 25.6 ms: long enough to separate the frequencies, short enough for the shortest tone. */
const windowSamples = 205
const hopSamples = 80
/** Two windows are 35.6 ms: Q.24 requires tones of 40 ms to be accepted and those below 20 ms to be ignored. */
const windowsOfKey = 2
/** Windows without tones that end a digit, so that a lost packet does not split it. */
const windowsOfPause = 5
/** About -36 dBFS for each tone. */
const minStrength = 500
/** Allowed twist: the low tone may be 6 dB above the high one, the high tone 8 dB above the low one. */
const maxLowOverHigh = 2
const maxHighOverLow = 2.5
/** A tone must be 8 dB above the others of its group. */
const minLead = 2.5
/** Share of the window's power that the two tones must have: speech has overtones. */
const minShare = 0.8
/** The second harmonic of a tone must be 12 dB below it; in speech it is strong. */
const maxOvertone = 0.25
/** Tolerated frequency error: 1.5 %. */
const detunings = [0.985, 1, 1.015] as const

const lowTones = [697, 770, 852, 941] as const
const highTones = [1_209, 1_336, 1_477, 1_633] as const
const keyOf = new Map(Object.entries(keyTones).map(([key, [low, high]]) => [`${low} ${high}`, key]))

/** Reports each digit once, when its tones are certain. */
export class DtmfDetector {
  readonly #report: (digit: string) => void
  readonly #samples = new Float64Array(windowSamples)
  #filled = 0
  #candidate = ''
  #windows = 0
  #pressed = ''
  #silentWindows = 0

  constructor(report: (digit: string) => void) {
    this.#report = report
  }

  write(frame: Int16Array): void {
    for (let i = 0; i < frame.length; i++) {
      this.#samples[this.#filled++] = frame[i] ?? 0
      if (this.#filled < windowSamples) continue
      this.#judge(keyIn(this.#samples))
      this.#samples.copyWithin(0, hopSamples)
      this.#filled = windowSamples - hopSamples
    }
  }

  #judge(key: string): void {
    this.#windows = key !== '' && key === this.#candidate ? this.#windows + 1 : 1
    this.#candidate = key
    this.#silentWindows = key === '' ? this.#silentWindows + 1 : 0
    if (this.#silentWindows >= windowsOfPause) this.#pressed = ''
    if (key === '' || key === this.#pressed || this.#windows < windowsOfKey) return
    this.#pressed = key
    this.#report(key)
  }
}

/** The digit whose tones dominate the samples; empty if there is none. */
function keyIn(samples: Float64Array): string {
  let power = 0
  for (let i = 0; i < samples.length; i++) power += (samples[i] ?? 0) ** 2
  // Fast path for silence and quiet audio.
  if (power / samples.length < minStrength ** 2 * minShare) return ''
  const low = strongest(lowTones, samples)
  const high = strongest(highTones, samples)
  if (!low || !high) return ''
  if (low.strength > high.strength * maxLowOverHigh || high.strength > low.strength * maxHighOverLow) return ''
  const share = ((low.strength ** 2 + high.strength ** 2) / 2) * (samples.length / power)
  if (share < minShare) return ''
  // The harmonic of a low tone may be near the digit's high tone, so both are compared with the stronger one.
  const limit = maxOvertone * Math.max(low.strength, high.strength)
  if (overtone(low, samples) > limit || overtone(high, samples) > limit) return ''
  return keyOf.get(`${low.tone} ${high.tone}`) ?? ''
}

interface Tone {
  tone: number
  /** Where it was found, near the tone. */
  hz: number
  strength: number
}

function strongest(tones: readonly number[], samples: Float64Array): Tone | undefined {
  let best: Tone = { tone: 0, hz: 0, strength: 0 }
  let second = 0
  for (const tone of tones) {
    const strength = strengthOf(tone, samples, rate)
    if (strength > best.strength) {
      second = best.strength
      best = { tone, hz: tone, strength }
    } else second = Math.max(second, strength)
  }
  for (const detuning of detunings) {
    const hz = best.tone * detuning
    const strength = strengthOf(hz, samples, rate)
    if (strength > best.strength) best = { ...best, hz, strength }
  }
  return best.strength >= minStrength && best.strength >= second * minLead ? best : undefined
}

const overtone = ({ hz }: Tone, samples: Float64Array): number => strengthOf(2 * hz, samples, rate)
