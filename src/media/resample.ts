/** Half the length of the filter, in periods of the lower of the two rates. */
const reach = 16
/** Telephone bandwidth ends at 3.4 kHz; at other rates the same share of the band is kept. */
const bandKept = 0.85

/**
 * Resamples with a windowed sinc low-pass filter. Its coefficients are computed once for each phase of an output sample
 * between two input samples.
 */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return samples
  const result = new Float32Array(Math.floor((samples.length * to) / from))
  resampling(from, to).compute(samples, result, 0)
  return result
}

const samplesAtOnce = 8_192

/** The same without blocking the event loop: ten minutes of audio take seconds. */
export async function resampleInTurns(samples: Float32Array, from: number, to: number): Promise<Float32Array> {
  if (from === to) return samples
  const { compute } = resampling(from, to)
  const result = new Float32Array(Math.floor((samples.length * to) / from))
  for (let at = 0; at < result.length; at += samplesAtOnce) {
    compute(samples, result.subarray(at, at + samplesAtOnce), at)
    await breathe()
  }
  return result
}

/** Resamples audio that arrives in pieces. The joined results are those of `resample` for the whole. */
export class StreamResampler {
  readonly #from: number
  readonly #to: number
  readonly #method: ReturnType<typeof resampling>
  /** Input that later results still need; it starts at a result without phase. */
  #rest: Float32Array = new Float32Array(0)
  /** The first result to compute, counted from the start of the rest. */
  #next = 0
  #received = 0
  #returned = 0

  constructor(from: number, to: number) {
    this.#from = from
    this.#to = to
    this.#method = resampling(from, to)
  }

  add(samples: Float32Array): Float32Array {
    if (this.#from === this.#to) return samples
    const { half, phases, step } = this.#method
    this.#received += samples.length
    this.#rest = joinedSamples([this.#rest, samples])
    // Result i needs the input up to i * step / phases + half.
    return this.#take(Math.ceil(((this.#rest.length - half) * phases) / step))
  }

  /** The results that the missing input after the end would have held back. */
  end(): Float32Array {
    if (this.#from === this.#to) return new Float32Array(0)
    return this.#take(this.#next + Math.floor((this.#received * this.#to) / this.#from) - this.#returned)
  }

  #take(until: number): Float32Array {
    const { compute, half, phases, step } = this.#method
    const result = new Float32Array(Math.max(0, until - this.#next))
    compute(this.#rest, result, this.#next)
    this.#next += result.length
    this.#returned += result.length
    const unused = Math.floor(Math.max(0, Math.floor((this.#next * step) / phases) - half) / step)
    this.#rest = this.#rest.slice(unused * step)
    this.#next -= unused * phases
    return result
  }
}

export function joinedSamples(pieces: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

export const breathe = () => new Promise<void>((resolve) => setImmediate(resolve))

function resampling(from: number, to: number) {
  const divisor = greatestDivisor(from, to)
  const phases = to / divisor
  const step = from / divisor
  const slower = Math.min(from, to)
  const half = Math.ceil((reach * from) / slower)
  const filter = filterOf({ phases, half, cutoff: (bandKept * slower) / (2 * from) })
  const width = 2 * half
  /** Fills `result`, whose first sample is number `start` of the results for `samples`. */
  const compute = (samples: Float32Array, result: Float32Array, start: number) => {
    for (let i = 0; i < result.length; i++) {
      const place = (start + i) * step
      const first = Math.floor(place / phases) - half + 1
      const offset = (place % phases) * width
      const begin = Math.max(0, -first)
      const end = Math.min(width, samples.length - first)
      let sum = 0
      for (let tap = begin; tap < end; tap++) sum += (samples[first + tap] ?? 0) * (filter[offset + tap] ?? 0)
      result[i] = sum
    }
  }
  return { compute, half, phases, step }
}

/** `cutoff` is in cycles per input sample. */
function filterOf({ phases, half, cutoff }: { phases: number; half: number; cutoff: number }): Float32Array {
  const width = 2 * half
  const filter = new Float32Array(phases * width)
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0
    for (let tap = 0; tap < width; tap++) {
      const distance = tap - half + 1 - phase / phases
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / half)
      const angle = 2 * Math.PI * cutoff * distance
      const value = window * (angle === 0 ? 1 : Math.sin(angle) / angle)
      filter[phase * width + tap] = value
      sum += value
    }
    for (let tap = 0; tap < width; tap++) filter[phase * width + tap] = (filter[phase * width + tap] ?? 0) / sum
  }
  return filter
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b)
}
