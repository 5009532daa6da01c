import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { OpusRate } from './opus.ts'

// libopus in WebAssembly, from the package of our encoder. Its interface only decodes packets; called directly, the library
// also conceals lost packets and recovers them from the redundancy (in-band FEC) of the following packet.

/** The exported functions of the WebAssembly file. */
interface Library {
  memory: WebAssembly.Memory
  malloc(bytes: number): number
  free(at: number): void
  opus_decoder_get_size(channels: number): number
  opus_decoder_init(decoder: number, rate: number, channels: number): number
  opus_decode(decoder: number, packet: number, bytes: number, samples: number, frameSize: number, fec: number): number
}

const maxPacketBytes = 1_500
/** 120 ms, the longest packet there is. */
const maxSamplesAt = (rate: OpusRate) => (rate * 120) / 1_000

let library: { calls: Library; packet: number; samples: number } | undefined
const released = new FinalizationRegistry<number>((decoder) => library?.calls.free(decoder))

function loaded() {
  if (library) return library
  const file = createRequire(import.meta.url).resolve('@evan/opus/wasm/opus.wasm')
  const module = new WebAssembly.Module(readFileSync(file))
  const nothing = () => 0
  const { exports: calls } = new WebAssembly.Instance<Library>(module, {
    wasi_snapshot_preview1: { fd_seek: nothing, fd_write: nothing, fd_close: nothing, proc_exit: nothing },
    env: { emscripten_notify_memory_growth: nothing },
  })
  library = { calls, packet: calls.malloc(maxPacketBytes), samples: calls.malloc(2 * maxSamplesAt(16_000)) }
  return library
}

/** Decodes one stream at any rate: libopus resamples. The result is valid until the next call; null if the packet is not Opus. */
export class OpusDecoder {
  readonly #at: number
  readonly #maxSamples: number

  constructor(rate: OpusRate = 8_000) {
    const { calls } = loaded()
    this.#maxSamples = maxSamplesAt(rate)
    this.#at = calls.malloc(calls.opus_decoder_get_size(1))
    released.register(this, this.#at)
    if (calls.opus_decoder_init(this.#at, rate, 1) !== 0) throw new Error('the Opus decoder cannot be initialised')
  }

  decode(packet: Uint8Array): Int16Array | null {
    return packet.length === 0 ? null : this.#run(packet, this.#maxSamples, 0)
  }

  /** Recovers the `samples` before this packet from its FEC data; conceals them if it has none. */
  recover(packet: Uint8Array, samples: number): Int16Array | null {
    return packet.length === 0 ? null : this.#run(packet, samples, 1)
  }

  /** Packet loss concealment. */
  conceal(samples: number): Int16Array | null {
    return this.#run(null, samples, 0)
  }

  #run(packet: Uint8Array | null, samples: number, fec: 0 | 1): Int16Array | null {
    const own = loaded()
    if (packet && packet.length > maxPacketBytes) return null
    if (packet) new Uint8Array(own.calls.memory.buffer).set(packet, own.packet)
    const at = packet ? own.packet : 0
    const count = own.calls.opus_decode(this.#at, at, packet?.length ?? 0, own.samples, samples, fec)
    return count > 0 ? new Int16Array(own.calls.memory.buffer, own.samples, count) : null
  }
}
