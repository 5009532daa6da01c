// Short-time objective intelligibility (Taal et al., 2011): correlation of the envelopes of thirteen bands between sent
// and received speech, over segments of 384 ms. Each segment is aligned by itself, because a jitter buffer shifts
// speech in time, to a quarter of a millisecond: half a millisecond more costs as much as G.711 coding, and codec
// delays are no multiple of a frame. 1 is perfect; differences of 0.01 are audible.

const rate = 8_000
const windowSamples = 256
const hopSamples = 128
const bins = 512
const stretchFrames = 24
/** Alignment is searched up to 600 ms later, first coarsely, then finely around the best; in samples. */
const maxDelay = 4_800
const alignmentSteps = [64, 16, 2] as const
/** Frames 30 dB below the loudest one contain no speech. */
const silence = 1e-3
/** At -15 dB: anything worse is unintelligible anyway. */
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

export function intelligibility(original: Int16Array, degraded: Int16Array): number {
  const clean = envelopesOf(original)
  const received = envelopesOf(degraded)
  const frames = Math.floor((original.length - windowSamples) / hopSamples) + 1
  const power = Array.from({ length: frames }, (_, i) => sumOfSquares(clean(i * hopSamples)))
  const loudest = Math.max(...power)
  const scores: number[] = []
  for (let at = 0; at + stretchFrames <= frames; at += stretchFrames / 2) {
    const mean = power.slice(at, at + stretchFrames).reduce((sum, value) => sum + value, 0) / stretchFrames
    if (mean < loudest * silence) continue
    const stretch = stretchOf(clean, at * hopSamples)
    scores.push(bestOf((delay) => likeness(stretch, stretchOf(received, at * hopSamples + delay))))
  }
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

function bestOf(scoreAt: (delay: number) => number): number {
  let [best, where, around] = [-1, 0, maxDelay]
  for (const step of alignmentSteps) {
    const middle = where
    for (let delay = Math.max(0, middle - around); delay <= Math.min(maxDelay, middle + around); delay += step) {
      const score = scoreAt(delay)
      if (score > best) [best, where] = [score, delay]
    }
    around = step
  }
  return best
}

/** One envelope per frame. */
type Stretch = readonly Float64Array[]

const stretchOf = (envelopeAt: (sample: number) => Float64Array, from: number): Stretch =>
  Array.from({ length: stretchFrames }, (_, i) => envelopeAt(from + i * hopSamples))

const [x, y] = [new Float64Array(stretchFrames), new Float64Array(stretchFrames)]

function likeness(original: Stretch, degraded: Stretch): number {
  let total = 0
  for (let band = 0; band < bands.length; band++) {
    for (let i = 0; i < stretchFrames; i++) {
      x[i] = original[i]?.[band] ?? 0
      y[i] = degraded[i]?.[band] ?? 0
    }
    const gain = Math.sqrt(sumOfSquares(x) / (sumOfSquares(y) || 1))
    for (let i = 0; i < stretchFrames; i++) y[i] = Math.min((y[i] ?? 0) * gain, (x[i] ?? 0) * clip)
    total += correlation()
  }
  return total / bands.length
}

/** Correlation of `x` and `y`. */
function correlation(): number {
  const [meanX, meanY] = [meanOf(x), meanOf(y)]
  let [xy, xx, yy] = [0, 0, 0]
  for (let i = 0; i < stretchFrames; i++) {
    const dx = (x[i] ?? 0) - meanX
    const dy = (y[i] ?? 0) - meanY
    xy += dx * dy
    xx += dx * dx
    yy += dy * dy
  }
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : 0
}

function meanOf(values: Float64Array): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0
  return sum / values.length
}

function sumOfSquares(values: Float64Array): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += (values[i] ?? 0) ** 2
  return sum
}

/** Band energies of the frame at this offset; cached, because frames are compared repeatedly. */
function envelopesOf(samples: Int16Array): (sample: number) => Float64Array {
  const known = new Map<number, Float64Array>()
  const real = new Float64Array(bins)
  const imaginary = new Float64Array(bins)
  return (from) => {
    const before = known.get(from)
    if (before) return before
    real.fill(0)
    imaginary.fill(0)
    for (let i = 0; i < windowSamples; i++) real[i] = (samples[from + i] ?? 0) * (hann[i] ?? 0)
    transform(real, imaginary)
    const envelope = Float64Array.from(bands, ([first = 0, end = 0]) => {
      let power = 0
      for (let k = first; k < end; k++) power += (real[k] ?? 0) ** 2 + (imaginary[k] ?? 0) ** 2
      return Math.sqrt(power)
    })
    known.set(from, envelope)
    return envelope
  }
}

/** In-place fast Fourier transform. */
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
