import { createRequire } from 'node:module'

// Opus at the rate of our rooms. On the wire it counts time at 48 kHz, whatever it carries.

const rate = 8_000
/** A timestamp of the wire has moved by this much when one sample of ours has passed. */
export const opusClockFactor = 6
/** Wide enough for speech at 8 kHz, with what is needed to make up for losses. */
const bitsPerSecond = 24_000
/** Of 10: half the work of the most. */
const complexity = 5
const expectedLossPercent = 10

const load = createRequire(import.meta.url)
let builds: Pick<typeof import('@evan/opus'), 'Decoder' | 'Encoder'> | null | undefined

/** Whether calls can have it here. The build in WebAssembly takes twice as long, so it is left to files. */
export const hasOpus = (): boolean => loaded() !== null

function loaded() {
  if (builds !== undefined) return builds
  try {
    load('@evan/opus/node/index.js')
    builds = load('@evan/opus') as typeof import('@evan/opus')
  } catch {
    // No binary for this system.
    builds = null
  }
  return builds
}

/** One direction each, because each remembers what it has heard. Undefined: there is none here. */
export function opusDecoder() {
  const decoder = loaded()
  return decoder ? new OpusDecoder(new decoder.Decoder({ channels: 1, sample_rate: rate })) : undefined
}

export function opusEncoder(): ((frame: Int16Array) => Uint8Array) | undefined {
  const build = loaded()
  if (!build) return undefined
  const encoder = new build.Encoder({ channels: 1, sample_rate: rate, application: 'voip' })
  encoder.bitrate = bitsPerSecond
  encoder.complexity = complexity
  encoder.signal = 'voice'
  encoder.inband_fec = true
  encoder.packet_loss = expectedLossPercent
  return (frame) => encoder.encode(frame)
}

export class OpusDecoder {
  readonly #decoder: { decode(packet: Uint8Array): Uint8Array }
  #lost: Uint8Array | null = null

  constructor(decoder: { decode(packet: Uint8Array): Uint8Array }) {
    this.#decoder = decoder
  }

  /** Null when it is no packet of Opus. */
  decode(packet: Uint8Array): Int16Array | null {
    const samples = this.#read(packet)
    // RFC 6716 §3.1: the first byte tells how long frames are; without its two last bits it announces one of them.
    if (samples) this.#lost = Uint8Array.of((packet[0] ?? 0) & 0xfc)
    return samples
  }

  /**
   * What a packet that is missing may have been: a packet with a head and nothing in it makes the decoder go on from what it
   * has heard. (What the next packet repeats of it cannot be asked for through this package.)
   */
  conceal(): Int16Array | null {
    return this.#lost && this.#read(this.#lost)
  }

  #read(packet: Uint8Array): Int16Array | null {
    // The library is not asked about nothing, at which it throws.
    if (packet.length === 0) return null
    try {
      const bytes = this.#decoder.decode(packet)
      return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1)
    } catch {
      return null
    }
  }
}
