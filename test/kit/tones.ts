import { setPriority } from 'node:os'
import { strengthOf } from '../../src/media/goertzel.ts'

// Every party of a test sends its own tone, and a filter detects which tones are audible.

export const rate = 8_000
export const wideRate = 16_000
/** No frequency is a multiple of another. */
export const pitch = { music: 350, agent: 440, caller: 620, supervisor: 830, prompt: 1_000 } as const
export type Voice = keyof typeof pitch
const voices: readonly Voice[] = ['music', 'agent', 'caller', 'supervisor', 'prompt']

/**
 * Level of this tone above the others in dB; -Infinity in silence. Evaluated in windows of 100 ms: a late packet breaks
 * the phase of every tone, and one window over everything would show that as other tones. A mixed tone is present in
 * all windows.
 */
export function standsOut(voice: Voice, samples: ArrayLike<number>, sampleRate = rate): number {
  const others = voices.filter((other) => other !== voice)
  return decibels(voice, others, samples, { sampleRate, scale: 1 })
}

/** For tones that are mixed. */
export const decibelsAbove = (wanted: Voice, unwanted: Voice, samples: ArrayLike<number>, form?: Form): number =>
  decibels(wanted, [unwanted], samples, form)

interface Form {
  sampleRate: number
  /** Full scale of 16-bit samples. */
  scale: number
}

function decibels(
  voice: Voice,
  others: readonly Voice[],
  samples: ArrayLike<number>,
  { sampleRate, scale }: Form = { sampleRate: rate, scale: 1 },
): number {
  const strengths = (one: Voice) => strengthsOf(one, samples, sampleRate).map((strength) => scale * strength)
  // The wanted tone may be missing in some windows because of late packets; the others may hardly be in any.
  const own = part(strengths(voice), 1 / 2)
  if (own < 200) return Number.NEGATIVE_INFINITY
  const loudest = Math.max(...others.map((one) => part(strengths(one), 3 / 4)))
  return 20 * Math.log10(own / Math.max(loudest, 1e-3))
}

/** Amplitude of a tone: about 6,000 where it is audible. */
export const loudnessOf = (voice: Voice, samples: ArrayLike<number>): number =>
  part(strengthsOf(voice, samples, rate), 1 / 2)

/** Amplitude of a tone in the window of 100 ms where it is loudest. */
export const peakOf = (voice: Voice, samples: ArrayLike<number>, { sampleRate, scale }: Form): number =>
  scale * (strengthsOf(voice, samples, sampleRate).at(-1) ?? 0)

/** Per window, weakest first. */
const strengthsOf = (voice: Voice, samples: ArrayLike<number>, sampleRate: number): number[] =>
  windowsOf(samples, sampleRate)
    .map((window) => strengthOf(pitch[voice], window, sampleRate))
    .sort(byValue)

const part = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0

const byValue = (a: number, b: number) => a - b

/** Half overlapping Hann windows, so that a tone does not leak to its neighbours. */
function windowsOf(samples: ArrayLike<number>, sampleRate: number): Float64Array[] {
  const length = sampleRate / 10
  const count = Math.max(0, Math.floor((2 * samples.length) / length) - 1)
  return Array.from({ length: count }, (_, n) =>
    Float64Array.from(
      { length },
      (_, i) => (samples[(n * length) / 2 + i] ?? 0) * (1 - Math.cos((2 * Math.PI * (i + 0.5)) / length)),
    ),
  )
}

export const loudest = (samples: Int16Array): number =>
  samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)

/** The minimum of any ten milliseconds. */
export const quietest = (samples: Int16Array): number =>
  Math.min(...Array.from({ length: samples.length / 80 }, (_, i) => loudest(samples.subarray(i * 80, (i + 1) * 80))))

/** Audio received but not yet analysed when something changes. */
const transition = 0.2 * rate
const stretch = 0.3 * rate

/** Records the audio sent to one party, and lets tests wait for audio instead of time. */
export class ReceivedAudio {
  #samples: number[] = []
  #waiting: { until: number; resolve: () => void }[] = []
  readonly #patience: number

  /** In seconds of audio, not of time. */
  constructor(patienceSeconds = 60) {
    this.#patience = patienceSeconds * rate
  }

