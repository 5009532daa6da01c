import type { LegId } from '../domain/voice.ts'
import type { RtpStream } from './stream.ts'

/** One party's sound. People at browsers are the internal side of a recording, trunks the external one. */
export interface Leg {
  readonly id: LegId
  readonly side: 'internal' | 'external'
  readonly stream: RtpStream
  /** Whether the far end can be spoken to now. */
  readonly maySend: boolean
  readonly foreign: number
  close(): void
}
