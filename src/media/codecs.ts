import type { CodecName } from '../domain/trunk-line.ts'
import type { Codec } from './g711.ts'

/** The audio codecs of calls. */
export type AudioCodec = Codec | 'G722' | 'opus'

export interface AudioFormat {
  codec: AudioCodec
  payloadType: number
  /** Of Opus, where the far end limits what it receives (RFC 7587 §6.1). */
  maxBitsPerSecond?: number
}

/** RTP clock rates. RFC 3551 §4.5.2: that of G.722 is 8,000 although it samples at 16 kHz. */
export const clockRateOf = (codec: AudioCodec): number => (codec === 'opus' ? 48_000 : 8_000)

export const isWidebandCodec = (codec: AudioCodec): boolean => codec === 'G722' || codec === 'opus'

/** Codecs by their names in settings. */
export const codecsByName = { opus: 'opus', g722: 'G722', pcmu: 'PCMU', pcma: 'PCMA' } as const

export const codecNames: readonly CodecName[] = ['opus', 'g722', 'pcmu', 'pcma']

/** Of a trunk, in the order of preference: G.711, which needs no transcoding, and G.722 where the far end prefers it. */
export const defaultTrunkCodecs: readonly CodecName[] = ['pcmu', 'pcma', 'g722']
