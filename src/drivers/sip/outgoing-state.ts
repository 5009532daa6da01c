import type { EndReason } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import type { RequestAttempt } from './attempt.ts'
import type { Emitter } from './call.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import type { Header } from './message.ts'
import { endReasonOf, type HangupReason, reasonHeader } from './outcome.ts'
import type { SipTarget } from './resolve.ts'
import type { DialogSession } from './session.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

export interface InviteOptions {
  trunkId: string
  to: string
  from: string
  anonymous?: boolean
  headers?: Record<string, string>
  sdp: string
  /** The contact of a device; the INVITE goes there. */
  target?: { uri: string; flow: SipFlow; displayName?: string | undefined }
  /** Ring timeout. */
  timeoutMs: number
  /** Timeout for the first response; 64·T1 if absent. Set where another trunk can be tried. */
  silenceMs?: number
}

/** The state of an outbound call; read and changed by the functions of outgoing-*.ts only. */
export interface OutgoingState {
  readonly endpoint: SipEndpoint
  readonly trunk: SipTrunkSettings
  readonly options: InviteOptions
  readonly callId: string
  readonly tag: string
  /** From, To and the identity of the caller, and custom headers. */
  readonly identity: Header[]
  readonly custom: Header[]
  readonly emitter: Emitter
  /** One session per answering end, by its tag; most calls have one. */
  readonly forks: Map<string, DialogSession>
  /** The RSeq of the last reliable provisional response that was acknowledged, by the tag of its fork. */
  readonly acknowledged: Map<string, number>
  /** The addresses that our INVITE was sent to. */
  readonly asked: Set<string>
  /** Forks to which BYE was sent. */
  readonly endedForks: Set<DialogSession>
  /** Called once, when the far end has confirmed the end of the call. */
  readonly released: () => void
  /** Where the INVITE goes; a 302 may change it once. */
  uri: string
  place: SipTarget
  isRedirected: boolean
  seq: number
  /** The shortest session interval that the far end accepts, in seconds. */
  minInterval: number
  attempt: RequestAttempt
  phase: 'calling' | 'up' | 'ended'
  /** The fork that answered first. */
  chosen: DialogSession | undefined
  isReleased: boolean
  cancelTimeout: Cancel
  cancelSilence: Cancel
}

export function endOutgoing(call: OutgoingState, reason: EndReason, code?: number): void {
  if (call.phase === 'ended') return
  call.phase = 'ended'
  call.cancelTimeout()
  call.cancelSilence()
  call.emitter.emit({ kind: 'leg.ended', reason, ...(code !== undefined && { code }) })
}

export function releaseOutgoing(call: OutgoingState): void {
  if (call.isReleased) return
  call.isReleased = true
  for (const fork of call.forks.values()) fork.stop()
  call.endpoint.release(call.callId, call.tag)
  call.released()
}

export function hangUpOutgoing(call: OutgoingState, why: HangupReason = call.phase === 'up' ? 'hangup' : 'cancelled') {
  if (call.phase === 'ended') return
  const answered = call.chosen
  const reason = endReasonOf(why)
  endOutgoing(call, reason)
  if (!answered) return call.attempt.cancel([{ name: 'reason', value: reasonHeader(why) }])
  const release = () => releaseOutgoing(call)
  answered.stop()
  answered.bye(reason).then(release, release)
}

/** A later response is handled with CANCEL, or with ACK and BYE. */
export function startSilenceTimer(call: OutgoingState): void {
  const { silenceMs } = call.options
  call.cancelSilence()
  if (silenceMs === undefined || call.phase !== 'calling') return
  call.cancelSilence = call.endpoint.clock.machineAfter(silenceMs, () => hangUpOutgoing(call, 'failed'))
}
