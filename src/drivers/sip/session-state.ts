import type { Cancel } from '../../lib/clock.ts'
import { parseCSeq } from './address.ts'
import { attempted, type FinalOutcome, type RequestAttempt } from './attempt.ts'
import { contentType } from './build.ts'
import type { SipCallEvent } from './call.ts'
import { ackIn, type Dialog, requestIn, withTarget } from './dialog.ts'
import { peersOf, type SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { type Header, header, type SipRequest, type SipResponse } from './message.ts'
import type { SessionTimer } from './session-timer.ts'

export interface SessionHooks {
  emit(event: SipCallEvent): void
  /** The far end sent BYE. */
  ended(): void
  /** The far end is gone: no ACK, no session refresh, or 408 or 481 within the dialog. */
  lost(): void
  changed(): void
}

/** The state of a dialog session; read and changed by the functions of session*.ts only. */
export interface SessionState {
  readonly endpoint: SipEndpoint
  readonly hooks: SessionHooks
  readonly contactUser: string
  /** The owner of the Call-ID waits longer after a glare (RFC 3261 §14.1). */
  readonly ownsCallId: boolean
  /** Addresses of the far end. */
  readonly peerAddresses: Set<string>
  dialog: Dialog
  flow: SipFlow
  canUpdate: boolean
  /** The INVITE has a final response. */
  isConfirmed: boolean
  /** An offer was answered after that of the INVITE. */
  isRenegotiated: boolean
  /** The SDP of both sides. */
  local: string | undefined
  remote: string | undefined
  /** Our own pending offer. */
  pending: RequestAttempt | undefined
  /** The far end's pending offer. */
  asked: IncomingRequest | undefined
  /** Our 2xx that is not acknowledged yet. */
  unacked: { seq: number; stop: Cancel; acked(sdp: string | undefined): void } | undefined
  /** A transfer that the far end asked for has no final report yet. */
  refer: boolean
  timer: SessionTimer | undefined
  cancelTimer: Cancel
  cancelGlare: Cancel
  lastAck: Promise<void>
  isOver: boolean
}

/** Whether an offer was answered. */
export const isSettled = ({ local, remote }: SessionState) => local !== undefined && remote !== undefined

export const contactHeader = ({ endpoint, contactUser }: SessionState, to: SipFlow): Header => ({
  name: 'contact',
  value: endpoint.contact(to, contactUser),
})

export const peersOfSession = ({ endpoint, dialog, flow }: SessionState) => peersOf(endpoint, dialog, flow)

export const trunkOfSession = ({ endpoint, dialog }: SessionState) => endpoint.trunk(dialog.trunkId)

/** Contact and routes may be hosts other than the sender of the INVITE, such as a gateway behind a proxy. */
export function learnPeers(session: SessionState): void {
  const { endpoint, peerAddresses } = session
  peersOfSession(session).then(
    (found) => {
      for (const { address } of found) peerAddresses.add(address)
    },
    (error) => endpoint.log.debug({ event: 'sip.peer_unresolved', error }, 'peer of a dialog could not be resolved'),
  )
}

/** The remote target of a dialog may change with each of these messages. */
export function updateTarget(session: SessionState, message: SipRequest | SipResponse): void {
  const before = session.dialog.target
  session.dialog = withTarget(session.dialog, message)
  if (session.dialog.target === before) return
  learnPeers(session)
  session.hooks.changed()
}

export function buildRequest(
  session: SessionState,
  method: string,
  peer: SipFlow,
  extra: Header[],
  body: string,
): SipRequest {
  const hasContact = method === 'INVITE' || method === 'UPDATE' || method === 'NOTIFY'
  const hasType = extra.some(({ name }) => name === 'content-type')
  const all = [...(hasContact ? [contactHeader(session, peer)] : []), ...extra, ...(hasType ? [] : contentType(body))]
  const next = requestIn(session.dialog, method, all, body)
  session.dialog = next.dialog
  return next.request
}

/** `headers` name the type of a body. */
export const sendRequest = (
  session: SessionState,
  method: string,
  headers: Header[],
  body = '',
): Promise<FinalOutcome> =>
  attempted(session.endpoint, {
    trunk: trunkOfSession(session),
    peers: () => peersOfSession(session),
    build: (peer) => buildRequest(session, method, peer, headers, body),
  })

/** Sends the ACK of a 2xx to our INVITE. */
export function acknowledge(session: SessionState, response: SipResponse, invite: SipRequest): Promise<void> {
  session.isConfirmed = true
  updateTarget(session, response)
  const credentials = invite.headers.filter(({ name }) => name === 'authorization' || name === 'proxy-authorization')
  const ack = ackIn(session.dialog, parseCSeq(header(invite, 'cseq'))?.seq ?? 0, credentials)
  session.lastAck = peersOfSession(session).then(([first]) => {
    if (first) session.endpoint.transactions.sendAck(ack, first)
  })
  return session.lastAck
}
