// Short-time objective intelligibility (Taal et al., 2011): how alike the envelopes of thirteen bands are in what was said and
// in what was heard, over stretches of 384 ms. Each stretch is aligned by itself, because a jitter buffer moves speech in time.
// 1 is perfect; differences of a hundredth are audible.

const rate = 8_000
const windowSamples = 256
const hopSamples = 128
const bins = 512
const stretchFrames = 24
/** Alignment is looked for every 2 ms, up to 600 ms later. */
const shiftsPerHop = 8
const maxShift = 300
/** Quieter stretches hold no speech: 30 dB below the loudest frame. */
const silence = 1e-3
/** Of -15 dB: what is worse than that is not understood anyway. */
const clip = 1 + 10 ** (15 / 20)

const bands = Array.from({ length: 13 }, (_, i) => 150 * 2 ** (i / 3)).map((hz) => [
  Math.round((hz * 2 ** (-1 / 6) * bins) / rate),
  Math.round((hz * 2 ** (1 / 6) * bins) / rate),
])
const hann = Float64Array.from(
  { length: windowSamples },
  (_, i) => Math.sin((Math.PI * (i + 0.5)) / windowSamples) ** 2,
)
const cosines = Float64Array.from({ length: bins }, (_, i) => Math.cos((2 * Math.PI * i) / bins))
const sines = Float64Array.from({ length: bins }, (_, i) => Math.sin((2 * Math.PI * i) / bins))

export function intelligibility(said: Int16Array, heard: Int16Array): number {
  const clean = envelopes(said, 0)
  const shifted = Array.from({ length: shiftsPerHop }, (_, i) => envelopes(heard, (i * hopSamples) / shiftsPerHop))
  const power = clean.map((frame) => frame.reduce((sum, value) => sum + value ** 2, 0))
  const loudest = Math.max(...power)
  const scores: number[] = []
  for (let at = 0; at + stretchFrames <= clean.length; at += stretchFrames / 2) {
    const mean = power.slice(at, at + stretchFrames).reduce((sum, value) => sum + value, 0) / stretchFrames
    if (mean < loudest * silence) continue
    const scoreAt = (shift: number) =>
      likeness(clean, at, shifted[shift % shiftsPerHop] ?? [], at + Math.floor(shift / shiftsPerHop))
    scores.push(bestOf(scoreAt))
  }
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

/** Coarsely everywhere, then finely around the best. */
function bestOf(scoreAt: (shift: number) => number): number {
  let [best, where] = [-1, 0]
  const look = (shift: number) => {
    const score = scoreAt(shift)
    if (score > best) [best, where] = [score, shift]
  }
  for (let shift = 0; shift <= maxShift; shift += shiftsPerHop / 2) look(shift)
  const middle = where
  for (let shift = Math.max(0, middle - shiftsPerHop / 2); shift <= middle + shiftsPerHop / 2; shift++) look(shift)
  return best
}

function likeness(clean: Float64Array[], from: number, heard: Float64Array[], heardFrom: number): number {
  let total = 0
  for (let band = 0; band < bands.length; band++) {
    const x = stretch(clean, from, band)
    const y = stretch(heard, heardFrom, band)
    const gain = Math.sqrt(sumOfSquares(x) / (sumOfSquares(y) || 1))
    total += correlation(
      x,
      y.map((value, i) => Math.min(value * gain, (x[i] ?? 0) * clip)),
    )
  }
  return total / bands.length
}

const stretch = (frames: Float64Array[], from: number, band: number) =>
  Float64Array.from({ length: stretchFrames }, (_, i) => frames[from + i]?.[band] ?? 0)

const sumOfSquares = (values: Float64Array) => values.reduce((sum, value) => sum + value ** 2, 0)

function correlation(x: Float64Array, y: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(x), mean(y)]
  let [xy, xx, yy] = [0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    const [dx, dy] = [(x[i] ?? 0) - meanX, (y[i] ?? 0) - meanY]
    xy += dx * dy
    xx += dx * dx
    yy += dy * dy
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0
}

/** For each frame how strong each band is. */
function envelopes(samples: Int16Array, from: number): Float64Array[] {
  const frames: Float64Array[] = []
  const real = new Float64Array(bins)
  const imaginary = new Float64Array(bins)
  for (let at = from; at + windowSamples <= samples.length; at += hopSamples) {
    real.fill(0)
    imaginary.fill(0)
    for (let i = 0; i < windowSamples; i++) real[i] = (samples[at + i] ?? 0) * (hann[i] ?? 0)
    transform(real, imaginary)
    frames.push(
      Float64Array.from(bands, ([first = 0, end = 0]) => {
        let power = 0
        for (let k = first; k < end; k++) power += (real[k] ?? 0) ** 2 + (imaginary[k] ?? 0) ** 2
        return Math.sqrt(power)
      }),
    )
  }
  return frames
}

/** The fast Fourier transform, in place. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  for (let i = 1, j = 0; i < bins; i++) {
    let bit = bins >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      swap(real, i, j)
      swap(imaginary, i, j)
    }
  }
  for (let length = 2; length <= bins; length *= 2) {
    for (let start = 0; start < bins; start += length) {
      for (let k = 0; k < length / 2; k++) {
        const [a, b, turn] = [start + k, start + k + length / 2, k * (bins / length)]
        const [cos, sin] = [cosines[turn] ?? 0, sines[turn] ?? 0]
        const re = (real[b] ?? 0) * cos + (imaginary[b] ?? 0) * sin
        const im = (imaginary[b] ?? 0) * cos - (real[b] ?? 0) * sin
        real[b] = (real[a] ?? 0) - re
        imaginary[b] = (imaginary[a] ?? 0) - im
        real[a] = (real[a] ?? 0) + re
        imaginary[a] = (imaginary[a] ?? 0) + im
      }
    }
  }
}

function swap(values: Float64Array, i: number, j: number): void {
  const value = values[i] ?? 0
  values[i] = values[j] ?? 0
  values[j] = value
}
