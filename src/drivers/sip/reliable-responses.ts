import { makeResponse, mentions, sdpOf } from './build.ts'
import { withRemoteSeq } from './dialog.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { endIncoming, type IncomingState, respondToInvite } from './incoming-state.ts'
import { type Header, header, type SipRequest } from './message.ts'
import { repeatUntilStopped } from './until-acked.ts'

/**
 * RFC 3261 §13.2.1: an offer of ours must be in the first reliable response. Without an offer in the INVITE, that is the
 * first provisional one if the caller requires reliable ones.
 */
export const asksForEarlyOffer = (invite: SipRequest) =>
  mentions(invite, 'require', '100rel') && sdpOf(invite) === undefined

/** Reliable if the caller requires it, and with SDP if the caller supports it (RFC 3262). */
const isReliable = (invite: SipRequest, sdp: string) =>
  mentions(invite, 'require', '100rel') || (sdp !== '' && mentions(invite, 'supported', '100rel'))

/** Sends a provisional response to the INVITE. */
export function sendProvisional(call: IncomingState, code: number, sdp = '') {
  if (call.phase !== 'ringing') return
  if (code === 100 || !isReliable(call.invite.request, sdp)) return respondToInvite(call, code, [], sdp)
  // RFC 3262 §3: one at a time; the next waits until the previous one is acknowledged.
  if (call.reliable) return void call.reliable.afterwards.push(() => sendProvisional(call, code, sdp))
  const seq = ++call.rseq
  const headers: Header[] = [
    { name: 'require', value: '100rel' },
    { name: 'rseq', value: String(seq) },
  ]
  const send = () => respondToInvite(call, code, headers, sdp)
  const stop = repeatUntilStopped(call.endpoint.clock, Number.POSITIVE_INFINITY, send, () => {
    respondToInvite(call, 504)
    endIncoming(call, 'lost', 504)
  })
  call.reliable = { seq, sdp, stop, afterwards: [] }
  send()
}

export function handlePrack(call: IncomingState, incoming: IncomingRequest) {
  const { session, invite, reliable } = call
  const [seq, inviteSeq] = (header(incoming.request, 'rack') ?? '').split(/\s+/)
  const isMine = reliable && String(reliable.seq) === seq && header(invite.request, 'cseq')?.startsWith(`${inviteSeq} `)
  if (!isMine) return incoming.respond(makeResponse(incoming.request, 481, undefined))
  const updated = withRemoteSeq(session.dialog(), incoming.request)
  if (updated) session.setDialog(updated)
  call.reliable = undefined
  reliable.stop()
  respondToPrack(call, incoming, reliable.sdp)
  for (const next of reliable.afterwards) next()
}

/** RFC 3262 §5: the SDP of a PRACK answers the offer that it acknowledges; otherwise it is another offer. */
function respondToPrack(call: IncomingState, incoming: IncomingRequest, ours: string) {
  const { session, invite, emitter } = call
  const theirs = sdpOf(incoming.request)
  const offer = sdpOf(invite.request)
  const isFirstSdp = ours !== '' && !call.isSdpSent
  if (isFirstSdp) {
    call.isSdpSent = true
    session.settle({ local: ours, remote: offer ?? theirs })
  }
  const isAnswer = isFirstSdp && offer === undefined
  if (theirs !== undefined && !isAnswer) return session.receiveOffer(incoming)
  incoming.respond(makeResponse(incoming.request, 200, undefined))
  if (theirs !== undefined) emitter.emit({ kind: 'sdp.answer', sdpAnswer: theirs })
}
