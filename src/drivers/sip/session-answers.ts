import { secureRandom } from '../../lib/random.ts'
import { parseCSeq } from './address.ts'
import { allowedFor, allowedMethods, contentType, makeResponse, mentions, sdpOf, supportedOptions } from './build.ts'
import { withRemoteSeq } from './dialog.ts'
import { answerDirections, directionOf, isHold } from './direction.ts'
import { digitOf } from './dtmf.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { type Header, header, type SipRequest, type SipResponse } from './message.ts'
import { handleRefer } from './refer.ts'
import { setTimer } from './session-offers.ts'
import { contactHeader, isSettled, type SessionState, trunkOfSession, updateTarget } from './session-state.ts'
import { answerTimer, minInterval, timerOfAnswer } from './session-timer.ts'
import { T2 } from './transaction.ts'
import { repeatUntilStopped } from './until-acked.ts'

// Requests of the far end within a dialog.

export function receiveRequest(session: SessionState, incoming: IncomingRequest) {
  const { request } = incoming
  if (request.method === 'ACK') return acked(session, request)
  const updated = withRemoteSeq(session.dialog, request)
  // RFC 3261 §12.2.2: CSeq out of order.
  if (!updated) return respond(incoming, 500)
  session.dialog = updated
  session.flow = incoming.flow
  switch (request.method) {
    case 'BYE':
      respond(incoming, 200)
      if (session.asked?.isOpen()) respond(session.asked, 487)
      return session.hooks.ended()
    case 'INVITE':
    case 'UPDATE':
      return handleOffer(session, incoming)
    case 'INFO':
      return handleInfo(session, incoming)
    case 'OPTIONS':
      return respond(incoming, 200, [{ name: 'allow', value: allowedMethods }])
    case 'REFER':
      return handleRefer(session, incoming)
    case 'PRACK':
      return respond(incoming, 481)
    default:
      return respond(incoming, 405, [{ name: 'allow', value: allowedMethods }])
  }
}

const respond = (incoming: IncomingRequest, status: number, headers: Header[] = [], body = '') =>
  incoming.respond(makeResponse(incoming.request, status, undefined, { headers, body }))

/** An offer by re-INVITE, UPDATE or PRACK. */
export function handleOffer(session: SessionState, incoming: IncomingRequest) {
  const { request } = incoming
  const sdp = sdpOf(request)
  const isOffer = request.method === 'INVITE' || sdp !== undefined
  if (isOffer && hasOwnOffer(session, request)) return respond(incoming, 491)
  if (isOffer && hasTheirOffer(session, request)) {
    return respond(incoming, 500, [{ name: 'retry-after', value: String(Math.floor(secureRandom() * 10)) }])
  }
  if (answerTimer(request).kind === 'tooShort') {
    return respond(incoming, 422, [{ name: 'min-se', value: String(minInterval) }])
  }
  updateTarget(session, request)
  session.canUpdate = session.canUpdate || mentions(request, 'allow', 'UPDATE')
  if (request.method === 'UPDATE' && sdp === undefined) return accept(session, incoming, undefined)
  session.asked = incoming
  const { local, remote } = session
  // A refresh, or a request for our offer: nothing changes, so the media is not renegotiated.
  if (local !== undefined && (sdp === undefined || sdp === remote)) return accept(session, incoming, local)
  if (sdp === undefined) return respond(incoming, 488)
  askMedia(session, incoming, sdp)
}

// RFC 3261 §14.2 and RFC 3311 §5.2: one offer at a time. That of the INVITE is pending until its answer.

const hasOwnOffer = (session: SessionState, request: SipRequest) =>
  session.pending !== undefined || (session.ownsCallId && isInitialPending(session, request))

const hasTheirOffer = (session: SessionState, request: SipRequest) =>
  session.asked?.isOpen() || session.unacked !== undefined || isInitialPending(session, request)

