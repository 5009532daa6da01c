// G.722 at 64 kbit/s (ITU-T G.722, mode 1): 16 kHz audio as two bands of ADPCM, six bits for the lower band and two for the
// upper one. Names of blocks and variables are those of the recommendation.

/** 20 ms: two samples per byte. RFC 3551 §4.5.2: the RTP clock rate is 8,000 nevertheless. */
export const g722BytesPerFrame = 160

/** A byte that decodes to near silence. */
export const g722Silence = 0xff

const quantizerL = Int32Array.of(
  ...[0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121],
  ...[1219, 1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919],
)
const negativeCodesL = Int32Array.of(
  ...[0, 63, 62, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7],
  ...[6, 5, 4],
)
const positiveCodesL = Int32Array.of(
  ...[0, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36],
  ...[35, 34, 33, 32],
)
const inverse6 = Int32Array.of(
  ...[-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360],
  ...[-8576, -7856, -7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688],
  ...[-1360, -1040, -728, 24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192],
  ...[6576, 6000, 5456, 4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432],
  ...[-136],
)
const inverse4 = Int32Array.of(
  ...[0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0],
)
const inverse2 = Int32Array.of(-7408, -1616, 7408, 1616)
/** Change of the logarithmic scale factor for each code. */
const logScaleL = Int32Array.of(-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60)
const logScaleH = Int32Array.of(798, -214, 798, -214)
const inverseLog = Int32Array.of(
  ...[2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834, 2896, 2960],
  ...[3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008],
)
const qmf = Int32Array.of(3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11)
const qmfReversed = qmf.toReversed()
const qmfTaps = 2 * qmf.length
const thresholdH = 564

const saturated = (value: number): number => (value > 32_767 ? 32_767 : value < -32_768 ? -32_768 : value)
const limited = (value: number): number => (value > 16_383 ? 16_383 : value < -16_384 ? -16_384 : value)

/** The adaptive predictor and quantizer step of one band; the same in encoder and decoder. */
class Band {
  /** Prediction of the next sample. */
  s = 0
  det: number
  readonly #maxNb: number
  readonly #scaleBits: number
  #nb = 0
  #sz = 0
  #r1 = 0
  #r2 = 0
  #p1 = 0
  #p2 = 0
  #a1 = 0
  #a2 = 0
  readonly #d = new Int32Array(6)
  readonly #b = new Int32Array(6)

  constructor(kind: 'lower' | 'upper') {
    const isLower = kind === 'lower'
    this.det = isLower ? 32 : 8
    this.#maxNb = isLower ? 18_432 : 22_528
    this.#scaleBits = isLower ? 8 : 10
  }

  copyFrom(other: Band): void {
    this.s = other.s
    this.det = other.det
    this.#nb = other.#nb
    this.#sz = other.#sz
    this.#r1 = other.#r1
    this.#r2 = other.#r2
    this.#p1 = other.#p1
    this.#p2 = other.#p2
    this.#a1 = other.#a1
    this.#a2 = other.#a2
    this.#d.set(other.#d)
    this.#b.set(other.#b)
  }

