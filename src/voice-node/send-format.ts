import type { AudioFormat } from '../media/codecs.ts'
import type { OpusRate } from '../media/opus.ts'

/** The negotiated format of a stream. */
export interface SendFormat extends AudioFormat {
  /** Further payload types of our SDP: after an offer of several codecs the far end may send any of them. */
  alsoReceives?: readonly AudioFormat[]
  telephoneEvent: number | null
  /** Clock rate of telephone events; 8,000 by default. */
  eventRate?: 8_000 | 48_000
  /** Length of the packets that we send: 20 by default, and always with Opus. */
  ptimeMs?: number
  /** Opus at 16 kHz; otherwise its bandwidth is that of the telephone network. */
  isWideband?: boolean
  /** Opus as on a good network: it starts with a shorter delay. */
  isLowDelay?: boolean
}

/** Of the audio, not of the RTP clock. */
export const sampleRateOf = ({ codec, isWideband }: Pick<SendFormat, 'codec' | 'isWideband'>): OpusRate =>
  codec === 'G722' || (codec === 'opus' && isWideband) ? 16_000 : 8_000
