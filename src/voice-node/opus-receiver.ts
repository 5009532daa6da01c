import { type OpusRate, opusClockRate } from '../media/opus.ts'
import { OpusDecoder } from '../media/opus-decoder.ts'

/** 20 ms of the RTP clock. */
const frameTicks = opusClockRate / 50
const maxPrimedTicks = 8 * frameTicks
/** Concealed frames in a row; then silence until packets arrive again. */
const maxConcealed = 10
/** A larger jump in either direction starts a new stream. */
const jumpTicks = 50 * frameTicks
const maxPackets = 64
/** Window over which the delay is adapted: about three seconds. */
const windowPackets = 150
/** Tolerated share of late packets. */
const latePart = 0.02
/** Above this loss rate the following packet must arrive in time as well: it carries the redundancy (FEC). */
const lossNoticed = 0.01
const quietPart = 0.25
/** Of delay that is not needed: above it, loud frames are dropped as well. */
const needlessTicks = 4 * frameTicks
/** Forwarding starts after half a second of packets of 20 ms, so that a stream does not change back and forth. */
const steadyFrames = 25

/**
 * Jitter buffer and decoder for Opus: packets in any order to frames of 20 ms. Packets stay encoded until they are due,
 * because the decoder depends on the previous packet. A missing packet is recovered from the redundancy of the next one,
 * or concealed. The delay adapts: it grows by a concealed frame while packets are late, and shrinks in quiet frames.
 */
export class OpusReceiver {
  /** Samples of 20 ms. */
  readonly #frame: number
  readonly #ticksPerSample: number
  readonly #decoder: OpusDecoder
  readonly #packets = new Map<number, Uint8Array>()
  readonly #fifo: Int16Array
  #filled = 0
  #state: 'idle' | 'priming' | 'playing' = 'idle'
  /** Timestamp of the next packet due, and of the newest. */
  #next = 0
  #newest = 0
  #concealed = 0
  /** Buffered before the first packet is played, and after each silence; with more slack the delay is reduced. */
  readonly #minPrimedTicks: number
  #primedTicks: number
  /** How early each of the last packets arrived, in timestamp units. */
  readonly #slack = new Float64Array(windowPackets)
  #judged = 0
  #lossRate = 0
  #loudness = 0
  dropped = 0
  underruns = 0
  /** The packet of the last frame, if it was exactly that frame. */
  packet: Uint8Array | null = null
  /** The last frame was recovered or concealed because its packet is lost. */
  isLost = false
  #steady = 0
  /** A frame was inserted, so that packets have more time. */
  #isConcealed = false

  /** 80 ms are buffered at first, because users choose Opus on weak networks; 40 ms with `isLowDelay`, like G.711. */
  constructor(rate: OpusRate = 8_000, isLowDelay = false) {
    this.#minPrimedTicks = (isLowDelay ? 2 : 4) * frameTicks
    this.#primedTicks = this.#minPrimedTicks
    this.#frame = rate / 50
    this.#ticksPerSample = opusClockRate / rate
    this.#decoder = new OpusDecoder(rate)
    this.#fifo = new Int16Array(16 * this.#frame)
  }

