import { readOgg } from './ogg.ts'
import { breathe, joinedSamples } from './resample.ts'
import { openVorbis } from './vorbis.ts'
import { type DecodedSound, sampleRates, type Unreadable } from './wav.ts'

const packetsAtOnce = 32
/** Tolerated number of damaged packets. */
const maxUnreadable = 200

/** Opus and Vorbis, by the first packet. */
export async function readOggFile(bytes: Buffer, maxSeconds: number): Promise<DecodedSound | Unreadable> {
  const stream = readOgg(bytes)
  if (stream === 'damaged') return { problem: 'the Ogg file is damaged' }
  const { packets, end } = stream
  const [head] = packets
  if (!head) return { problem: 'the Ogg file contains no audio' }
  try {
    if (head.toString('latin1', 0, 8) === 'OpusHead') return await readOpus(packets, end, maxSeconds)
    if (head.toString('latin1', 0, 7) === '\u0001vorbis') return await readVorbis(packets, end, maxSeconds)
  } catch {
    // The decoders throw different errors on invalid input.
    return { problem: 'the Ogg file is damaged' }
  }
  return { problem: 'it is an Ogg file of neither Opus nor Vorbis' }
}

const opusRate = 8_000
/** RFC 7845 §4: positions are always in units of this rate. */
const positionRate = 48_000

async function readOpus([head, , ...packets]: readonly Buffer[], end: number | null, maxSeconds: number) {
  if (!head || head.length < 19) return { problem: 'the Ogg file has no valid header' }
  const channels = head.readUInt8(9)
  const isOneStream = head.readUInt8(18) === 0 ? channels === 1 || channels === 2 : head[19] === 1
  if (!isOneStream) return { problem: `an Opus file of ${channels} channels is not read` }
  // Files are untrusted, so they are decoded in WebAssembly; calls use the native build.
  const { Decoder } = await import('@evan/opus/wasm/index.mjs')
  const decoder = new Decoder({ channels: 1, sample_rate: opusRate })
  let unreadable = 0
  try {
    const sound = await inTurns(packets, opusRate, maxSeconds, async (some) =>
      some.flatMap((packet) => {
        try {
          return fromInt16(decoder.decode(packet))
        } catch (error) {
          if (++unreadable > maxUnreadable) throw error
          return []
        }
      }),
    )
    const perPosition = opusRate / positionRate
    const from = Math.round(head.readUInt16LE(10) * perPosition)
    return cut(sound, from, end === null ? null : Math.round(end * perPosition))
  } finally {
    decoder.drop()
  }
}

async function readVorbis([head, , setup, ...packets]: readonly Buffer[], end: number | null, maxSeconds: number) {
  if (!head || head.length < 30 || setup?.toString('latin1', 0, 7) !== '\u0005vorbis') {
    return { problem: 'the Ogg file has no valid header' }
  }
  const [channels, sampleRate] = [head.readUInt8(11), head.readUInt32LE(12)]
  if (channels < 1 || channels > 8) return { problem: `a Vorbis file of ${channels} channels is not read` }
  if (sampleRate < sampleRates.lowest || sampleRate > sampleRates.highest) {
    return { problem: `a Vorbis file of ${sampleRate} samples per second is not read` }
  }
  const decoder = await openVorbis(head, setup)
  try {
    const sound = await inTurns(packets, sampleRate, maxSeconds, async (some) => [asOne(await decoder.decode(some))])
    return cut(sound, 0, end)
  } finally {
    decoder.free()
  }
}

/** A small file can hold hours of audio, and decoding must not block calls. */
async function inTurns(
  packets: readonly Buffer[],
  sampleRate: number,
  maxSeconds: number,
  decode: (some: readonly Buffer[]) => Promise<Float32Array[]>,
): Promise<DecodedSound | Unreadable> {
  const pieces: Float32Array[] = []
  let length = 0
  for (let at = 0; at < packets.length; at += packetsAtOnce) {
    await breathe()
    for (const piece of await decode(packets.slice(at, at + packetsAtOnce))) {
      pieces.push(piece)
      length += piece.length
    }
    if (length > (maxSeconds + 1) * sampleRate) return { problem: `it is longer than ${maxSeconds} seconds` }
  }
  return { sampleRate, samples: joinedSamples(pieces) }
}

/** Removes the encoder's padding at the start and at the end. */
function cut(sound: DecodedSound | Unreadable, from: number, until: number | null): DecodedSound | Unreadable {
  if ('problem' in sound) return sound
  const { samples, sampleRate } = sound
  // An end position far from the last sample belongs to a part of a longer stream.
  const isNear = until !== null && until > from && samples.length - until < sampleRate
  const kept = samples.subarray(from, isNear ? until : samples.length)
  return kept.length === 0 ? { problem: 'the Ogg file contains no audio' } : { sampleRate, samples: kept }
}

function fromInt16(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from({ length: bytes.byteLength >> 1 }, (_, i) => view.getInt16(2 * i, true) / 32_768)
}

function asOne(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array()] = channels
  return first.map((_, i) => channels.reduce((sum, channel) => sum + finite(channel[i]), 0) / channels.length)
}

// NaN would spread over the whole signal.
const finite = (value = 0) => (Number.isFinite(value) ? Math.max(-4, Math.min(4, value)) : 0)
