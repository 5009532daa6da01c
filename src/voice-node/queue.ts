import { samplesPerFrame } from '../media/g711.ts'

const room = 4_096
const mask = room - 1
/** Playback starts once this much is buffered, also after every underrun. */
const primed = 2 * samplesPerFrame
const maxQueued = 8 * samplesPerFrame
const keptOfTooMuch = 4 * samplesPerFrame
/** A larger jump of the timestamp is not jitter: the far end has restarted its stream. */
const jump = 8 * samplesPerFrame
/** If the queue was never shorter than this for two seconds, the delay is reduced. */
const needlessDepth = 4 * samplesPerFrame
const ticksBetweenTrims = 100
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
  #shallowest = Number.POSITIVE_INFINITY
  #ticks = 0
  /** Frames dropped because the queue was too long. */
  dropped = 0
  /** How often the queue ran empty during playback. */
  underruns = 0
  readonly #gap: number

  /** `gap` fills short gaps within a frame. */
  constructor(gap = 0) {
    this.#gap = gap
  }

  /** `table` decodes the bytes of the packet from `from` to `until`. */
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

  /** The next 20 ms; gaps are concealed by fading repetition, then silence. False if this frame is missing. */
  take(into: Int16Array): boolean {
    const depth = this.#depth()
    if (this.#state === 'priming' && depth >= primed) this.#state = 'playing'
    if (this.#state === 'playing' && depth >= samplesPerFrame) {
      const isThere = this.#copy(into)
      this.#trim(depth)
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

  /** False if the packet is too late or has an invalid length. */
  #makeRoomAt(timestamp: number, length: number): boolean {
    if (length === 0 || length > maxQueued) return false
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
    const fits = this.#state === 'priming' && this.#depth() + behind + length <= maxQueued
    if (fits) this.#head = timestamp
    return fits
  }

  #begin(timestamp: number): void {
    this.#written.fill(0)
    this.#head = timestamp
    this.#end = timestamp
    this.#hasStarted = true
    this.#state = 'priming'
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

  /** A burst must not delay the rest of the call: frames are dropped one by one while the queue is long enough. */
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

/** Difference of two 32-bit timestamps, with wrap-around. */
const distance = (later: number, earlier: number): number => (later - earlier) | 0
