import { makeResponse, mentions } from './build.ts'
import { withRemoteSeq } from './dialog.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { endIncoming, type IncomingState, respondToInvite } from './incoming-state.ts'
import { type Header, header } from './message.ts'
import { repeatUntilStopped } from './until-acked.ts'

/** Sends a provisional response to the INVITE: reliable, if the caller requires it (RFC 3262). */
export function sendProvisional(call: IncomingState, code: number, sdp = '') {
  if (call.phase !== 'ringing') return
  if (!mentions(call.invite.request, 'require', '100rel') || code === 100) return respondToInvite(call, code, [], sdp)
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
  call.reliable = { seq, stop, afterwards: [] }
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
  incoming.respond(makeResponse(incoming.request, 200, undefined))
  for (const next of reliable.afterwards) next()
}
