import type { EndReason } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import { allowedMethods, makeResponse } from './build.ts'
import type { Emitter } from './call.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { IncomingRequest } from './incoming-request.ts'
import type { Header } from './message.ts'
import type { DialogSession } from './session.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

/** The state of an inbound call; read and changed by the functions of incoming-call.ts and reliable-responses.ts only. */
export interface IncomingState {
  readonly endpoint: SipEndpoint
  readonly invite: IncomingRequest
  readonly trunk: SipTrunkSettings
  readonly callId: string
  /** One tag for all responses, so that 180, 200 and 487 belong to one dialog. */
  readonly tag: string
  readonly contactUser: string
  readonly emitter: Emitter
  readonly session: DialogSession
  /** Called once, when the far end has confirmed the end of the call. */
  readonly released: () => void
  phase: 'ringing' | 'answered' | 'up' | 'ended'
  /** Hung up before the ACK; BYE has to wait for it (RFC 3261 §15). */
  byeWaits: EndReason | undefined
  /** The reliable provisional response that is not acknowledged yet, and what has to wait for its PRACK. */
  reliable: { seq: number; sdp: string; stop: Cancel; afterwards: (() => void)[] } | undefined
  /** Our SDP was in a reliable provisional response, so it is not repeated in the 200. */
  isSdpSent: boolean
  rseq: number
  isReleased: boolean
}

/** Responds to the INVITE. */
export function respondToInvite(call: IncomingState, status: number, headers: Header[] = [], body = ''): void {
  const { endpoint, invite, tag, contactUser } = call
  const ofDialog: Header[] =
    status > 100 && status < 300
      ? [
          { name: 'contact', value: endpoint.contact(invite.flow, contactUser) },
          { name: 'allow', value: allowedMethods },
        ]
      : []
  invite.respond(makeResponse(invite.request, status, tag, { headers: [...ofDialog, ...headers], body }))
}

export function endIncoming(call: IncomingState, reason: EndReason, code?: number): void {
  if (call.phase === 'ended') return
  call.phase = 'ended'
  call.reliable?.stop()
  call.emitter.emit({ kind: 'leg.ended', reason, ...(code !== undefined && { code }) })
  if (call.byeWaits === undefined) releaseIncoming(call)
}

export function releaseIncoming(call: IncomingState): void {
  if (call.isReleased) return
  call.isReleased = true
  call.session.stop()
  call.endpoint.release(call.callId, call.tag)
  call.released()
}

export function byeAndRelease(call: IncomingState, reason: EndReason): void {
  const release = () => releaseIncoming(call)
  call.session.stop()
  call.session.bye(reason).then(release, release)
}
