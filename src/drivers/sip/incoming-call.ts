import type { EndReason } from '../../domain/voice.ts'
import { parseUri, parseVia } from './address.ts'
import { answerFlow } from './answer-flow.ts'
import { makeResponse, newTag, sdpOf } from './build.ts'
import { createEmitter, type SipCall } from './call.ts'
import { callerVerificationOf } from './caller-verification.ts'
import { dialogOfRequest, isOfDialog } from './dialog.ts'
import type { DialogParty, SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import { callPartiesOf } from './identity.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { byeAndRelease, endIncoming, type IncomingState, releaseIncoming, respondToInvite } from './incoming-state.ts'
import { header, headerList, type SipRequest } from './message.ts'
import { endReasonOf, type HangupReason, refusals } from './outcome.ts'
import { asksForEarlyOffer, handlePrack, sendProvisional } from './reliable-responses.ts'
import { saveDialog, saveRinging } from './saved-dialog.ts'
import { createSession } from './session.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

export interface IncomingCall extends DialogParty {
  call: SipCall
  cancel(): void
  /** Resolves when the far end has confirmed the end of the call. */
  closed: Promise<void>
}

/** An inbound call: rings from its INVITE on, until the final response. */
export function createIncomingCall(
  endpoint: SipEndpoint,
  invite: IncomingRequest,
  trunk: SipTrunkSettings,
  released: () => void,
): IncomingCall {
  const { request, flow } = invite
  let setClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    setClosed = resolve
  })
  const state = newState(endpoint, invite, trunk, () => {
    released()
    setClosed()
  })
  const { callId, tag, emitter } = state
  const party: DialogParty = {
    accepts: (address) => endpoint.isTrunkAddress(trunk.id, address) || state.session.isPeer(address),
    receive: (incoming) => receive(state, incoming),
  }
  endpoint.adopt(callId, tag, party)
  invite.respond(makeResponse(request, 100, undefined))
  emitter.emit({ kind: 'leg.dialog', dialog: saveRinging(trunk.id, request, tag, wayBack(request, flow)) })
  return { call: sipCallOf(state), ...party, closed, cancel: () => cancel(state) }
}

function newState(
  endpoint: SipEndpoint,
  invite: IncomingRequest,
  trunk: SipTrunkSettings,
  released: () => void,
): IncomingState {
  const { request, flow } = invite
  const tag = newTag()
  const contactUser = parseUri(request.uri)?.user ?? ''
  const emitter = createEmitter()
  const dialog = dialogOfRequest(trunk.id, request, tag)
  const session = createSession(
    endpoint,
    { dialog, flow, contactUser, ownsCallId: false, firstMessage: request },
    {
      emit: emitter.emit,
      changed: () => emitDialog(call),
      ended: () => endIncoming(call, call.phase === 'ringing' ? 'cancelled' : 'hangup'),
      lost: () => onLost(call),
    },
  )
  const call: IncomingState = {
    endpoint,
    invite,
    trunk,
    callId: header(request, 'call-id') ?? '',
    tag,
    contactUser,
    emitter,
    session,
    released,
    phase: 'ringing',
    byeWaits: undefined,
    reliable: undefined,
    isSdpSent: false,
    rseq: 0,
    isReleased: false,
  }
  return call
}

const emitDialog = ({ emitter, session }: IncomingState) =>
  emitter.emit({ kind: 'leg.dialog', dialog: saveDialog(session.dialog(), session.flow()) })

/** The far end never acknowledged our 200, or its session timer expired. */
function onLost(call: IncomingState): void {
  const reason = call.byeWaits ?? 'lost'
  call.byeWaits = reason
  endIncoming(call, reason)
  byeAndRelease(call, reason)
}

function sipCallOf(state: IncomingState): SipCall {
  const { callId, tag, trunk, invite, session, emitter } = state
  return {
    id: `${callId}|${tag}`,
    trunkId: trunk.id,
    direction: 'incoming',
    ...callPartiesOf(invite.request, trunk),
    sdp: sdpOf(invite.request),
    asksForEarlyOffer: asksForEarlyOffer(invite.request),
    callerId: callerVerificationOf(invite.request),
    remoteAddress: () => session.flow().address,
    progress: (code, sdp) => sendProvisional(state, code, sdp),
    answer: (sdp) => answer(state, sdp),
    reject: (why) => state.phase === 'ringing' && refuse(state, refusals[why].status, 'rejected'),
    hangup: (reason) => hangUp(state, reason),
    offer: (sdp) => session.offer(sdp),
    refuseRefer: () => session.refuseRefer(),
    on: emitter.on,
  }
}

function answer(call: IncomingState, sdp: string) {
  const { session, invite, emitter } = call
  if (call.phase !== 'ringing') return
  if (call.reliable) return void call.reliable.afterwards.push(() => answer(call, sdp))
  call.phase = 'answered'
  emitDialog(call)
  if (!call.isSdpSent) session.settle({ remote: sdpOf(invite.request) })
  session.answerInvite(invite, call.isSdpSent ? '' : sdp, (answered) => {
    if (call.byeWaits !== undefined) return byeAndRelease(call, call.byeWaits)
    call.phase = 'up'
    session.settle({ remote: answered })
    emitter.emit({ kind: 'leg.answered', ...(answered !== undefined && { sdpAnswer: answered }) })
  })
}

function refuse(call: IncomingState, status: number, reason: EndReason): void {
  respondToInvite(call, status, status === 503 ? [{ name: 'retry-after', value: '10' }] : [])
  endIncoming(call, reason, status)
}

function hangUp(call: IncomingState, why: HangupReason = call.phase === 'ringing' ? 'cancelled' : 'hangup') {
  if (call.phase === 'ended') return
  const reason = endReasonOf(why)
  if (call.phase === 'ringing') {
    return refuse(call, statusFor(reason), reason)
  }
  const isUp = call.phase === 'up'
  call.byeWaits = reason
  endIncoming(call, reason)
  if (isUp) byeAndRelease(call, reason)
}

/** The final response to an INVITE that was not answered. */
function statusFor(reason: EndReason): number {
  if (reason === 'busy') return 486
  if (reason === 'rejected') return 603
  // The carrier may try another server.
  return reason === 'lost' ? 503 : 480
}

/** The caller sent CANCEL. */
function cancel(call: IncomingState): void {
  if (call.phase !== 'ringing') return
  respondToInvite(call, 487)
  endIncoming(call, 'cancelled', 487)
}

/** A request of the far end within the dialog. */
function receive(call: IncomingState, incoming: IncomingRequest) {
  const { method } = incoming.request
  if (!isOfDialog(call.session.dialog(), incoming.request)) {
    return incoming.respond(makeResponse(incoming.request, 481, undefined))
  }
  if (method === 'PRACK') return handlePrack(call, incoming)
  if (method === 'BYE' && call.phase === 'ringing') respondToInvite(call, 487)
  call.session.receive(incoming)
  if (call.phase === 'ended' && method === 'BYE') releaseIncoming(call)
}

/** RFC 3261 §18.2.2: where another process would send the response; on a stream the connection ends with this process. */
function wayBack(request: SipRequest, flow: SipFlow): SipFlow {
  if (flow.transport === 'udp') return answerFlow(request, flow)
  const via = parseVia(headerList(request, 'via')[0] ?? '')
  return { ...flow, port: via?.port ?? (flow.transport === 'tls' ? 5061 : 5060) }
}
