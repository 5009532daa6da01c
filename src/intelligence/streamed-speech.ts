import { toInt16 } from '../media/level.ts'
import { StreamResampler } from '../media/resample.ts'
import { type EngineReply, EngineTrouble, isSuccessReply } from './server.ts'
import { at8k, isMp3 } from './spoken.ts'

/** The request of a text-to-speech engine: passes on the chunks of a successful response, ends when nobody listens. */
type Ask = (take: (chunk: Buffer, type: string) => void, leaving: AbortSignal) => Promise<EngineReply>

const maxSeconds = 300
/** Audio is passed on in pieces of at least this length. */
const pieceMs = 60
/** A WAV header that is not complete after this many bytes is read with the whole file. */
const maxHeader = 4_096

/**
 * Synthesized speech at 8 kHz while it is received: 16-bit mono samples in a WAV file, or without a header at the rate
 * `bareRate`. Other formats are converted once they are complete. Returns the reply; an unsuccessful one has no speech.
 */
export async function* streamedSpeech(
  ask: Ask,
  bareRate: (type: string) => number | undefined,
): AsyncGenerator<Int16Array, EngineReply> {
  const leaving = new AbortController()
  try {
    return yield* received(ask, bareRate, leaving.signal)
  } finally {
    leaving.abort()
  }
}

async function* received(
  ask: Ask,
  bareRate: (type: string) => number | undefined,
  leaving: AbortSignal,
): AsyncGenerator<Int16Array, EngineReply> {
  let bytes: Buffer = Buffer.alloc(0)
  let contentType = ''
  let wake = () => {}
  let reply: EngineReply | undefined
  let format: StreamFormat | 'unknown' | 'whole' = 'unknown'
  const asking = ask((chunk, type) => {
    // The reply has it as a whole.
    if (format !== 'whole') bytes = Buffer.concat([bytes, chunk])
    contentType = type
    wake()
  }, leaving).then((whole) => {
    reply = whole
  })
  asking.catch(() => {}).finally(() => wake())

  let decoder: PcmStream | undefined
  while (reply === undefined) {
    await Promise.race([
      asking,
      new Promise<void>((resolve) => {
        wake = resolve
      }),
    ])
    if (format === 'unknown') {
      format = formatOf(bytes, bareRate(contentType))
      if (typeof format === 'object') {
        decoder = new PcmStream(format.rate)
        bytes = bytes.subarray(format.start)
      }
    }
    if (!decoder) continue
    const samples = decoder.add(bytes)
    bytes = Buffer.alloc(0)
    if (samples) yield samples
  }
  if (!isSuccessReply(reply)) return reply
  if (!decoder) yield await at8k(reply.bytes, bareRate(reply.type))
  else {
    const samples = decoder.end(bytes)
    if (samples.length > 0) yield samples
  }
  return reply
}

interface StreamFormat {
  rate: number
  /** Position of the first sample. */
  start: number
}

function formatOf(bytes: Buffer, bareRate: number | undefined): StreamFormat | 'unknown' | 'whole' {
  if (bytes.length < 12) return 'unknown'
  if (bytes.toString('latin1', 0, 4) !== 'RIFF') {
    return bareRate === undefined || isMp3(bytes, bareRate) ? 'whole' : { rate: bareRate, start: 0 }
  }
  let format: { tag: number; channels: number; rate: number; bits: number } | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    if (name === 'fmt ' && at + 24 <= bytes.length) {
      format = {
        tag: bytes.readUInt16LE(at + 8),
        channels: bytes.readUInt16LE(at + 10),
        rate: bytes.readUInt32LE(at + 12),
        bits: bytes.readUInt16LE(at + 22),
      }
    }
    if (name === 'data') {
      const isPlain = format?.tag === 1 && format.channels === 1 && format.bits === 16
      return format && isPlain && format.rate >= 8_000 && format.rate <= 48_000
        ? { rate: format.rate, start: at + 8 }
        : 'whole'
    }
    at += 8 + length + (length % 2)
  }
  return bytes.length > maxHeader ? 'whole' : 'unknown'
}

/** 16-bit samples to 8 kHz; a sample may be split between two chunks. */
class PcmStream {
  readonly #resampler: StreamResampler
  readonly #pieceBytes: number
  readonly #maxBytes: number
  #rest: Buffer = Buffer.alloc(0)
  #bytes = 0

  constructor(rate: number) {
    this.#resampler = new StreamResampler(rate, 8_000)
    this.#pieceBytes = 2 * Math.round((rate * pieceMs) / 1_000)
    this.#maxBytes = 2 * rate * maxSeconds
  }

  /** Undefined while there is too little for a piece. */
  add(chunk: Buffer): Int16Array | undefined {
    this.#rest = Buffer.concat([this.#rest, chunk])
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes) {
      throw new EngineTrouble(
        `The audio of the speech server cannot be played: it is longer than ${maxSeconds} seconds.`,
        false,
      )
    }
    return this.#rest.length < this.#pieceBytes ? undefined : toInt16(this.#take())
  }

  end(chunk: Buffer): Int16Array {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const last = toInt16(this.#take())
    const held = toInt16(this.#resampler.end())
    const whole = new Int16Array(last.length + held.length)
    whole.set(last)
    whole.set(held, last.length)
    return whole
  }

  #take(): Float32Array {
    const samples = new Float32Array(this.#rest.length >> 1)
    for (let i = 0; i < samples.length; i++) samples[i] = this.#rest.readInt16LE(2 * i) / 32_768
    this.#rest = this.#rest.subarray(2 * samples.length)
    return this.#resampler.add(samples)
  }
}
