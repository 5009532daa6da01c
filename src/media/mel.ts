// The input of Whisper: a log-mel spectrogram of 80 bands, a hundred frames per second.

const rate = 16_000
const size = 400
const hop = 160
export const melBands = 80
const bins = size / 2 + 1
export const secondsOfWindow = 30
const frames = (secondsOfWindow * rate) / hop

/** At most 30 seconds at 16 kHz, padded with silence: 80 rows of 3000 values. */
export function logMel(samples: Float32Array): Float32Array {
  const mel = new Float32Array(melBands * frames)
  const filters = filterBank()
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size))
  const re = new Float64Array(size)
  const im = new Float64Array(size)
  const power = new Float64Array(bins)
  // The padding is silence and needs no computation.
  const sounding = Math.min(frames, Math.ceil((samples.length + size) / hop))
  mel.fill(-10)
  for (let frame = 0; frame < sounding; frame++) {
    const from = frame * hop - size / 2
    for (let i = 0; i < size; i++) {
      // The beginning is mirrored.
      re[i] = (samples[Math.abs(from + i)] ?? 0) * (window[i] ?? 0)
      im[i] = 0
    }
    fourier(re, im)
    for (let bin = 0; bin < bins; bin++) power[bin] = (re[bin] ?? 0) ** 2 + (im[bin] ?? 0) ** 2
    for (const [band, { first, weights }] of filters.entries()) {
      let sum = 0
      for (let i = 0; i < weights.length; i++) sum += (weights[i] ?? 0) * (power[first + i] ?? 0)
      mel[band * frames + frame] = Math.log10(Math.max(1e-10, sum))
    }
  }
  return scaled(mel)
}

function scaled(mel: Float32Array): Float32Array {
  let loudest = -10
  for (const value of mel) loudest = Math.max(loudest, value)
  return mel.map((value) => (Math.max(value, loudest - 8) + 4) / 4)
}

interface Filter {
  first: number
  weights: Float64Array
}

let known: Filter[] | undefined

/** Triangular filters with half overlap, evenly spaced on Slaney's mel scale, normalized by area. */
function filterBank(): Filter[] {
  known ??= Array.from({ length: melBands }, (_, band) => {
    const [low, middle, high] = [band, band + 1, band + 2].map((step) =>
      hertz((step * melOf(rate / 2)) / (melBands + 1)),
    ) as [number, number, number]
    const weights = Float64Array.from({ length: bins }, (_, bin) => {
      const at = (bin * rate) / size
      const height = Math.max(0, Math.min((at - low) / (middle - low), (high - at) / (high - middle)))
      return (height * 2) / (high - low)
    })
    const first = weights.findIndex((weight) => weight > 0)
    const last = weights.findLastIndex((weight) => weight > 0)
    return first < 0 ? { first: 0, weights: new Float64Array(0) } : { first, weights: weights.slice(first, last + 1) }
  })
  return known
}

// Linear up to 1 kHz, logarithmic above.
const linear = 200 / 3
const bend = 1_000
const step = Math.log(6.4) / 27
const melOf = (hz: number) => (hz < bend ? hz / linear : bend / linear + Math.log(hz / bend) / step)
const hertz = (mel: number) => (mel < bend / linear ? mel * linear : bend * Math.exp(step * (mel - bend / linear)))

const factors = [2, 2, 2, 2, 5, 5]
const turns = Array.from({ length: size }, (_, i) => (-2 * Math.PI * i) / size)
const cosines = Float64Array.from(turns, Math.cos)
const sines = Float64Array.from(turns, Math.sin)
const spareRe = new Float64Array(size)
const spareIm = new Float64Array(size)

/** In-place discrete Fourier transform of 400 values (Stockham, mixed radix). */
function fourier(re: Float64Array<ArrayBuffer>, im: Float64Array<ArrayBuffer>): void {
  let [fromRe, fromIm, toRe, toIm] = [re, im, spareRe, spareIm]
  let done = 1
  for (const factor of factors) {
    const left = size / (done * factor)
    for (let group = 0; group < left; group++) {
      for (let place = 0; place < done; place++) {
        for (let out = 0; out < factor; out++) {
          let sumRe = 0
          let sumIm = 0
          for (let part = 0; part < factor; part++) {
            const at = place + done * (group + left * part)
            const turn = (part * (out * done + place) * left) % size
            const c = cosines[turn] ?? 0
            const s = sines[turn] ?? 0
            const x = fromRe[at] ?? 0
            const y = fromIm[at] ?? 0
            sumRe += x * c - y * s
            sumIm += x * s + y * c
          }
          const to = place + done * (out + factor * group)
          toRe[to] = sumRe
          toIm[to] = sumIm
        }
      }
    }
    done *= factor
    ;[fromRe, fromIm, toRe, toIm] = [toRe, toIm, fromRe, fromIm]
  }
  if (fromRe !== re) {
    re.set(fromRe)
    im.set(fromIm)
  }
}
