// G.711, µ-law and A-law. Both directions are a table lookup.

export type Codec = 'PCMU' | 'PCMA'

/** RFC 3551: the static payload types. */
export const staticPayloadType: Record<Codec, number> = { PCMU: 0, PCMA: 8 }

/** 20 ms at 8 kHz. */
export const samplesPerFrame = 160
export const bytesPerSecond = 8_000

const toLinear: Record<Codec, Int16Array> = {
  PCMU: Int16Array.from({ length: 256 }, (_, code) => linearOfUlaw(code)),
  PCMA: Int16Array.from({ length: 256 }, (_, code) => linearOfAlaw(code)),
}

const fromLinear: Record<Codec, Uint8Array> = { PCMU: codesOf(codeOfUlaw), PCMA: codesOf(codeOfAlaw) }

export const ulawSilence = 0xff

export const linearTable = (codec: Codec): Int16Array => toLinear[codec]

export function decode(codec: Codec, bytes: Uint8Array): Int16Array {
  const table = toLinear[codec]
  const samples = new Int16Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) samples[i] = table[bytes[i] ?? 0] ?? 0
  return samples
}

export function encode(codec: Codec, samples: Int16Array): Buffer {
  const bytes = Buffer.allocUnsafe(samples.length)
  encodeInto(codec, samples, bytes, 0)
  return bytes
}

export function encodeInto(codec: Codec, samples: Int16Array, bytes: Uint8Array, at: number): void {
  const table = fromLinear[codec]
  for (let i = 0; i < samples.length; i++) bytes[at + i] = table[(samples[i] ?? 0) & 0xffff] ?? 0
}

function codesOf(codeOf: (sample: number) => number): Uint8Array {
  const codes = new Uint8Array(65_536)
  for (let sample = -32_768; sample < 32_768; sample++) codes[sample & 0xffff] = codeOf(sample)
  return codes
}

function linearOfUlaw(code: number): number {
  const bits = ~code & 0xff
  const magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4)) - 0x84
  return bits & 0x80 ? -magnitude : magnitude
}

function codeOfUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84
  const exponent = 31 - Math.clz32(magnitude) - 7
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff
}

function linearOfAlaw(code: number): number {
  const bits = code ^ 0x55
  const exponent = (bits & 0x70) >> 4
  const mantissa = ((bits & 0x0f) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return bits & 0x80 ? magnitude : -magnitude
}

function codeOfAlaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_767)
  const exponent = magnitude < 256 ? 0 : 31 - Math.clz32(magnitude) - 7
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f
  return (sign | (exponent << 4) | mantissa) ^ 0x55
}