  push(samples: Int16Array): void {
    for (const sample of samples) this.#samples.push(sample)
    this.#waiting = this.#waiting.filter(({ until, resolve }) => {
      if (this.#samples.length < until) return true
      resolve()
      return false
    })
  }

  /** Number of received samples. */
  get length(): number {
    return this.#samples.length
  }

  /** All samples received since then. */
  since(sample: number): Int16Array {
    return Int16Array.from(this.#samples.slice(sample))
  }

  /** The next 300 ms after this moment. */
  next(): Promise<Int16Array> {
    return this.#from(this.#samples.length + transition)
  }

  async #from(start: number): Promise<Int16Array> {
    const until = start + stretch
    if (this.#samples.length < until) await new Promise<void>((resolve) => this.#waiting.push({ until, resolve }))
    return Int16Array.from(this.#samples.slice(start, until))
  }

  /**
   * Resolves with the first 300 ms that satisfy the condition. On a busy machine packets arrive late or in bursts, but
   * audible tones appear in one of the next windows. Windows are contiguous: the microphone of a test browser beeps
   * briefly every half second.
   */
  async until(isTrue: (samples: Int16Array) => boolean): Promise<Int16Array> {
    const last = this.#samples.length + this.#patience
    for (let start = this.#samples.length + transition; ; start += stretch) {
      const samples = await this.#from(start)
      if (isTrue(samples)) return samples
      if (start > last) throw new Error(`not received: ${summary(samples)}`)
    }
  }

  /** Resolves when it receives this tone, and no other one within 20 dB of it. */
  onlyTone(voice: Voice): Promise<Int16Array> {
    return this.until((samples) => standsOut(voice, samples) > 20)
  }

  silence(): Promise<Int16Array> {
    return this.until((samples) => loudest(samples) < 100)
  }
}

const summary = (samples: Int16Array) =>
  Object.entries(pitch)
    .map(([voice, hz]) => `${voice} ${Math.round(strengthOf(hz, samples, rate))}`)
    .join(', ')

const speeches = new Map<Voice, { samples: Int16Array; played(): void }>()

/** The next sender of that tone plays this instead, once, and is silent then; resolves when it was played. */
export function speakAs(voice: Voice, samples: Int16Array): Promise<void> {
  return new Promise((played) => speeches.set(voice, { samples, played }))
}

/** Frames of 20 ms of a tone. */
export function toneGenerator(voice: Voice): () => Int16Array {
  let at = 0
  const speech = speeches.get(voice)
  speeches.delete(voice)
  return () => {
    if (speech) {
      const part = Int16Array.from({ length: 160 }, (_, i) => speech.samples[at + i] ?? 0)
      at += 160
      if (at >= speech.samples.length) speech.played()
      return part
    }
    const frame = Int16Array.from(
      { length: 160 },
      (_, i) => 6_000 * Math.sin((2 * Math.PI * pitch[voice] * (at + i)) / rate),
    )
    at += 160
    return frame
  }
}

/** Far above the band of the telephone network. */
const trebleHz = (voice: Voice): number => 5_000 + pitch[voice]

/** Frames of 20 ms at 16 kHz: the tone, and a second one that narrowband audio cannot carry. */
export function wideToneGenerator(voice: Voice): () => Int16Array {
  let at = 0
  const wave = (hz: number, i: number) => Math.sin((2 * Math.PI * hz * i) / wideRate)
  return () => {
    const frame = Int16Array.from(
      { length: 320 },
      (_, i) => 6_000 * wave(pitch[voice], at + i) + 4_000 * wave(trebleHz(voice), at + i),
    )
    at += 320
    return frame
  }
}

/** Whether the samples have the high tone of that voice. */
export const hasTreble = (voice: Voice, samples: ArrayLike<number>, sampleRate = wideRate): boolean =>
  strengthOf(trebleHz(voice), samples, sampleRate) > 1_000

let speaking = 0

/** Calls every 20 ms on average until stopped. */
export function every20ms(run: () => void): () => void {
  let due = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    if (now - due > 1_000) due = now
    for (; due <= now; due += 20) run()
  }, 10)
  if (++speaking === 1) prioritise(-10)
  let isRunning = true
  return () => {
    clearInterval(timer)
    if (isRunning && --speaking === 0) prioritise(0)
    isRunning = false
  }
}

/** High priority like the media process: a far end that sends late is a bad network, which is not under test. */
function prioritise(niceness: number): void {
  try {
    setPriority(niceness)
  } catch {
    // Requires root.
  }
}
