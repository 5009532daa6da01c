import type { EndReason } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import { secureRandom } from '../../lib/random.ts'
import { parseCSeq } from './address.ts'
import { attempt, attempted, type FinalOutcome, type RequestAttempt } from './attempt.ts'
import { allowedMethods, contentType, makeResponse, mentions, sdpOf } from './build.ts'
import type { SipCallEvent } from './call.ts'
import { ackIn, type Dialog, requestIn, withRemoteSeq, withTarget } from './dialog.ts'
import { answerDirections, directionOf, isHold } from './direction.ts'
import { digitOf } from './dtmf.ts'
import { peersOf, type SipEndpoint } from './endpoint.ts'
import { type Header, header, type SipRequest, type SipResponse } from './message.ts'
import { reasonHeader } from './outcome.ts'
import {
  agreedTimer,
  answerTimer,
  minInterval,
  type SessionTimer,
  timerMs,
  timerOfAnswer,
  timerOfRequest,
} from './session-timer.ts'
import { T2 } from './transaction.ts'
import type { IncomingRequest } from './transactions.ts'
import type { SipFlow } from './transport.ts'
import { repeatUntilStopped } from './until-acked.ts'

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
  offer(sdp: string): Promise<string | undefined>
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
  stop(): void
}

export interface SessionHooks {
  emit(event: SipCallEvent): void
  /** The far end sent BYE. */
  ended(): void
  /** The far end is gone: no ACK, no session refresh, or 408 or 481 within the dialog. */
  lost(): void
  changed(): void
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
  const { clock, transactions } = endpoint
  let { dialog, flow } = begin
  let canUpdate = mentions(begin.firstMessage, 'allow', 'UPDATE')
  let local: string | undefined
  let remote: string | undefined
  /** Our own pending offer. */
  let pending: RequestAttempt | undefined
  /** The far end's pending offer. */
  let asked: IncomingRequest | undefined
  /** Our 2xx that is not acknowledged yet. */
  let unacked: { seq: number; stop: Cancel; acked(sdp: string | undefined): void } | undefined
  let timer: SessionTimer | undefined
  let cancelTimer: Cancel = () => {}
  let cancelGlare: Cancel = () => {}
  let lastAck: Promise<void> = Promise.resolve()
  let isOver = false

  /** Contact and routes may be hosts other than the sender of the INVITE, such as a gateway behind a proxy. */
  const known = new Set([flow.address])
  function learnPeers() {
    peers().then(
      (found) => {
        for (const { address } of found) known.add(address)
      },
      (error) => endpoint.log.debug({ event: 'sip.peer_unresolved', error }, 'peer of a dialog could not be resolved'),
    )
  }

  const contact = (to: SipFlow): Header => ({ name: 'contact', value: endpoint.contact(to, begin.contactUser) })
  const peers = () => peersOf(endpoint, dialog, flow)
  const trunk = () => endpoint.trunk(dialog.trunkId)

  function build(method: string, peer: SipFlow, extra: Header[], body: string): SipRequest {
    const hasContact = method === 'INVITE' || method === 'UPDATE'
    const all = [...(hasContact ? [contact(peer)] : []), ...extra, ...contentType(body)]
    const next = requestIn(dialog, method, all, body)
    dialog = next.dialog
    return next.request
  }

  // --- requests of the far end

  function receive(incoming: IncomingRequest) {
    const { request } = incoming
    if (request.method === 'ACK') return acked(request)
    const updated = withRemoteSeq(dialog, request)
    // RFC 3261 §12.2.2: CSeq out of order.
    if (!updated) return respond(incoming, 500)
    dialog = updated
    flow = incoming.flow
    switch (request.method) {
      case 'BYE':
        respond(incoming, 200)
        if (asked?.isOpen()) respond(asked, 487)
        return hooks.ended()
      case 'INVITE':
      case 'UPDATE':
        return handleOffer(incoming)
      case 'INFO':
        return handleInfo(incoming)
      case 'OPTIONS':
        return respond(incoming, 200, [{ name: 'allow', value: allowedMethods }])
      case 'REFER':
        // Transfers are made by the call engine; the far end cannot make us dial.
        return respond(incoming, 603)
      case 'PRACK':
        return respond(incoming, 481)
      default:
        return respond(incoming, 405, [{ name: 'allow', value: allowedMethods }])
    }
  }

  const respond = (incoming: IncomingRequest, status: number, headers: Header[] = [], body = '') =>
    incoming.respond(makeResponse(incoming.request, status, undefined, { headers, body }))

