import { samplesPerFrame } from '../media/g711.ts'
import { G722Decoder, g722BytesPerFrame, g722Silence } from '../media/g722.ts'
import { wideSamplesPerFrame } from '../media/wideband.ts'
import { JitterQueue } from './queue.ts'

/** The queue holds the bytes themselves: they are decoded in order, when they are due. */
const asIs = Int16Array.from({ length: 256 }, (_, byte) => byte)
/** Gain at the start of each repeated frame; then silence. */
const fade = [1, 0.6, 0.25, 0] as const

/** Jitter buffer, decoder and concealment of G.722: packets in any order to frames of 20 ms at 16 kHz. */
export class G722Receiver {
  readonly #queue = new JitterQueue(g722Silence)
  readonly #queued = new Int16Array(samplesPerFrame)
  readonly #last = new Int16Array(wideSamplesPerFrame)
  readonly decoder = new G722Decoder()
  /** The bytes of the last frame; meaningless if it was missing. */
  readonly codes = new Uint8Array(g722BytesPerFrame)
  #missed: number = fade.length
  /** Whether the last frame was received, so that `codes` can be forwarded. */
  isComplete = false

  get dropped(): number {
    return this.#queue.dropped
  }

  get underruns(): number {
    return this.#queue.underruns
  }

  receive(timestamp: number, packet: Uint8Array, start: number, end: number): void {
    this.#queue.put(timestamp, packet, start, end, asIs)
  }

  /** 320 samples. */
  take(into: Int16Array): void {
    this.isComplete = this.#queue.take(this.#queued)
    if (!this.isComplete) {
      this.#conceal(into)
      return
    }
    this.codes.set(this.#queued)
    this.decoder.decode(this.codes, into)
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
    for (let i = 0; i < into.length; i++)
      into[i] = (this.#last[i] ?? 0) * (from + ((to - from) * i) / wideSamplesPerFrame)
    this.#missed++
  }
}
