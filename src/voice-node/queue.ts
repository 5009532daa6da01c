import { samplesPerFrame } from '../media/g711.ts'

const room = 4_096
const mask = room - 1
/** Playback starts once this much is buffered, also after every underrun. */
const primed = 2 * samplesPerFrame
/** A packet length above this is not accepted. */
const maxPacket = 8 * samplesPerFrame
/** With packets of one frame; longer ones may exceed it by their length. */
const maxQueued = 8 * samplesPerFrame
const keptOfTooMuch = 4 * samplesPerFrame
/** A larger jump of the timestamp is not jitter: the far end has restarted its stream. */
const jump = 8 * samplesPerFrame
/**
 * The clocks of both ends differ, by up to 0.01 % and more. If the queue was never shorter than the first for two seconds,
 * a few samples are left out; if it was shorter than the second, a few are repeated.
 */
const needlessDepth = 4 * samplesPerFrame
const scarceDepth = 2 * samplesPerFrame
const ticksBetweenChanges = 100
/** Samples left out or repeated at once: about the periods of a voice, from 50 to 200 Hz. */
const minChange = 40
const maxChange = samplesPerFrame
/** Gain at the start of each repeated frame; then silence. */
const fade = [1, 0.6, 0.25, 0] as const

/**
 * Jitter buffer between packets and ticks of 160 samples. A ring buffer in which the position of a sample is given by its
 * timestamp, so packets may have any length and order.
 */
export class JitterQueue {
  readonly #samples = new Int16Array(room)
  readonly #written = new Uint8Array(room)
  readonly #last = new Int16Array(samplesPerFrame)
  #state: 'empty' | 'priming' | 'playing' = 'empty'
  /** Timestamp of the next sample to play, and of the first that has not arrived yet. */
  #head = 0
  #end = 0
  #hasStarted = false
  #missed: number = fade.length
  /** Of the longest packet so far. */
  #packetLength = samplesPerFrame
  /** Ticks since the first packet, before playback. */
  #primingTicks = 0
  #shallowest = Number.POSITIVE_INFINITY
  #ticks = 0
  #change: 'shorten' | 'lengthen' | null = null
  readonly #shifted = new Int16Array(2 * samplesPerFrame)
  /** Frames dropped because the queue was too long. */
  dropped = 0
  /** How often the queue ran empty during playback. */
  underruns = 0
  readonly #gap: number
  readonly #holdsCodes: boolean

  /** `gap` fills short gaps within a frame: the code of silence, if the queue holds encoded audio instead of samples. */
  constructor(gap = 0) {
    this.#gap = gap
    this.#holdsCodes = gap !== 0
  }

  /** Buffered audio in samples. */
  get depth(): number {
    return this.#hasStarted ? this.#depth() : 0
  }