  /** Blocks 3 and 4: adapts to the quantized difference `d`, whose code changes the scale factor by `change`. */
  adapt(d: number, change: number): void {
    this.#scale(change)
    const r0 = saturated(this.s + d)
    const p0 = saturated(this.#sz + d)
    this.#adaptPoles(p0)
    this.#r2 = this.#r1
    this.#r1 = r0
    this.#p2 = this.#p1
    this.#p1 = p0
    // FILTEP
    const first = (this.#a1 * saturated(2 * this.#r1)) >> 15
    const second = (this.#a2 * saturated(2 * this.#r2)) >> 15
    const sp = saturated(first + second)
    this.#sz = this.#zeros(d)
    this.s = saturated(sp + this.#sz)
  }

  /** LOGSCL and SCALEL, or LOGSCH and SCALEH. */
  #scale(change: number): void {
    const nb = ((this.#nb * 127) >> 7) + change
    this.#nb = nb < 0 ? 0 : nb > this.#maxNb ? this.#maxNb : nb
    const mantissa = inverseLog[(this.#nb >> 6) & 31] ?? 0
    const shift = this.#scaleBits - (this.#nb >> 11)
    this.det = (shift < 0 ? mantissa << -shift : mantissa >> shift) << 2
  }

  /** UPPOL2 and UPPOL1. */
  #adaptPoles(p0: number): void {
    const isLike1 = p0 >> 15 === this.#p1 >> 15
    const isLike2 = p0 >> 15 === this.#p2 >> 15
    const a1 = saturated(this.#a1 << 2)
    const towards = isLike1 ? Math.min(-a1, 32_767) : a1
    const a2 = (isLike2 ? 128 : -128) + (towards >> 7) + ((this.#a2 * 32_512) >> 15)
    this.#a2 = a2 > 12_288 ? 12_288 : a2 < -12_288 ? -12_288 : a2
    const next = saturated((isLike1 ? 192 : -192) + ((this.#a1 * 32_640) >> 15))
    const bound = saturated(15_360 - this.#a2)
    this.#a1 = next > bound ? bound : next < -bound ? -bound : next
  }

  /** UPZERO, DELAYA and FILTEZ in one pass over the six delays. */
  #zeros(d0: number): number {
    const [b, d] = [this.#b, this.#d]
    const step = d0 === 0 ? 0 : 128
    const sign = d0 >> 15
    let newer = d0
    let sum = 0
    for (let i = 0; i < 6; i++) {
      const delayed = d[i] ?? 0
      const weight = saturated((delayed >> 15 === sign ? step : -step) + (((b[i] ?? 0) * 32_640) >> 15))
      b[i] = weight
      d[i] = newer
      sum += (weight * saturated(2 * newer)) >> 15
      newer = delayed
    }
    return saturated(sum)
  }
}

const history = qmfTaps - 2
const pairsAtOnce = g722BytesPerFrame

/** The two filters of the QMF, over the window that begins at `from`. */
function filteredOdd(x: Int32Array, from: number): number {
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (x[from + 2 * i] ?? 0) * (qmf[i] ?? 0)
  return sum
}

function filteredEven(x: Int32Array, from: number): number {
  let sum = 0
  for (let i = 0; i < 12; i++) sum += (x[from + 2 * i + 1] ?? 0) * (qmfReversed[i] ?? 0)
  return sum
}

/** Stateful: one per stream. */
export class G722Decoder {
  readonly lower = new Band('lower')
  readonly upper = new Band('upper')
  /** The last 22 values, then those of up to 20 ms. */
  readonly #delays = new Int32Array(history + 2 * pairsAtOnce)

  /** Two samples per byte. */
  decode(codes: Uint8Array, into: Int16Array): void {
    for (let from = 0; from < codes.length; from += pairsAtOnce)
      this.#decodePart(codes, from, Math.min(pairsAtOnce, codes.length - from), into)
  }

  #decodePart(codes: Uint8Array, from: number, count: number, into: Int16Array): void {
    const { lower, upper } = this
    const x = this.#delays
    for (let n = 0; n < count; n++) {
      const code = codes[from + n] ?? 0
      const il = code & 0x3f
      const ih = code >> 6
      const rl = limited(lower.s + ((lower.det * (inverse6[il] ?? 0)) >> 15))
      lower.adapt((lower.det * (inverse4[il >> 2] ?? 0)) >> 15, logScaleL[il >> 2] ?? 0)
      const dh = (upper.det * (inverse2[ih] ?? 0)) >> 15
      const rh = limited(upper.s + dh)
      upper.adapt(dh, logScaleH[ih] ?? 0)
      x[history + 2 * n] = rl + rh
      x[history + 2 * n + 1] = rl - rh
      into[2 * (from + n)] = saturated(filteredEven(x, 2 * n) >> 11)
      into[2 * (from + n) + 1] = saturated(filteredOdd(x, 2 * n) >> 11)
    }
    x.copyWithin(0, 2 * count, 2 * count + history)
  }
}

/** Stateful: one per stream. */
export class G722Encoder {
  readonly #lower = new Band('lower')
  readonly #upper = new Band('upper')
  readonly #delays = new Int32Array(history + 2 * pairsAtOnce)

  /** Continues a stream whose last bytes came from another encoder and were decoded by `decoder`. */
  continueFrom(decoder: G722Decoder): void {
    this.#lower.copyFrom(decoder.lower)
    this.#upper.copyFrom(decoder.upper)
  }

  /** One byte per two samples. */
  encodeInto(samples: Int16Array, bytes: Uint8Array, at: number): void {
    const pairs = samples.length >> 1
    for (let from = 0; from < pairs; from += pairsAtOnce)
      this.#encodePart(samples.subarray(2 * from, 2 * (from + pairsAtOnce)), bytes, at + from)
  }

  #encodePart(samples: Int16Array, bytes: Uint8Array, at: number): void {
    const x = this.#delays
    const count = samples.length >> 1
    x.set(samples, history)
    for (let n = 0; n < count; n++) {
      const even = filteredEven(x, 2 * n)
      const odd = filteredOdd(x, 2 * n)
      bytes[at + n] = this.#codeL((even + odd) >> 14) | (this.#codeH((even - odd) >> 14) << 6)
    }
    x.copyWithin(0, 2 * count, 2 * count + history)
  }

  #codeL(xl: number): number {
    const lower = this.#lower
    const el = saturated(xl - lower.s)
    const il = (el < 0 ? negativeCodesL : positiveCodesL)[levelOf(el < 0 ? -(el + 1) : el, lower.det)] ?? 0
    lower.adapt((lower.det * (inverse4[il >> 2] ?? 0)) >> 15, logScaleL[il >> 2] ?? 0)
    return il
  }

  #codeH(xh: number): number {
    const upper = this.#upper
    const eh = saturated(xh - upper.s)
    const magnitude = eh >= 0 ? eh : -(eh + 1)
    const isLarge = magnitude >= (thresholdH * upper.det) >> 12
    const ih = eh < 0 ? (isLarge ? 0 : 1) : isLarge ? 2 : 3
    upper.adapt((upper.det * (inverse2[ih] ?? 0)) >> 15, logScaleH[ih] ?? 0)
    return ih
  }
}

/** QUANTL, by bisection: the first decision level above the magnitude. */
function levelOf(magnitude: number, det: number): number {
  let low = 1
  let high = quantizerL.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (magnitude < ((quantizerL[middle] ?? 0) * det) >> 12) high = middle
    else low = middle + 1
  }
  return low
}