const isInitialPending = (session: SessionState, { method }: SipRequest) =>
  !session.isConfirmed && (method === 'INVITE' || !isSettled(session))

function askMedia(session: SessionState, incoming: IncomingRequest, sdp: string): void {
  const direction = directionOf(sdp)
  if (incoming.request.method === 'INVITE') respond(incoming, 100)
  session.hooks.emit({
    kind: 'sdp.offer',
    sdpOffer: sdp,
    hold: isHold(direction),
    direction: answerDirections[direction],
    reply(answer) {
      if (!incoming.isOpen()) return
      if (answer === undefined) return respond(incoming, 488)
      session.remote = sdp
      session.isRenegotiated = true
      accept(session, incoming, answer)
    },
  })
}

function accept(session: SessionState, incoming: IncomingRequest, sdp: string | undefined) {
  const isDelayed = incoming.request.method === 'INVITE' && sdpOf(incoming.request) === undefined
  if (sdp !== undefined) session.local = sdp
  if (incoming.request.method !== 'INVITE') return sendOk(session, incoming, sdp)
  answerInvite(session, incoming, sdp ?? '', (answer) => {
    if (!isDelayed || answer === undefined || answer === session.remote) return
    session.remote = answer
    session.hooks.emit({ kind: 'sdp.answer', sdpAnswer: answer })
  })
}

function sendOk(session: SessionState, incoming: IncomingRequest, sdp: string | undefined): void {
  const wanted = answerTimer(incoming.request)
  if (wanted.kind === 'agreed' && incoming.request.method === 'UPDATE') setTimer(session, wanted.timer)
  incoming.respond(okTo(session, incoming, sdp ?? ''))
}

function okTo(session: SessionState, incoming: IncomingRequest, sdp: string): SipResponse {
  const { timer, dialog } = session
  const isTheirs = timer?.refresher === 'them'
  const headers: Header[] = [
    contactHeader(session, incoming.flow),
    { name: 'allow', value: allowedFor(trunkOfSession(session)) },
    { name: 'supported', value: supportedOptions },
    ...(timer ? [{ name: 'session-expires', value: timerOfAnswer(timer) }] : []),
    ...(isTheirs ? [{ name: 'require', value: 'timer' }] : []),
    ...contentType(sdp),
  ]
  const tag = /;tag=([^;]+)$/.exec(dialog.local)?.[1]
  return { ...makeResponse(incoming.request, 200, tag, { headers }), body: sdp }
}

/** Retransmits our 2xx until it is acknowledged. */
export function answerInvite(
  session: SessionState,
  incoming: IncomingRequest,
  sdp: string,
  acked: (sdp: string | undefined) => void,
): void {
  session.isConfirmed = true
  // Empty: our answer was in a reliable provisional response.
  if (sdp !== '') session.local = sdp
  const wanted = answerTimer(incoming.request)
  setTimer(session, wanted.kind === 'agreed' ? wanted.timer : session.timer)
  const response = okTo(session, incoming, sdp)
  const send = () => incoming.respond(response)
  const stop = repeatUntilStopped(session.endpoint.clock, T2, send, () => {
    session.unacked = undefined
    session.hooks.lost()
  })
  session.unacked = { seq: parseCSeq(header(incoming.request, 'cseq'))?.seq ?? 0, stop, acked }
  send()
}

function acked(session: SessionState, ack: SipRequest): void {
  const waiting = session.unacked
  if (!waiting || parseCSeq(header(ack, 'cseq'))?.seq !== waiting.seq) return
  session.unacked = undefined
  waiting.stop()
  waiting.acked(sdpOf(ack))
}

function handleInfo({ hooks }: SessionState, incoming: IncomingRequest) {
  const digit = digitOf(incoming.request)
  if (digit === undefined && incoming.request.body !== '') return respond(incoming, 415)
  respond(incoming, 200)
  if (digit) hooks.emit({ kind: 'leg.dtmf', digit })
}
