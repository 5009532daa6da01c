import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { MediaProcess } from '../media-process.ts'
import type { Legs } from './legs.ts'
import type { MediaStart } from './media-start.ts'
import type { SipCalls } from './sip-calls.ts'

/** What the parts of the embedded driver share. */
export interface DriverContext {
  clock: Clock
  log: Log
  media: MediaProcess
  mediaStart: MediaStart
  sip: SipCalls
  legs: Legs
  newId(kind: string): string
  /** No new calls are accepted. */
  isDraining(): boolean
}
