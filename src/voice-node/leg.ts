import type { LegId } from '../domain/voice.ts'
import type { ReportExchange } from './report-exchange.ts'
import type { RtpStream } from './stream.ts'

/** One party's sound. People at browsers are the internal side of a recording, trunks the external one. */
export interface Leg {
  readonly id: LegId
  readonly side: 'internal' | 'external'
  readonly stream: RtpStream
  readonly reports: ReportExchange
  /** Sends an RTCP report when one is due; called every second. */
  report(): void
  /** Whether the far end can be spoken to now. */
  readonly maySend: boolean
  /** Packets dropped: of another source, and of the far end but no RTP of a negotiated payload type. */
  readonly foreign: number
  readonly invalid: number
  close(): void
}
