import type { WasmMediaEncoder } from 'wasm-media-encoders'

export const sampleRate = 16_000
/** MPEG-2 layer III: 36 ms. */
export const samplesPerMp3Frame = 576

export type Channels = readonly [Float32Array] | readonly [left: Float32Array, right: Float32Array]

const kilobits = { 1: 32, 2: 48 } as const
const samplesAtOnce = 60 * sampleRate

/** At these rates every frame has the same whole number of bytes. */
export const bytesPerFrame = (channels: 1 | 2) => bytesAt(kilobits[channels])

const bytesAt = (kilobitsPerSecond: number) => (samplesPerMp3Frame * kilobitsPerSecond * 125) / sampleRate

/**
 * Encodes samples from -1 to 1 as whole frames: those of the audio, and two that flush the encoder. A frame may use bits of
 * earlier frames (bit reservoir), never of later ones, so any prefix of the result can be played.
 */
export async function encodeMp3(channels: Channels): Promise<Buffer> {
  const encoder = await loadEncoder()
  encoder.configure({ sampleRate, channels: channels.length, bitrate: kilobits[channels.length] })
  const [{ length }] = channels
  const parts: Buffer[] = []
  for (let at = 0; at < length; at += samplesAtOnce) {
    // The encoder returns its own memory, which the next call overwrites.
    parts.push(Buffer.from(encoder.encode(channels.map((samples) => samples.subarray(at, at + samplesAtOnce)))))
  }
  parts.push(Buffer.from(encoder.finalize()))
  return Buffer.concat(parts)
}

/** A streaming encoder of its own; several may be in use at the same time. */
export async function mp3Writer(channels: 1 | 2) {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate, channels, bitrate: kilobits[channels] })
  return {
    write: (sides: readonly Float32Array[]) => Buffer.from(encoder.encode([...sides])),
    end: () => Buffer.from(encoder.finalize()),
  }
}

let loading: Promise<WasmMediaEncoder<'audio/mpeg'>> | undefined

// On first use: most processes never encode.
function loadEncoder() {
  loading ??= import('wasm-media-encoders').then(({ createMp3Encoder }) => createMp3Encoder())
  return loading
}

const kilobitsByIndex = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

/** Duration in ms, by the number of frames. */
export function durationOfMp3(bytes: Buffer): number {
  let frames = 0
  for (let at = 0; at < bytes.length; at += lengthOfFrame(bytes, at)) frames++
  return (frames * samplesPerMp3Frame * 1_000) / sampleRate
}

/** ISO 13818-3: eleven set bits, MPEG-2, layer III, at 16 kHz. */
function lengthOfFrame(bytes: Buffer, at: number): number {
  const header = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0
  const isOurs = (header & 0xfffe_0c00) >>> 0 === 0xfff2_0800
  const rate = kilobitsByIndex[(header >>> 12) & 0xf]
  if (!isOurs || !rate) throw new Error(`no MPEG-2 layer III frame of 16 kHz at byte ${at}`)
  const padding = (header >>> 9) & 1
  return bytesAt(rate) + padding
}
