import type { EndReason } from '../../domain/voice.ts'
import type { FinalOutcome } from './attempt.ts'
import { mentions } from './build.ts'
import type { Dialog } from './dialog.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import type { IncomingRequest } from './incoming-request.ts'
import type { Header, SipRequest, SipResponse } from './message.ts'
import { reasonHeader } from './outcome.ts'
import { notifyRefer } from './refer.ts'
import { answerInvite, handleOffer, receiveRequest } from './session-answers.ts'
import { sendOffer, setTimer } from './session-offers.ts'
import {
  acknowledge,
  isSettled,
  learnPeers,
  type SessionHooks,
  type SessionState,
  sendRequest,
} from './session-state.ts'
import type { SessionTimer } from './session-timer.ts'

export type { SessionHooks } from './session-state.ts'

/** An established or early dialog, inbound or outbound: re-INVITE and UPDATE, session timer, DTMF, BYE. */
export interface DialogSession {
  dialog(): Dialog
  /** The source of the far end's last request. */
  flow(): SipFlow
  /** Whether the address belongs to the far end: the source of its requests, its Contact, or its first route. */
  isPeer(address: string): boolean
  setDialog(dialog: Dialog): void
  /** Handles a request within the dialog; BYE calls the `ended` hook. */
  receive(incoming: IncomingRequest): void
  /** Handles the offer of a PRACK, whose response has the answer. */
  receiveOffer(incoming: IncomingRequest): void
  /** By re-INVITE, before the answer by UPDATE; resolves with the SDP answer. */
  offer(sdp: string): Promise<string | undefined>
  /** Reports that the transfer which the far end asked for is refused. */
  refuseRefer(): void
  bye(reason: EndReason): Promise<void>
  /** Sends any request within the dialog; used for PRACK. */
  request(method: string, headers: Header[]): Promise<FinalOutcome>
  /** Sends the ACK of a 2xx to our INVITE, and again for each retransmission. */
  acknowledge(response: SipResponse, invite: SipRequest): Promise<void>
  /** Retransmits our 2xx until it is acknowledged. */
  answerInvite(incoming: IncomingRequest, sdp: string, acked: (sdp: string | undefined) => void): void
  setTimer(timer: SessionTimer | undefined): void
  /** Stores the SDP of both sides, so that a refresh without changes gets the same answer. */
  settle(sdp: { local?: string | undefined; remote?: string | undefined }): void
  /** Whether an offer was answered. */
  isSettled(): boolean
  /** An offer was answered after that of the INVITE. */
  isRenegotiated(): boolean
  stop(): void
}

interface Begin {
  dialog: Dialog
  flow: SipFlow
  contactUser: string
  /** The owner of the Call-ID waits longer after a glare (RFC 3261 §14.1). */
  ownsCallId: boolean
  /** The first message of the far end, for its capabilities. */
  firstMessage: SipRequest | SipResponse
}

export function createSession(endpoint: SipEndpoint, begin: Begin, hooks: SessionHooks): DialogSession {
  const { dialog, flow, contactUser, ownsCallId, firstMessage } = begin
  const session: SessionState = {
    endpoint,
    hooks,
    contactUser,
    ownsCallId,
    peerAddresses: new Set([flow.address]),
    dialog,
    flow,
    canUpdate: mentions(firstMessage, 'allow', 'UPDATE'),
    isConfirmed: false,
    isRenegotiated: false,
    local: undefined,
    remote: undefined,
    pending: undefined,
    asked: undefined,
    unacked: undefined,
    refer: false,
    timer: undefined,
    cancelTimer() {},
    cancelGlare() {},
    lastAck: Promise.resolve(),
    isOver: false,
  }
  learnPeers(session)

  return {
    dialog: () => session.dialog,
    flow: () => session.flow,
    isPeer: (address) => session.peerAddresses.has(address),
    setDialog(next) {
      session.dialog = next
      learnPeers(session)
    },
    receive: (incoming) => receiveRequest(session, incoming),
    receiveOffer: (incoming) => handleOffer(session, incoming),
    offer: (sdp) => sendOffer(session, sdp),
    refuseRefer: () => void notifyRefer(session, 'refused'),
    async bye(reason) {
      await session.lastAck
      // The call ends because its transfer has succeeded.
      void notifyRefer(session, 'done')
      await sendRequest(session, 'BYE', [{ name: 'reason', value: reasonHeader(reason) }])
    },
    request: (method, headers) => sendRequest(session, method, headers),
    acknowledge: (response, invite) => acknowledge(session, response, invite),
    answerInvite: (incoming, sdp, acked) => answerInvite(session, incoming, sdp, acked),
    setTimer: (timer) => setTimer(session, timer),
    settle({ local, remote }) {
      session.local = local ?? session.local
      session.remote = remote ?? session.remote
    },
    isSettled: () => isSettled(session),
    isRenegotiated: () => session.isRenegotiated,
    stop() {
      session.isOver = true
      session.cancelTimer()
      session.cancelGlare()
      session.unacked?.stop()
    },
  }
}