  function handleOffer(incoming: IncomingRequest) {
    const { request } = incoming
    const sdp = sdpOf(request)
    const isOffer = request.method === 'INVITE' || sdp !== undefined
    // RFC 3261 §14.2 and RFC 3311 §5.2: one offer at a time.
    if (isOffer && pending) return respond(incoming, 491)
    if (isOffer && (asked?.isOpen() || unacked)) {
      return respond(incoming, 500, [{ name: 'retry-after', value: String(Math.floor(secureRandom() * 10)) }])
    }
    if (answerTimer(request).kind === 'tooShort') {
      return respond(incoming, 422, [{ name: 'min-se', value: String(minInterval) }])
    }
    const before = dialog.target
    dialog = withTarget(dialog, request)
    if (dialog.target !== before) moved()
    canUpdate = canUpdate || mentions(request, 'allow', 'UPDATE')
    if (request.method === 'UPDATE' && sdp === undefined) return accept(incoming, undefined)
    asked = incoming
    // A refresh, or a request for our offer: nothing changes, so the media is not renegotiated.
    if (local !== undefined && (sdp === undefined || sdp === remote)) return accept(incoming, local)
    if (sdp === undefined) return respond(incoming, 488)
    askMedia(incoming, sdp)
  }

  function moved() {
    learnPeers()
    hooks.changed()
  }

  function askMedia(incoming: IncomingRequest, sdp: string) {
    const direction = directionOf(sdp)
    if (incoming.request.method === 'INVITE') respond(incoming, 100)
    hooks.emit({
      kind: 'offer',
      sdp,
      hold: isHold(direction),
      direction: answerDirections[direction],
      reply(answer) {
        if (!incoming.isOpen()) return
        if (answer === undefined) return respond(incoming, 488)
        remote = sdp
        accept(incoming, answer)
      },
    })
  }

  function accept(incoming: IncomingRequest, sdp: string | undefined) {
    const isDelayed = incoming.request.method === 'INVITE' && sdpOf(incoming.request) === undefined
    if (sdp !== undefined) local = sdp
    if (incoming.request.method !== 'INVITE') return sendOk(incoming, sdp)
    answerInvite(incoming, sdp ?? '', (answer) => {
      if (!isDelayed || answer === undefined || answer === remote) return
      remote = answer
      hooks.emit({ kind: 'media', sdp: answer })
    })
  }

  function sendOk(incoming: IncomingRequest, sdp: string | undefined) {
    const wanted = answerTimer(incoming.request)
    if (wanted.kind === 'agreed') setTimer(wanted.timer)
    incoming.respond(okTo(incoming, sdp ?? ''))
  }

  function okTo(incoming: IncomingRequest, sdp: string): SipResponse {
    const isTheirs = timer?.refresher === 'them'
    const headers: Header[] = [
      contact(incoming.flow),
      { name: 'allow', value: allowedMethods },
      { name: 'supported', value: 'timer' },
      ...(timer ? [{ name: 'session-expires', value: timerOfAnswer(timer) }] : []),
      ...(isTheirs ? [{ name: 'require', value: 'timer' }] : []),
      ...contentType(sdp),
    ]
    const tag = /;tag=([^;]+)$/.exec(dialog.local)?.[1]
    return { ...makeResponse(incoming.request, 200, tag, { headers }), body: sdp }
  }

  function answerInvite(incoming: IncomingRequest, sdp: string, acked: (sdp: string | undefined) => void) {
    local = sdp
    const wanted = answerTimer(incoming.request)
    setTimer(wanted.kind === 'agreed' ? wanted.timer : timer)
    const response = okTo(incoming, sdp)
    const send = () => incoming.respond(response)
    const stop = repeatUntilStopped(clock, T2, send, () => {
      unacked = undefined
      hooks.lost()
    })
    unacked = { seq: parseCSeq(header(incoming.request, 'cseq'))?.seq ?? 0, stop, acked }
    send()
  }

  function acked(ack: SipRequest) {
    const waiting = unacked
    if (!waiting || parseCSeq(header(ack, 'cseq'))?.seq !== waiting.seq) return
    unacked = undefined
    waiting.stop()
    waiting.acked(sdpOf(ack))
  }

  function handleInfo(incoming: IncomingRequest) {
    const digit = digitOf(incoming.request)
    if (digit === undefined && incoming.request.body !== '') return respond(incoming, 415)
    respond(incoming, 200)
    if (digit) hooks.emit({ kind: 'dtmf', digit })
  }