  /** `table` decodes the bytes of the packet from `from` to `until`. */
  put(timestamp: number, packet: Uint8Array, from: number, until: number, table: Int16Array): void {
    const length = until - from
    if (length > this.#packetLength && length <= maxPacket) this.#packetLength = length
    if (!this.#makeRoomAt(timestamp, length)) return
    for (let i = 0; i < length; i++) {
      const place = (timestamp + i) & mask
      this.#samples[place] = table[packet[from + i] ?? 0] ?? 0
      this.#written[place] = 1
    }
    this.#grow(timestamp, length)
  }

  #grow(timestamp: number, length: number): void {
    if (distance(timestamp + length, this.#end) > 0) this.#end = (timestamp + length) >>> 0
    const depth = this.#depth()
    if (depth > this.#maxDepth()) {
      this.dropped += Math.round((depth - keptOfTooMuch) / samplesPerFrame)
      this.#skip(depth - keptOfTooMuch)
    }
  }

  /** The next 20 ms; gaps are concealed by fading repetition, then silence. False if this frame is missing. */
  take(into: Int16Array): boolean {
    const depth = this.#depth()
    if (this.#state === 'priming' && this.#isPrimed(depth)) this.#state = 'playing'
    if (this.#state === 'playing' && depth >= samplesPerFrame) {
      const isThere = this.#change === null ? this.#copy(into) : this.#copyChanged(into, depth)
      this.#judgeDepth(depth)
      return isThere
    }
    if (this.#state === 'playing') {
      this.underruns++
      this.#state = 'empty'
      this.#skip(depth)
    }
    this.#conceal(into)
    return false
  }

  /** A long packet alone is enough one tick later: the next one then has that much time. */
  #isPrimed(depth: number): boolean {
    const isLong = this.#packetLength > samplesPerFrame
    const isEnough = isLong ? depth >= this.#packetLength + samplesPerFrame : depth >= primed
    return isEnough || (isLong && this.#primingTicks++ > 0 && depth >= this.#packetLength)
  }

  #maxDepth(): number {
    return maxQueued + this.#packetLength - samplesPerFrame
  }

  /** False if the packet is too late or has an invalid length. */
  #makeRoomAt(timestamp: number, length: number): boolean {
    if (length === 0 || length > maxPacket) return false
    const behind = distance(this.#head, timestamp)
    const ahead = distance(timestamp, this.#end)
    if (!this.#hasStarted || behind > room || ahead > jump) {
      this.#begin(timestamp)
      return true
    }
    if (this.#state === 'empty') {
      if (behind > 0) return false
      this.#begin(timestamp)
      return true
    }
    if (behind <= 0) return true
    // Before playback has started, a reordered packet is still accepted.
    const fits = this.#state === 'priming' && this.#depth() + behind + length <= this.#maxDepth()
    if (fits) this.#head = timestamp
    return fits
  }

  #begin(timestamp: number): void {
    this.#written.fill(0)
    this.#head = timestamp
    this.#end = timestamp
    this.#hasStarted = true
    this.#state = 'priming'
    this.#primingTicks = 0
    this.#change = null
  }

  #depth(): number {
    return distance(this.#end, this.#head)
  }

  #copy(into: Int16Array): boolean {
    let holes = 0
    for (let i = 0; i < samplesPerFrame; i++) {
      const place = (this.#head + i) & mask
      if (this.#written[place]) {
        into[i] = this.#samples[place] ?? 0
        this.#written[place] = 0
      } else {
        into[i] = this.#gap
        holes++
      }
    }
    this.#head = (this.#head + samplesPerFrame) >>> 0
    if (holes > samplesPerFrame / 2) {
      this.#conceal(into)
      return false
    }
    this.#last.set(into)
    this.#missed = 0
    return true
  }

  #conceal(into: Int16Array): void {
    const from = fade[this.#missed] ?? 0
    const to = fade[this.#missed + 1] ?? 0
    if (from === 0) {
      into.fill(0)
      return
    }
    for (let i = 0; i < samplesPerFrame; i++) {
      into[i] = (this.#last[i] ?? 0) * (from + ((to - from) * i) / samplesPerFrame)
    }
    this.#missed++
  }

  /** A burst must not delay the rest of the call, and neither may a faster or slower clock of the far end. */
  #judgeDepth(depth: number): void {
    this.#shallowest = Math.min(this.#shallowest, depth)
    if (++this.#ticks < ticksBetweenChanges) return
    if (this.#shallowest > needlessDepth) this.#change = 'shorten'
    else if (this.#shallowest < scarceDepth) this.#change = 'lengthen'
    this.#ticks = 0
    this.#shallowest = Number.POSITIVE_INFINITY
  }

  /**
   * Fades from the next frame to the signal some samples later or earlier, where it looks most alike: about one period of a
   * voice is left out or repeated, which is not audible. Encoded audio is left out by the frame, or concealed.
   */
  #copyChanged(into: Int16Array, depth: number): boolean {
    const isShorter = this.#change === 'shorten'
    if (this.#holdsCodes) {
      this.#change = null
      if (!isShorter) return false
      this.dropped++
      this.#skip(samplesPerFrame)
      return this.#copy(into)
    }
    const needed = isShorter ? samplesPerFrame + maxChange : samplesPerFrame
    if (depth < needed || this.#missed !== 0 || !this.#isComplete(needed)) return this.#copy(into)
    const [signal, start] = this.#surroundings(isShorter)
    const step = isShorter ? 1 : -1
    const change = bestDistance(signal, start, step)
    for (let i = 0; i < samplesPerFrame; i++) {
      const weight = i / samplesPerFrame
      into[i] = (signal[start + i] ?? 0) * (1 - weight) + (signal[start + step * change + i] ?? 0) * weight
    }
    this.#skip(samplesPerFrame + step * change)
    this.#last.set(into)
    this.#change = null
    return true
  }

  #isComplete(samples: number): boolean {
    for (let i = 0; i < samples; i++) if (!this.#written[(this.#head + i) & mask]) return false
    return true
  }

  /** The next frame and the samples after it, or those before it as they were played; with the start of the frame. */
  #surroundings(isShorter: boolean): [signal: Int16Array, start: number] {
    const signal = this.#shifted
    const start = isShorter ? 0 : samplesPerFrame
    if (!isShorter) signal.set(this.#last)
    for (let i = start; i < signal.length; i++) signal[i] = this.#samples[(this.#head + i - start) & mask] ?? 0
    return [signal, start]
  }

  #skip(samples: number): void {
    for (let i = 0; i < samples; i++) this.#written[(this.#head + i) & mask] = 0
    this.#head = (this.#head + samples) >>> 0
  }
}

/** Difference of two 32-bit timestamps, with wrap-around. */
const distance = (later: number, earlier: number): number => (later - earlier) | 0

/** The distance at which the signal resembles its frame at `start` most, by normalized correlation. */
function bestDistance(signal: Int16Array, start: number, step: 1 | -1): number {
  let best = maxChange
  let bestScore = Number.NEGATIVE_INFINITY
  for (let change = maxChange; change >= minChange; change--) {
    let product = 0
    let power = 1
    for (let i = 0; i < samplesPerFrame; i += 2) {
      const other = signal[start + step * change + i] ?? 0
      product += (signal[start + i] ?? 0) * other
      power += other * other
    }
    const score = product / Math.sqrt(power)
    // Of equals the longest: a burst is made up for sooner.
    if (score <= bestScore * 1.001 + 1e-6) continue
    best = change
    bestScore = score
  }
  return best
}
