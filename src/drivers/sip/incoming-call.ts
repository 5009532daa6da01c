import { phraseOf } from '../../domain/sip-response.ts'
import type { EndReason } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import { parseUri, parseVia } from './address.ts'
import { allowedMethods, makeResponse, mentions, newTag, sdpOf } from './build.ts'
import { createEmitter, type SipCall } from './call.ts'
import { dialogOfRequest, isOfDialog, withRemoteSeq } from './dialog.ts'
import type { DialogParty, SipEndpoint } from './endpoint.ts'
import { callPartiesOf } from './identity.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { type Header, header, headerList, type SipRequest } from './message.ts'
import { refusals } from './outcome.ts'
import { saveDialog, saveRinging } from './saved-dialog.ts'
import { createSession } from './session.ts'
import { answerFlow } from './transactions.ts'
import type { SipFlow } from './transport.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'
import { repeatUntilStopped } from './until-acked.ts'

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
  // One tag for all responses, so that 180, 200 and 487 belong to one dialog.
  const tag = newTag()
  const callId = header(request, 'call-id') ?? ''
  const contactUser = parseUri(request.uri)?.user ?? ''
  const wantsReliable = mentions(request, 'require', '100rel')
  const emitter = createEmitter()
  let phase: 'ringing' | 'answered' | 'up' | 'ended' = 'ringing'
  /** Hung up before the ACK; BYE has to wait for it (RFC 3261 §15). */
  let byeWaits: EndReason | undefined
  let reliable: { seq: number; stop: Cancel; afterwards: (() => void)[] } | undefined
  let rseq = 0
  let isReleased = false
  let setClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    setClosed = resolve
  })

  const session = createSession(
    endpoint,
    { dialog: dialogOfRequest(trunk.id, request, tag), flow, contactUser, ownsCallId: false, firstMessage: request },
    {
      emit: emitter.emit,
      changed: () => emitter.emit({ kind: 'leg.dialog', dialog: saveDialog(session.dialog(), session.flow()) }),
      ended: () => end(phase === 'ringing' ? 'cancelled' : 'hangup'),
      lost() {
        // The far end never acknowledged our 200, or its session timer expired.
        const reason = byeWaits ?? 'lost'
        byeWaits = reason
        end(reason)
        sendBye(reason)
      },
    },
  )

  function end(reason: EndReason, code?: number) {
    if (phase === 'ended') return
    phase = 'ended'
    reliable?.stop()
    emitter.emit({ kind: 'leg.ended', reason, ...(code !== undefined && { code }) })
    if (byeWaits === undefined) release()
  }

  function release() {
    if (isReleased) return
    isReleased = true
    session.stop()
    endpoint.release(callId, tag)
    released()
    setClosed()
  }

  function sendBye(reason: EndReason) {
    session.stop()
    session.bye(reason).then(release, release)
  }

  function respond(status: number, headers: Header[] = [], body = '') {
    const dialogue: Header[] =
      status > 100 && status < 300
        ? [
            { name: 'contact', value: endpoint.contact(flow, contactUser) },
            { name: 'allow', value: allowedMethods },
          ]
        : []
    invite.respond(
      makeResponse(request, status, tag, { headers: [...dialogue, ...headers], body, phrase: phraseOf(status) }),
    )
  }

  function progress(code: number, sdp = '') {
    if (phase !== 'ringing') return
    if (!wantsReliable || code === 100) return respond(code, [], sdp)
    // RFC 3262 §3: one at a time; the next waits until the previous one is acknowledged.
    if (reliable) return void reliable.afterwards.push(() => progress(code, sdp))
    const seq = ++rseq
    const headers: Header[] = [
      { name: 'require', value: '100rel' },
      { name: 'rseq', value: String(seq) },
    ]
    const send = () => respond(code, headers, sdp)
    const stop = repeatUntilStopped(endpoint.clock, Number.POSITIVE_INFINITY, send, () => {
      respond(504)
      end('lost', 504)
    })
    reliable = { seq, stop, afterwards: [] }
    send()
  }

  function handlePrack(incoming: IncomingRequest) {
    const [seq, inviteSeq] = (header(incoming.request, 'rack') ?? '').split(/\s+/)
    const waiting = reliable
    const isMine = waiting && String(waiting.seq) === seq && header(request, 'cseq')?.startsWith(`${inviteSeq} `)
    if (!isMine) return incoming.respond(makeResponse(incoming.request, 481, undefined))
    const updated = withRemoteSeq(session.dialog(), incoming.request)
    if (updated) session.setDialog(updated)
    reliable = undefined
    waiting.stop()
    incoming.respond(makeResponse(incoming.request, 200, undefined))
    for (const next of waiting.afterwards) next()
  }

  function answer(sdp: string) {
    if (phase !== 'ringing') return
    if (reliable) return void reliable.afterwards.push(() => answer(sdp))
    phase = 'answered'
    emitter.emit({ kind: 'leg.dialog', dialog: saveDialog(session.dialog(), session.flow()) })
    session.settle({ remote: sdpOf(request) })
    session.answerInvite(invite, sdp, (answered) => {
      if (byeWaits !== undefined) return sendBye(byeWaits)
      phase = 'up'
      session.settle({ remote: answered })
      emitter.emit({ kind: 'leg.answered', ...(answered !== undefined && { sdpAnswer: answered }) })
    })
  }

  function refuse(status: number, reason: EndReason) {
    respond(status, status === 503 ? [{ name: 'retry-after', value: '10' }] : [])
    end(reason, status)
  }

  function hangup(reason: EndReason = phase === 'ringing' ? 'cancelled' : 'hangup') {
    if (phase === 'ended') return
    if (phase === 'ringing') return refuse(reason === 'busy' ? 486 : reason === 'rejected' ? 603 : 480, reason)
    const isUp = phase === 'up'
    byeWaits = reason
    end(reason)
    if (isUp) sendBye(reason)
  }

  function receive(incoming: IncomingRequest) {
    if (!isOfDialog(session.dialog(), incoming.request)) {
      return incoming.respond(makeResponse(incoming.request, 481, undefined))
    }
    if (incoming.request.method === 'PRACK') return handlePrack(incoming)
    if (incoming.request.method === 'BYE' && phase === 'ringing') respond(487)
    session.receive(incoming)
    if (phase === 'ended' && incoming.request.method === 'BYE') release()
  }

  const accepts = (address: string) => endpoint.isTrunkAddress(trunk.id, address) || session.isPeer(address)

  endpoint.adopt(callId, tag, { accepts, receive })
  invite.respond(makeResponse(request, 100, undefined))
  emitter.emit({ kind: 'leg.dialog', dialog: saveRinging(trunk.id, request, tag, wayBack(request, flow)) })

  const call: SipCall = {
    id: `${callId}|${tag}`,
    trunkId: trunk.id,
    direction: 'incoming',
    ...callPartiesOf(request, trunk),
    sdp: sdpOf(request),
    remoteAddress: () => session.flow().address,
    progress,
    answer,
    reject: (why) => phase === 'ringing' && refuse(refusals[why].status, 'rejected'),
    hangup,
    offer: (sdp) => session.offer(sdp),
    on: emitter.on,
  }
  return {
    call,
    accepts,
    receive,
    closed,
    cancel() {
      if (phase !== 'ringing') return
      respond(487)
      end('cancelled', 487)
    },
  }
}

/** RFC 3261 §18.2.2: where another process would send the response; on a stream the connection ends with this process. */
function wayBack(request: SipRequest, flow: SipFlow): SipFlow {
  if (flow.transport === 'udp') return answerFlow(request, flow)
  const via = parseVia(headerList(request, 'via')[0] ?? '')
  return { ...flow, port: via?.port ?? (flow.transport === 'tls' ? 5061 : 5060) }
}