  // --- our requests

  function offer(sdp: string, glares = 0): Promise<string | undefined> {
    if (isOver || pending || asked?.isOpen()) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const own = attempt(endpoint, {
        trunk: trunk(),
        peers,
        build: (peer) => build('INVITE', peer, offerHeaders(), sdp),
        final(result) {
          if (pending === own) {
            pending = undefined
            resolve(settleOffer(result, sdp, glares))
          } else if (result.kind === 'response') void acknowledge(result.response, result.request)
        },
      })
      pending = own
    })
  }

  const offerHeaders = (): Header[] => [
    { name: 'allow', value: allowedMethods },
    { name: 'supported', value: 'timer' },
    ...(timer ? [{ name: 'session-expires', value: timerOfRequest(timer) }] : []),
  ]

  async function settleOffer(result: FinalOutcome, sdp: string, glares: number): Promise<string | undefined> {
    if (result.kind !== 'response') return gone()
    const { response, request } = result
    if (response.status === 491 && glares < maxGlares && !isOver) {
      await glareOver()
      return offer(sdp, glares + 1)
    }
    // RFC 3261 §12.2.1.2: these two mean that the dialog is over.
    if (response.status === 408 || response.status === 481) return gone()
    if (response.status >= 300) return undefined
    await acknowledge(response, request)
    setTimer(agreedTimer(response) ?? timer)
    local = sdp
    remote = sdpOf(response) ?? remote
    return sdpOf(response)
  }

  function gone(): undefined {
    if (!isOver) hooks.lost()
  }

  /** RFC 3261 §14.1, in units of 10 ms. */
  function glareOver(): Promise<void> {
    const ms = begin.ownsCallId ? 2_100 + secureRandom() * 1_900 : secureRandom() * 2_000
    return new Promise((resolve) => {
      cancelGlare = clock.machineAfter(Math.round(ms / 10) * 10, resolve)
    })
  }

  function acknowledge(response: SipResponse, invite: SipRequest): Promise<void> {
    const before = dialog.target
    dialog = withTarget(dialog, response)
    if (dialog.target !== before) moved()
    const credentials = invite.headers.filter(({ name }) => name === 'authorization' || name === 'proxy-authorization')
    const ack = ackIn(dialog, parseCSeq(header(invite, 'cseq'))?.seq ?? 0, credentials)
    lastAck = peers().then(([first]) => {
      if (first) transactions.sendAck(ack, first)
    })
    return lastAck
  }

  const request = (method: string, headers: Header[]) =>
    attempted(endpoint, { trunk: trunk(), peers, build: (peer) => build(method, peer, headers, '') })

  // --- RFC 4028

  function setTimer(agreed: SessionTimer | undefined) {
    timer = agreed
    cancelTimer()
    if (!agreed || isOver) return
    cancelTimer = clock.machineAfter(timerMs(agreed), () => {
      if (agreed.refresher === 'them') return hooks.lost()
      // If the refresh fails, the session still ends at its expiry.
      cancelTimer = clock.machineAfter(timerMs({ ...agreed, refresher: 'them' }) - timerMs(agreed), hooks.lost)
      refresh(agreed).catch((error) =>
        endpoint.log.error({ event: 'sip.refresh_failed', error }, 'session could not be refreshed'),
      )
    })
  }

  async function refresh(agreed: SessionTimer) {
    if (!canUpdate && local !== undefined) return void (await offer(local))
    const result = await request('UPDATE', [
      { name: 'supported', value: 'timer' },
      { name: 'session-expires', value: timerOfRequest(agreed) },
    ])
    if (result.kind !== 'response') return gone()
    const { status } = result.response
    if (status === 408 || status === 481) return gone()
    if (status < 300 && !isOver) setTimer(agreedTimer(result.response) ?? agreed)
  }

  learnPeers()

  return {
    dialog: () => dialog,
    flow: () => flow,
    isPeer: (address) => known.has(address),
    setDialog(next) {
      dialog = next
      learnPeers()
    },
    receive,
    offer: (sdp) => offer(sdp),
    async bye(reason) {
      await lastAck
      await request('BYE', [{ name: 'reason', value: reasonHeader(reason) }])
    },
    request,
    acknowledge,
    answerInvite,
    setTimer,
    settle(sdp) {
      local = sdp.local ?? local
      remote = sdp.remote ?? remote
    },
    stop() {
      isOver = true
      cancelTimer()
      cancelGlare()
      unacked?.stop()
    },
  }
}

const maxGlares = 8
