import type { LegId } from '../domain/voice.ts'
import type { ReportExchange } from './report-exchange.ts'
import type { RtpStream } from './stream.ts'

/** The media of one participant. Browsers are the internal side of a recording, trunks the external one. */
export interface MediaLeg {
  readonly id: LegId
  readonly side: 'internal' | 'external'
  readonly stream: RtpStream
  readonly reports: ReportExchange
  /** Sends an RTCP report when one is due; called every second. */
  report(): void
  /** Whether media may be sent to the far end now. */
  readonly maySend: boolean
  /** Packets dropped: of a foreign source, and of the far end but not RTP of a negotiated payload type. */
  readonly foreign: number
  readonly invalid: number
  close(): void
}
