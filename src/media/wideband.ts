// Between narrowband (8 kHz) and wideband (16 kHz), frame by frame. Both directions use one half-band filter: flat up to
// 3.5 kHz, 55 dB down from 4.5 kHz, with a delay of 1.7 ms.

/** 20 ms at 16 kHz. */
export const wideSamplesPerFrame = 320

/** Pairs of coefficients beside the centre; the coefficients between them are zero. */
const pairs = 14
const kaiser = 5.2
const coefficients = halfBand()

/** Coefficients at the distances 1, 3, 5 … from the centre; that of the centre is 0.5. */
function halfBand(): Float64Array {
  const reach = 2 * pairs
  const raw = Float64Array.from({ length: pairs }, (_, k) => {
    const distance = 2 * k + 1
    const window = bessel(kaiser * Math.sqrt(1 - (distance / reach) ** 2)) / bessel(kaiser)
    return (window * Math.sin((Math.PI * distance) / 2)) / (Math.PI * distance)
  })
  // A constant stays the same: both sides of the centre add up to the other half.
  const total = raw.reduce((sum, value) => sum + value, 0)
  return raw.map((value) => (0.25 * value) / total)
}

/** The modified Bessel function of order zero. */
function bessel(x: number): number {
  let [sum, term] = [1, 1]
  for (let n = 1; n < 30; n++) {
    term *= (x / (2 * n)) ** 2
    sum += term
  }
  return sum
}

const clipped = (value: number): number => (value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : Math.round(value))

/** Stateful: one per stream. */
export class Downsampler {
  static readonly #history = 4 * pairs - 2
  readonly #samples = new Float64Array(Downsampler.#history + wideSamplesPerFrame)

  /** From 320 samples to 160. */
  run(wide: Int16Array, narrow: Int16Array): void {
    const samples = this.#samples
    samples.copyWithin(0, wideSamplesPerFrame)
    samples.set(wide, Downsampler.#history)
    for (let n = 0; n < narrow.length; n++) {
      const centre = 2 * n + 2 * pairs - 1
      let sum = 0.5 * (samples[centre] ?? 0)
      for (let k = 0; k < pairs; k++) {
        const distance = 2 * k + 1
        sum += (coefficients[k] ?? 0) * ((samples[centre - distance] ?? 0) + (samples[centre + distance] ?? 0))
      }
      narrow[n] = clipped(sum)
    }
  }
}

/** Stateful: one per stream. */
export class Upsampler {
  static readonly #history = 2 * pairs - 1
  readonly #samples = new Float64Array(Upsampler.#history + wideSamplesPerFrame / 2)

  /** From 160 samples to 320. */
  run(narrow: Int16Array, wide: Int16Array): void {
    const samples = this.#samples
    samples.copyWithin(0, wideSamplesPerFrame / 2)
    samples.set(narrow, Upsampler.#history)
    for (let n = 0; n < narrow.length; n++) {
      const before = n + pairs - 1
      let sum = 0
      for (let k = 0; k < pairs; k++) {
        sum += (coefficients[k] ?? 0) * ((samples[before - k] ?? 0) + (samples[before + 1 + k] ?? 0))
      }
      wide[2 * n] = samples[before] ?? 0
      wide[2 * n + 1] = clipped(2 * sum)
    }
  }
}
