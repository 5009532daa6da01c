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
  const { result, compute } = resampling(samples, from, to)
  compute(0, result.length)
  return result
}

const samplesAtOnce = 8_192

/** The same without blocking the event loop: ten minutes of audio take seconds. */
export async function resampleInTurns(samples: Float32Array, from: number, to: number): Promise<Float32Array> {
  if (from === to) return samples
  const { result, compute } = resampling(samples, from, to)
  for (let at = 0; at < result.length; at += samplesAtOnce) {
    compute(at, Math.min(at + samplesAtOnce, result.length))
    await breathe()
  }
  return result
}

export const breathe = () => new Promise<void>((resolve) => setImmediate(resolve))

function resampling(samples: Float32Array, from: number, to: number) {
  const divisor = greatestDivisor(from, to)
  const phases = to / divisor
  const step = from / divisor
  const slower = Math.min(from, to)
  const half = Math.ceil((reach * from) / slower)
  const filter = filterOf({ phases, half, cutoff: (bandKept * slower) / (2 * from) })
  const result = new Float32Array(Math.floor((samples.length * to) / from))
  const width = 2 * half
  const compute = (start: number, stop: number) => {
    for (let i = start; i < stop; i++) {
      const place = i * step
      const first = Math.floor(place / phases) - half + 1
      const offset = (place % phases) * width
      const begin = Math.max(0, -first)
      const end = Math.min(width, samples.length - first)
      let sum = 0
      for (let tap = begin; tap < end; tap++) sum += (samples[first + tap] ?? 0) * (filter[offset + tap] ?? 0)
      result[i] = sum
    }
  }
  return { result, compute }
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
