import { encode } from './g711.ts'
import { toInt16 } from './level.ts'

// Computed sounds, free of third-party rights. All are 8 kHz µ-law and begin and end in silence.

const rate = 8_000
const length = (ms: number) => Math.round((ms * rate) / 1_000)

export const beepMs = 500

/** ETSI's ringing tone: a second of 425 Hz, four of silence. */
export const ringback = (): Buffer => cadence([425], 1_000, 4_000)

export const busy = (): Buffer => cadence([425], 500, 500)

export const beep = (): Buffer => cadence([850], beepMs, 0)

/** ITU-T Q.23: a digit is the sum of its row's and its column's tone. */
export const keyTones: Readonly<Record<string, readonly [row: number, column: number]>> = Object.fromEntries(
  [697, 770, 852, 941].flatMap((row, r) =>
    [1_209, 1_336, 1_477, 1_633].map((column, c) => ['123A456B789C*0#D'.charAt(4 * r + c), [row, column] as const]),
  ),
)

function cadence(frequencies: readonly number[], onMs: number, offMs: number): Buffer {
  const samples = new Float32Array(length(onMs + offMs))
  for (const hz of frequencies) addNote(samples, { hz, at: 0, ms: onMs, loudness: 0.2, fadeInMs: 10, fadeOutMs: 10 })
  return encode('PCMU', toInt16(samples))
}

interface Note {
  hz: number
  /** In samples. */
  at: number
  ms: number
  loudness: number
  fadeInMs: number
  fadeOutMs: number
}

function addNote(samples: Float32Array, { hz, at, ms, loudness, fadeInMs, fadeOutMs }: Note): void {
  const count = length(ms)
  const [fadeIn, fadeOut] = [length(fadeInMs), length(fadeOutMs)]
  for (let i = 0; i < count; i++) {
    const envelope = Math.min(1, i / fadeIn, (count - i) / fadeOut)
    // Notes that ring past the end wrap to the start, so that the loop is seamless.
    const place = (at + i) % samples.length
    samples[place] = (samples[place] ?? 0) + loudness * envelope * envelope * Math.sin((2 * Math.PI * hz * i) / rate)
  }
}

const chords = [
  [220, 261.63, 329.63, 440],
  [174.61, 220, 261.63, 349.23],
  [261.63, 329.63, 392, 523.25],
  [196, 246.94, 293.66, 392],
]
const beatMs = 480
const beatsPerChord = 8
const pattern = [0, 2, 1, 3, 2, 1, 3, 2]

/** Soft arpeggios that loop seamlessly: about fifteen seconds. */
export function waitingMusic(): Buffer {
  const samples = new Float32Array(length(beatMs * beatsPerChord * chords.length))
  for (const [index, chord] of chords.entries()) {
    for (let beat = 0; beat < beatsPerChord; beat++) {
      const hz = chord[pattern[beat] ?? 0] ?? 220
      const at = length((index * beatsPerChord + beat) * beatMs)
      addNote(samples, { hz, at, ms: 1_900, loudness: 0.07, fadeInMs: 60, fadeOutMs: 1_800 })
      addNote(samples, { hz: 2 * hz, at, ms: 900, loudness: 0.02, fadeInMs: 40, fadeOutMs: 840 })
    }
    const [root = 220] = chord
    const at = length(index * beatsPerChord * beatMs)
    addNote(samples, { hz: root, at, ms: 3_800, loudness: 0.05, fadeInMs: 400, fadeOutMs: 1_500 })
  }
  return encode('PCMU', toInt16(samples))
}
