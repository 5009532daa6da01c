import { linearTable } from './g711.ts'

/** One channel, from -1 to 1. */
export interface DecodedSound {
  sampleRate: number
  samples: Float32Array
}

export type Unreadable = { problem: string }

export const sampleRates = { lowest: 4_000, highest: 192_000 } as const
const maxChannels = 8

interface Format {
  tag: number
  channels: number
  sampleRate: number
  blockAlign: number
  bits: number
}

/** PCM of 8 to 32 bits, floating point, G.711 and IMA ADPCM; channels are mixed to mono. At most `maxSeconds`. */
export function readWav(bytes: Buffer, maxSeconds: number): DecodedSound | Unreadable {
  const chunks = chunksOf(bytes)
  const head = chunks.get('fmt ')
  const data = chunks.get('data')
  if (!head || head.length < 16) return { problem: 'the WAV file has no valid header' }
  if (!data) return { problem: 'the WAV file contains no audio' }
  const format = formatOf(head)
  const { channels, sampleRate } = format
  if (channels < 1 || channels > maxChannels) return { problem: `a WAV file of ${channels} channels is not read` }
  if (sampleRate < sampleRates.lowest || sampleRate > sampleRates.highest) {
    return { problem: `a WAV file of ${sampleRate} samples per second is not read` }
  }
  const read = readerOf(format)
  if (!read) return { problem: `WAV files of kind ${format.tag} with ${format.bits} bits are not read` }
  if (read.seconds(data) > maxSeconds) return { problem: `it is longer than ${maxSeconds} seconds` }
  return { sampleRate, samples: oneChannel(read.samples(data), channels) }
}

/** The first chunk of each name; a chunk longer than the file ends with it. */
function chunksOf(bytes: Buffer): Map<string, Buffer> {
  const chunks = new Map<string, Buffer>()
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    if (!chunks.has(name)) chunks.set(name, bytes.subarray(at + 8, Math.min(at + 8 + length, bytes.length)))
    at += 8 + length + (length % 2)
  }
  return chunks
}

function formatOf(head: Buffer): Format {
  const tag = head.readUInt16LE(0)
  const extensible = tag === 0xfffe && head.length >= 26
  return {
    tag: extensible ? head.readUInt16LE(24) : tag,
    channels: head.readUInt16LE(2),
    sampleRate: head.readUInt32LE(4),
    blockAlign: head.readUInt16LE(12),
    bits: head.readUInt16LE(14),
  }
}

interface Reader {
  seconds(data: Buffer): number
  /** The samples of all channels, interleaved. */
  samples(data: Buffer): Float32Array
}

function readerOf(format: Format): Reader | undefined {
  const { tag, channels, sampleRate, bits } = format
  if (tag === 0x11 && bits === 4 && channels === 1) return imaReader(format)
  const one = sampleReader(tag, bits)
  if (!one) return undefined
  const bytesPerSample = bits / 8
  return {
    seconds: (data) => data.length / (bytesPerSample * channels * sampleRate),
    samples(data) {
      const samples = new Float32Array(Math.floor(data.length / bytesPerSample))
      for (let i = 0; i < samples.length; i++) samples[i] = one(data, i * bytesPerSample)
      return samples
    },
  }
}

function sampleReader(tag: number, bits: number): ((data: Buffer, at: number) => number) | undefined {
  switch (`${tag}/${bits}`) {
    case '1/8':
      return (data, at) => (data.readUInt8(at) - 128) / 128
    case '1/16':
      return (data, at) => data.readInt16LE(at) / 32_768
    case '1/24':
      return (data, at) => data.readIntLE(at, 3) / 8_388_608
    case '1/32':
      return (data, at) => data.readInt32LE(at) / 2_147_483_648
    case '3/32':
      return (data, at) => bounded(data.readFloatLE(at))
    case '3/64':
      return (data, at) => bounded(data.readDoubleLE(at))
    case '6/8':
      return (data, at) => (linearTable('PCMA')[data.readUInt8(at)] ?? 0) / 32_768
    case '7/8':
      return (data, at) => (linearTable('PCMU')[data.readUInt8(at)] ?? 0) / 32_768
  }
  return undefined
}

// Infinity and NaN would spread over the whole signal.
const bounded = (value: number) => (Number.isFinite(value) ? Math.max(-4, Math.min(4, value)) : 0)

function oneChannel(samples: Float32Array, channels: number): Float32Array {
  if (channels === 1) return samples
  const mixed = new Float32Array(Math.floor(samples.length / channels))
  for (let i = 0; i < mixed.length; i++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += samples[i * channels + channel] ?? 0
    mixed[i] = sum / channels
  }
  return mixed
}

const imaMoves = [-1, -1, -1, -1, 2, 4, 6, 8]

const imaSteps = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
  130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1_060,
  1_166, 1_282, 1_411, 1_552, 1_707, 1_878, 2_066, 2_272, 2_499, 2_749, 3_024, 3_327, 3_660, 4_026, 4_428, 4_871, 5_358,
  5_894, 6_484, 7_132, 7_845, 8_630, 9_493, 10_442, 11_487, 12_635, 13_899, 15_289, 16_818, 18_500, 20_350, 22_385,
  24_623, 27_086, 29_794, 32_767,
]

/** IMA ADPCM, four bits per sample: each block starts with a full sample and the step index. */
function imaReader({ blockAlign, sampleRate }: Format): Reader | undefined {
  if (blockAlign < 5 || blockAlign > 8_192) return undefined
  const perBlock = (blockAlign - 4) * 2 + 1
  const lengthOf = (data: Buffer) =>
    Math.floor(data.length / blockAlign) * perBlock + Math.max(0, ((data.length % blockAlign) - 4) * 2 + 1)
  return {
    seconds: (data) => lengthOf(data) / sampleRate,
    samples(data) {
      const samples = new Float32Array(Math.max(0, lengthOf(data)))
      let written = 0
      for (let at = 0; at + 4 <= data.length; at += blockAlign) {
        written = readBlock(data.subarray(at, at + blockAlign), samples, written)
      }
      return samples.subarray(0, written)
    },
  }
}

function readBlock(block: Buffer, samples: Float32Array, from: number): number {
  let value = block.readInt16LE(0)
  let index = Math.min(88, block.readUInt8(2))
  let written = from
  samples[written++] = value / 32_768
  for (let at = 4; at < block.length; at++) {
    const byte = block[at] ?? 0
    for (const nibble of [byte & 0x0f, byte >> 4]) {
      const step = imaSteps[index] ?? 7
      const size = (step >> 3) + (nibble & 4 ? step : 0) + (nibble & 2 ? step >> 1 : 0) + (nibble & 1 ? step >> 2 : 0)
      value = Math.max(-32_768, Math.min(32_767, nibble & 8 ? value - size : value + size))
      index = Math.max(0, Math.min(88, index + (imaMoves[nibble & 7] ?? 0)))
      samples[written++] = value / 32_768
    }
  }
  return written
}
