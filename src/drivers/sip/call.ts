import type { CallerIdVerification } from '../../domain/caller-id.ts'
import type { VoiceFact, VoiceFactOf } from '../../domain/voice.ts'
import type { MediaDirection } from './direction.ts'
import type { HangupReason, RejectReason } from './outcome.ts'

/** One leg on a trunk. The driver negotiates media: SDP passes through as text. */
export interface SipCall {
  /** Call-ID and our tag, separated by `|`. */
  readonly id: string
  readonly trunkId: string
  readonly direction: 'incoming' | 'outgoing'
  /** E.164, or `anonymous`. */
  readonly from: string
  readonly to: string
  /** The caller's display name: untrusted text, at most 128 characters. */
  readonly displayName: string
  /** STIR/SHAKEN, as far as the carrier reports it. */
  readonly callerId: CallerIdVerification | undefined
  /** The caller's offer; undefined if the INVITE had none and asks for ours. */
  readonly sdp: string | undefined
  /** The first provisional response must have our offer, which the PRACK answers. */
  readonly asksForEarlyOffer: boolean
  /** The source address of the far end's messages; undefined before the first one. */
  remoteAddress(): string | undefined

  /** Incoming: 180, or 183 with an answer for early media; reliable if the caller requires it. */
  progress(code: 180 | 181 | 182 | 183, sdp?: string): void
  answer(sdp: string): void
  reject(why: RejectReason): void
  /** Sends BYE, CANCEL or a final response, depending on the state; nothing once the call has ended. */
  hangup(reason?: HangupReason): void
  /** Sends a re-INVITE, or an UPDATE before the call is answered; resolves with the SDP answer, undefined if the far end rejected the offer. */
  offer(sdp: string): Promise<string | undefined>
  /** The transfer that the far end asked for is refused. */
  refuseRefer(): void
  /** Earlier events are buffered and delivered first. */
  on(listener: (event: SipCallEvent) => void): void
}

/** Events of the voice driver, to which it adds the leg; with the SDP from which it negotiates the media. */
export type SipCallEvent =
  /** The state that endDialog needs after a crash; each replaces the previous one. */
  | EventOfCall<'leg.dialog'>
  | (EventOfCall<'leg.progress'> & SdpAnswer)
  /** Outgoing: the far end answered. Incoming: it acknowledged our answer. Without SDP, that of early media holds. */
  | (EventOfCall<'leg.answered'> & SdpAnswer)
  | EventOfCall<'leg.dtmf'>
  /** `replaces`: another dialog of the device (RFC 3891). */
  | { kind: 'leg.referred'; to: string; replaces?: ReplacedDialog }
  /** Once, as the last event. */
  | EventOfCall<'leg.ended'>
  /** A re-INVITE, or an UPDATE or PRACK with an offer. Call `reply` once, with our answer in the given direction, or without to reject it. */
  | { kind: 'sdp.offer'; sdpOffer: string; hold: boolean; direction: MediaDirection; reply(sdp?: string): void }
  /** The far end's answer to an offer that it requested. */
  | { kind: 'sdp.answer'; sdpAnswer: string }

type EventOfCall<K extends VoiceFact['kind']> = Omit<VoiceFactOf<K>, 'leg'>

/** The far end's answer to our offer. */
interface SdpAnswer {
  sdpAnswer?: string
}

export interface ReplacedDialog {
  callId: string
  tags: readonly string[]
}

export interface Emitter {
  emit(event: SipCallEvent): void
  on(listener: (event: SipCallEvent) => void): void
}

export function createEmitter(): Emitter {
  let current: ((event: SipCallEvent) => void) | undefined
  let isOver = false
  const held: SipCallEvent[] = []
  return {
    emit(event) {
      if (isOver) return
      isOver = event.kind === 'leg.ended'
      if (current) current(event)
      else held.push(event)
    },
    on(listener) {
      current = listener
      for (const event of held.splice(0)) listener(event)
    },
  }
}
