import { samplesPerFrame } from '../media/g711.ts'

const room = 4_096
const mask = room - 1
/** Sound is given out once this much has come, again after every time it ran dry. */
const primed = 2 * samplesPerFrame
const maxQueued = 8 * samplesPerFrame
const keptOfTooMuch = 4 * samplesPerFrame
/** A jump in time that no jitter explains: the far end has begun anew. */
const jump = 8 * samplesPerFrame
/** If the queue was never shorter than this for two seconds, it delays for nothing. */
const needlessDepth = 4 * samplesPerFrame
const ticksBetweenTrims = 100
/** How loud a repeated frame is where it begins; after these there is silence. */
const fade = [1, 0.6, 0.25, 0] as const

/**
 * Between packets that come when they like and ticks that want 160 samples each. A ring in which every sample has the place
 * its timestamp gives it, so packets may be of any length and come in any order.
 */
export class JitterQueue {
  readonly #samples = new Int16Array(room)
  readonly #written = new Uint8Array(room)
  readonly #last = new Int16Array(samplesPerFrame)
  #state: 'empty' | 'priming' | 'playing' = 'empty'
  /** Timestamp of the next sample to give out, and of the first that has not come yet. */
  #head = 0
  #end = 0
  #hasBegun = false
  #missed: number = fade.length
  #shallowest = Number.POSITIVE_INFINITY
  #ticks = 0
  /** Frames that were thrown away because there were too many. */
  dropped = 0
  /** How often it ran dry while it was playing. */
  underruns = 0

  /** `table` makes samples of the bytes of the packet from `from` to `until`. */
  put(timestamp: number, packet: Uint8Array, from: number, until: number, table: Int16Array): void {
    const length = until - from
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
    if (depth > maxQueued) {
      this.dropped += Math.round((depth - keptOfTooMuch) / samplesPerFrame)
      this.#skip(depth - keptOfTooMuch)
    }
  }

  /** The next 20 ms; what is missing is a fading repetition, then silence. */
  take(into: Int16Array): void {
    const depth = this.#depth()
    if (this.#state === 'priming' && depth >= primed) this.#state = 'playing'
    if (this.#state === 'playing' && depth >= samplesPerFrame) {
      this.#copy(into)
      this.#trim(depth)
      return
    }
    if (this.#state === 'playing') {
      this.underruns++
      this.#state = 'empty'
      this.#skip(depth)
    }
    this.#conceal(into)
  }

  /** False when it comes too late to be of use, or is of no length that can be. */
  #makeRoomAt(timestamp: number, length: number): boolean {
    if (length === 0 || length > maxQueued) return false
    const behind = distance(this.#head, timestamp)
    const ahead = distance(timestamp, this.#end)
    if (!this.#hasBegun || behind > room || ahead > jump) {
      this.#begin(timestamp)
      return true
    }
    if (this.#state === 'empty') {
      if (behind > 0) return false
      this.#begin(timestamp)
      return true
    }
    if (behind <= 0) return true
    // While nothing was given out yet, one that was overtaken still finds its place.
    const fits = this.#state === 'priming' && this.#depth() + behind + length <= maxQueued
    if (fits) this.#head = timestamp
    return fits
  }

  #begin(timestamp: number): void {
    this.#written.fill(0)
    this.#head = timestamp
    this.#end = timestamp
    this.#hasBegun = true
    this.#state = 'priming'
  }

  #depth(): number {
    return distance(this.#end, this.#head)
  }

  #copy(into: Int16Array): void {
    let holes = 0
    for (let i = 0; i < samplesPerFrame; i++) {
      const place = (this.#head + i) & mask
      if (this.#written[place]) {
        into[i] = this.#samples[place] ?? 0
        this.#written[place] = 0
      } else {
        into[i] = 0
        holes++
      }
    }
    this.#head = (this.#head + samplesPerFrame) >>> 0
    if (holes > samplesPerFrame / 2) {
      this.#conceal(into)
      return
    }
    this.#last.set(into)
    this.#missed = 0
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

  /** A burst must not delay the rest of the call: a frame at a time goes while there are always enough. */
  #trim(depth: number): void {
    this.#shallowest = Math.min(this.#shallowest, depth)
    if (++this.#ticks < ticksBetweenTrims) return
    if (this.#shallowest > needlessDepth) {
      this.dropped++
      this.#skip(samplesPerFrame)
    }
    this.#ticks = 0
    this.#shallowest = Number.POSITIVE_INFINITY
  }

  #skip(samples: number): void {
    for (let i = 0; i < samples; i++) this.#written[(this.#head + i) & mask] = 0
    this.#head = (this.#head + samples) >>> 0
  }
}

/** How far one timestamp is after another; they are numbers of 32 bits that begin again at zero. */
const distance = (later: number, earlier: number): number => (later - earlier) | 0
