import type { EndReason } from '../../domain/voice.ts'
import type { Direction } from './direction.ts'
import type { RejectReason } from './outcome.ts'

/** One leg on a trunk. Sound is negotiated by whoever holds it: SDP goes through as text. */
export interface SipCall {
  readonly id: string
  readonly trunkId: string
  readonly direction: 'incoming' | 'outgoing'
  /** E.164, or `anonymous`. */
  readonly from: string
  readonly to: string
  /** What the caller wrote beside the number: hostile text, at most 128 characters. */
  readonly displayName: string
  /** The caller's offer; undefined when it wants ours. */
  readonly sdp: string | undefined
  /** The source address of the far end's messages; undefined before the first one. */
  remoteAddress(): string | undefined

  /** Incoming: 180, or 183 with an answer for early media. */
  progress(code: 180 | 181 | 182 | 183, sdp?: string): void
  answer(sdp: string): void
  reject(why: RejectReason): void
  /** BYE, CANCEL or a refusal, as it fits; once ended, nothing. */
  hangup(reason?: EndReason): void
  /** A new offer within the call; undefined when the far end refused it. */
  offer(sdp: string): Promise<string | undefined>
  /** What happened before anybody listened is told first. */
  on(hear: (event: CallEvent) => void): void
}

export type CallEvent =
  /** What endDialog needs after a crash; each replaces the one before. */
  | { kind: 'dialog'; dialog: string }
  | { kind: 'progress'; code: number; sdp?: string }
  /** Outgoing: their answer. Incoming: our answer was confirmed; with SDP when the offer was ours. */
  | { kind: 'answered'; sdp?: string }
  /** A re-INVITE or UPDATE. `reply` is due, once: our answer in the given direction, or nothing to refuse. */
  | { kind: 'offer'; sdp: string; hold: boolean; direction: Direction; reply(sdp?: string): void }
  /** An answer to an offer that the far end asked us for. */
  | { kind: 'media'; sdp: string }
  | { kind: 'dtmf'; digit: string }
  /** Once, and last. */
  | { kind: 'ended'; reason: EndReason; code?: number }

export interface Emitter {
  emit(event: CallEvent): void
  on(hear: (event: CallEvent) => void): void
}

export function createEmitter(): Emitter {
  let hear: ((event: CallEvent) => void) | undefined
  let isOver = false
  const held: CallEvent[] = []
  return {
    emit(event) {
      if (isOver) return
      isOver = event.kind === 'ended'
      if (hear) hear(event)
      else held.push(event)
    },
    on(listener) {
      hear = listener
      for (const event of held.splice(0)) listener(event)
    },
  }
}
