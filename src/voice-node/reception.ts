import type { AudioCodec } from '../media/codecs.ts'
import { linearTable } from '../media/g711.ts'
import type { OpusRate } from '../media/opus.ts'
import { Downsampler, Upsampler, wideSamplesPerFrame } from '../media/wideband.ts'
import { G722Receiver } from './g722-receiver.ts'
import { OpusReceiver } from './opus-receiver.ts'
import { JitterQueue } from './queue.ts'
import { type SendFormat, sampleRateOf } from './send-format.ts'

/**
 * The audio received on one stream. The far end may change between the negotiated codecs; each has a jitter buffer and a
 * decoder, created with its first packet, and the last one used is played.
 */
export class AudioReception {
  readonly #g711 = new JitterQueue()
  #g722: G722Receiver | null = null
  #opus: OpusReceiver | null = null
  #opusForm: { rate: OpusRate; isLowDelay: boolean } = { rate: 16_000, isLowDelay: true }
  #current: 'g711' | 'g722' | 'opus' = 'g711'
  readonly #down = new Downsampler()
  readonly #up = new Upsampler()
  readonly #wide = new Int16Array(wideSamplesPerFrame)

  get dropped(): number {
    return this.#g711.dropped + (this.#g722?.dropped ?? 0) + (this.#opus?.dropped ?? 0)
  }

  get underruns(): number {
    return this.#g711.underruns + (this.#g722?.underruns ?? 0) + (this.#opus?.underruns ?? 0)
  }

  /** The receiver of the last frame, if that can be sent on as it was received. */
  get forwardable(): G722Receiver | OpusReceiver | null {
    if (this.#current === 'g722') return this.#g722?.isComplete ? this.#g722 : null
    return this.#current === 'opus' && this.#opus?.isForwardable ? this.#opus : null
  }

  receive(codec: AudioCodec, timestamp: number, packet: Buffer, start: number, end: number): void {
    if (codec === 'opus') {
      this.#current = 'opus'
      this.#opus ??= new OpusReceiver(this.#opusForm.rate, this.#opusForm.isLowDelay)
      this.#opus.receive(timestamp, packet.subarray(start, end))
    } else if (codec === 'G722') {
      this.#current = 'g722'
      this.#g722 ??= new G722Receiver()
      this.#g722.receive(timestamp, packet, start, end)
    } else {
      this.#current = 'g711'
      this.#g711.put(timestamp, packet, start, end, linearTable(codec))
    }
  }

  /** Opus is decoded at the rate that was negotiated. */
  agree(format: SendFormat): void {
    if (format.codec !== 'opus') return
    const rate = sampleRateOf(format)
    if (rate !== this.#opusForm.rate) this.#opus = null
    this.#opusForm = { rate, isLowDelay: format.isLowDelay ?? false }
  }

  /** The next 20 ms at 8 kHz and, unless null, at 16 kHz. */
  take(narrow: Int16Array, wide: Int16Array | null): void {
    const source = this.#wideSource()
    if (source) {
      const samples = wide ?? this.#wide
      source.take(samples)
      this.#down.run(samples, narrow)
      return
    }
    if (this.#current === 'opus') this.#opus?.take(narrow)
    else this.#g711.take(narrow)
    if (wide) this.#up.run(narrow, wide)
  }

  #wideSource(): G722Receiver | OpusReceiver | null {
    if (this.#current === 'g722') return this.#g722
    return this.#current === 'opus' && this.#opusForm.rate === 16_000 ? this.#opus : null
  }
}