  receive(timestamp: number, payload: Uint8Array): void {
    const isFar = this.#state !== 'idle' && Math.abs(distance(timestamp, this.#next)) > jumpTicks
    if (this.#state === 'idle' || isFar) this.#begin(timestamp)
    const slack = distance(timestamp, this.#next)
    if (this.#state === 'priming' && slack < 0 && slack > -maxPrimedTicks) this.#next = timestamp
    else if (this.#state === 'playing') this.#noteSlack(slack)
    if (distance(timestamp, this.#next) < 0) {
      this.dropped++
      return
    }
    if (this.#packets.size >= maxPackets) return
    this.#packets.set(timestamp, Uint8Array.from(payload))
    if (distance(timestamp, this.#newest) > 0) this.#newest = timestamp
  }

  #begin(timestamp: number): void {
    this.#packets.clear()
    this.#state = 'priming'
    this.#next = timestamp
    this.#newest = timestamp
    this.#judged = 0
  }

  /** Whether the packets can be sent on as they are: `packet`, or nothing where there is none. */
  get isForwardable(): boolean {
    return this.#steady >= steadyFrames
  }

  /** The next 20 ms. */
  take(into: Int16Array): void {
    this.packet = null
    this.isLost = false
    this.#takeFrame(into)
    const isGap = this.#state === 'playing' && (this.isLost || this.#isConcealed)
    if (this.packet || (isGap && this.isForwardable)) this.#steady++
    else this.#steady = 0
  }

  #takeFrame(into: Int16Array): void {
    this.#isConcealed = false
    if (this.#state === 'priming' && this.#depth() >= this.#primedTicks) this.#state = 'playing'
    const change = this.#state === 'playing' ? this.#wantedChange() : 0
    if (change > 0) this.#expand()
    this.#fillFrame()
    // Music has no quiet frames: a delay that keeps growing is reduced in loud ones as well.
    if (change < 0 && this.#filled >= this.#frame && (change === -2 || this.#isQuiet())) {
      this.#drop()
      this.#fillFrame()
    }
    const given = Math.min(this.#frame, this.#filled)
    into.set(this.#fifo.subarray(0, given))
    into.fill(0, given)
    this.#remove(given)
  }

  #fillFrame(): void {
    for (let tries = 0; this.#filled < this.#frame && tries < 8; tries++) this.#fill()
  }

  #depth(): number {
    return this.#packets.size === 0 ? 0 : distance(this.#newest, this.#next) + frameTicks
  }

  #fill(): void {
    if (this.#state !== 'playing') return
    const packet = this.#packets.get(this.#next)
    const following = packet ? undefined : this.#following()
    if (packet) this.#play(packet)
    else if (following === undefined) this.#wait()
    else this.#repair(following)
  }

  /** The packet is missing and a later one is there: it counts as lost. */
  #repair(following: number): void {
    this.#noteLoss(1)
    this.isLost = true
    const gap = distance(following, this.#next)
    const repeating = gap === frameTicks ? this.#packets.get(following) : undefined
    this.#append(repeating ? this.#decoder.recover(repeating, this.#frame) : this.#decoder.conceal(this.#frame))
    this.#next = (this.#next + Math.min(gap, frameTicks)) >>> 0
  }

  #play(packet: Uint8Array): void {
    this.#packets.delete(this.#next)
    const samples = this.#decoder.decode(packet)
    this.#noteLoss(0)
    this.#concealed = 0
    this.packet = this.#filled === 0 && samples?.length === this.#frame ? packet : null
    this.#append(samples)
    this.#next = (this.#next + (samples ? samples.length * this.#ticksPerSample : frameTicks)) >>> 0
  }

  /** The oldest packet in the buffer. */
  #following(): number | undefined {
    let first: number | undefined
    for (const timestamp of this.#packets.keys()) {
      if (first === undefined || distance(first, timestamp) > 0) first = timestamp
    }
    return first
  }

  /** The buffer is empty. The position does not advance, so that a late packet is still played. */
  #wait(): void {
    if (this.#concealed === 0) this.underruns++
    if (++this.#concealed > maxConcealed) {
      this.#state = 'idle'
      this.#concealed = 0
      return
    }
    this.#expand()
  }

  /** Adds to the slack of all packets. */
  #shift(ticks: number): void {
    for (let i = 0; i < windowPackets; i++) this.#slack[i] = (this.#slack[i] ?? 0) + ticks
  }

  #noteSlack(slack: number): void {
    this.#slack[this.#judged++ % windowPackets] = slack
  }

  #noteLoss(isLost: 0 | 1): void {
    this.#lossRate += (isLost - this.#lossRate) / 100
  }

  /** 1: packets are late. -1: all packets have been much too early for a while; -2: by far. */
  #wantedChange(): -2 | -1 | 0 | 1 {
    const count = Math.min(this.#judged, windowPackets)
    if (count === 0) return 0
    const sorted = this.#slack.slice(0, count).sort()
    const least = sorted[Math.floor(count * latePart)] ?? 0
    const wanted = this.#lossRate > lossNoticed ? frameTicks : 0
    this.#primedTicks = Math.min(
      maxPrimedTicks,
      Math.max(this.#minPrimedTicks, (sorted[count - 1] ?? 0) - least + frameTicks),
    )
    if (least < wanted && this.#depth() < jumpTicks / 2) return 1
    const needless = least - wanted
    if (count < windowPackets || needless <= this.#minPrimedTicks) return 0
    return needless > this.#minPrimedTicks + needlessTicks ? -2 : -1
  }

  /** Inserts a concealed frame: from here on all packets have more time. */
  #expand(): void {
    this.#isConcealed = true
    this.#append(this.#decoder.conceal(this.#frame))
    this.#shift(frameTicks)
  }

  #isQuiet(): boolean {
    return strength(this.#fifo.subarray(0, this.#frame)) < quietPart * this.#loudness
  }

  #drop(): void {
    this.dropped++
    this.#remove(this.#frame)
    this.#shift(-frameTicks)
  }

  #remove(samples: number): void {
    this.#fifo.copyWithin(0, samples, this.#filled)
    this.#filled -= samples
  }

  #append(samples: Int16Array | null): void {
    if (!samples || this.#filled + samples.length > this.#fifo.length) return
    this.#fifo.set(samples, this.#filled)
    this.#filled += samples.length
    this.#loudness += (strength(samples) - this.#loudness) / 50
  }
}

function strength(samples: Int16Array): number {
  let power = 0
  for (let i = 0; i < samples.length; i++) power += (samples[i] ?? 0) ** 2
  return Math.sqrt(power / Math.max(1, samples.length))
}

/** Difference of two 32-bit timestamps, with wrap-around. */
const distance = (later: number, earlier: number): number => (later - earlier) | 0
