import { type OpusDecoder, opusClockFactor, opusDecoder, opusEncoder } from '../media/opus.ts'

/** More in a row is a silence, not a loss. */
const mostConcealed = 5

/** Takes samples to the place that a timestamp at 8 kHz gives them. */
type Put = (timestamp: number, samples: Int16Array) => void

/**
 * Opus on one leg. Packets are decoded as they come, because each builds on the one before: one that was overtaken is lost,
 * and what is lost is guessed as soon as the next one shows it.
 */
export class OpusLine {
  readonly #decoder: OpusDecoder
  readonly encode: (frame: Int16Array) => Uint8Array
  /** Of the wire, of the packet before. */
  #timestamp = 0
  /** Of the first sample after it, at our rate: wire time divided would not begin again at zero where it should. */
  #position = 0
  #length = 0
  #sequence = -1

  constructor() {
    const [decoder, encode] = [opusDecoder(), opusEncoder()]
    if (!decoder || !encode) throw new Error('there is no Opus on this system')
    this.#decoder = decoder
    this.encode = encode
  }

  /** Keys have their place in the order too: a gap that they explain is no loss. */
  noteKey(sequence: number): void {
    if (this.#sequence >= 0 && after(sequence, this.#sequence) > 0) this.#sequence = sequence
  }

  /** At our rate, where on the wire that timestamp lies. */
  positionOf(timestamp: number): number {
    return (this.#position + Math.round(((timestamp - this.#timestamp) | 0) / opusClockFactor)) >>> 0
  }

  receive(sequence: number, timestamp: number, payload: Uint8Array, put: Put): void {
    const isFirst = this.#sequence < 0
    const lost = isFirst ? 0 : after(sequence, this.#sequence) - 1
    if (lost < 0 && lost > -100) return
    const position = this.positionOf(timestamp)
    if (lost > 0 && lost <= mostConcealed) this.#conceal(lost, position, put)
    const samples = this.#decoder.decode(payload)
    this.#sequence = sequence
    this.#timestamp = timestamp
    this.#position = position
    this.#length = samples?.length ?? 0
    if (samples) put(position, samples)
  }

  #conceal(lost: number, until: number, put: Put): void {
    let at = (this.#position + this.#length) >>> 0
    for (let i = 0; i < lost && ((until - at) | 0) > 0; i++) {
      const guess = this.#decoder.conceal()
      if (!guess || guess.length > ((until - at) | 0)) return
      put(at, guess)
      at = (at + guess.length) >>> 0
    }
  }
}

/** Sequence numbers have 16 bits and begin again at zero. */
const after = (later: number, earlier: number) => ((later - earlier) << 16) >> 16
