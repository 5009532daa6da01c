import type { DialOptions, EndReason } from '../../domain/voice.ts'
import type { Line } from '../../engine/trunk-manager.ts'

/** Why the SIP ports are not open. */
export interface PortProblem {
  port: number
  code: string
  /** Another process of this installation may have bound it. */
  isHeldByAnother: boolean
}

/** Signalling as the driver uses it. SDP is opaque text, and the driver chooses the id of each call. */
export interface SipCalls {
  portProblem?(): PortProblem | undefined
  start(): Promise<void>
  drain(): Promise<void>
  /** `call` must be unused, or belong to a call that has ended. */
  dial(call: string, trunkId: string, options: DialOptions & { sdpOffer: string; silenceMs?: number }): Promise<void>
  /** 180, or 183 with the answer. */
  ringing(call: string, sdpAnswer?: string): Promise<void>
  answer(call: string, sdpAnswer: string): Promise<void>
  /** Sends CANCEL, BYE or a final response, depending on the state of the call. Returns the status of a final response. */
  end(
    call: string,
    why: 'busy' | 'unknown' | 'unavailable' | 'overloaded' | 'declined' | 'hangup' | 'unusable',
  ): Promise<number | undefined>
  /** Hangs up a call of this process. A dialog of another process is torn down as soon as the SIP stack is open. */
  endDialog(dialog: string): Promise<void>
  setTrunks(lines: readonly Line[]): void
  close(): Promise<void>
  /** How the media of a trunk is handled, judged by the address of the call's far end once that is known. */
  trunk(trunkId: string, call?: string): Promise<TrunkMedia>
  /** The source address of the far end's SIP messages; undefined before the first one. */
  signallingAddress(call: string): string | undefined
  on(listener: (event: SipEvent) => void): void
}

export interface TrunkMedia {
  /** The far end is on a private network, so private addresses in its SDP are valid. */
  isPrivate: boolean
  behindNat: boolean
  encrypted: boolean
  /** Our own address in the SDP. */
  mediaAddress: string
}

export type SipEvent =
  | { kind: 'incoming'; call: string; trunkId: string; from: string; to: string; sdpOffer: string | null }
  | { kind: 'dialog'; call: string; dialog: string }
  | { kind: 'progress'; call: string; code: number; sdpAnswer?: string }
  /** Null: the SDP of an earlier provisional response (early media) holds. */
  | { kind: 'answered'; call: string; sdpAnswer: string | null }
  /** The SDP answer to an offer that we made on request. */
  | { kind: 'settled'; call: string; sdpAnswer: string }
  | { kind: 'dtmf'; call: string; digit: string }
  /** A re-INVITE. `reply` takes our SDP answer; undefined rejects it. */
  | { kind: 'reoffer'; call: string; sdpOffer: string; reply(sdpAnswer: string | undefined): void }
  | { kind: 'ended'; call: string; reason: EndReason; code?: number }
  | { kind: 'trunk'; trunkId: string; up: boolean; detail?: string }
