import { tagOf } from './address.ts'
import { attempt, type FinalOutcome } from './attempt.ts'
import { allowedFor, contentType, mentions, sdpOf, supportedOptions } from './build.ts'
import type { SipFlow } from './flow.ts'
import { header, type SipRequest, type SipResponse } from './message.ts'
import { outcomeOf } from './outcome.ts'
import { forkOf, onAccepted } from './outgoing-forks.ts'
import { endOutgoing, type OutgoingState, releaseOutgoing, startSilenceTimer } from './outgoing-state.ts'
import { redirectOf } from './redirect.ts'
import { saveCalling } from './saved-dialog.ts'
import type { DialogSession } from './session.ts'
import { defaultInterval } from './session-timer.ts'

/** Sends the INVITE of an outbound call and handles the responses. */
export function sendInvite(call: OutgoingState): void {
  const { endpoint, trunk, options } = call
  call.attempt = attempt(endpoint, {
    trunk,
    peers: async () => (options.target ? [options.target.flow] : endpoint.resolve(call.place, trunk)),
    build: (peer) => buildInvite(call, peer),
    sent(request, peer) {
      call.asked.add(peer.address)
      // Each target has its own time to respond.
      startSilenceTimer(call)
      call.emitter.emit({ kind: 'leg.dialog', dialog: saveCalling(trunk.id, request, peer) })
    },
    taken: () => call.cancelSilence(),
    provisional: (response, _request, peer) => onProvisional(call, response, peer),
    final: (result) => onFinal(call, result),
  })
}

function buildInvite(call: OutgoingState, peer: SipFlow): SipRequest {
  const { endpoint, trunk, options, uri, minInterval } = call
  call.seq++
  return {
    kind: 'request',
    method: 'INVITE',
    uri,
    headers: [
      { name: 'max-forwards', value: '70' },
      ...call.identity,
      { name: 'call-id', value: call.callId },
      { name: 'cseq', value: `${call.seq} INVITE` },
      { name: 'contact', value: endpoint.contact(peer, trunk.username ?? '') },
      { name: 'allow', value: allowedFor(trunk) },
      { name: 'supported', value: supportedOptions },
      { name: 'session-expires', value: String(Math.max(defaultInterval, minInterval)) },
      { name: 'min-se', value: String(minInterval) },
      ...call.custom,
      ...contentType(options.sdp),
    ],
    body: options.sdp,
  }
}

function onProvisional(call: OutgoingState, response: SipResponse, peer: SipFlow): void {
  if (call.phase !== 'calling') return
  const fork = forkOf(call, response, peer)
  const sdp = sdpOf(response)
  if (fork && isReliable(response) && !acknowledgeReliable(call, fork, response)) return
  if (fork && sdp !== undefined) fork.settle({ ...(!fork.isSettled() && { local: call.options.sdp }), remote: sdp })
  call.emitter.emit({ kind: 'leg.progress', code: response.status, ...(sdp !== undefined && { sdpAnswer: sdp }) })
}

const isReliable = (response: SipResponse) =>
  mentions(response, 'require', '100rel') && header(response, 'rseq') !== undefined

/**
 * RFC 3262 §4: false for a retransmission, which the transaction of the first PRACK covers, and for a response that has
 * overtaken another one: it is retransmitted.
 */
function acknowledgeReliable(call: OutgoingState, fork: DialogSession, response: SipResponse): boolean {
  const tag = tagOf(header(response, 'to')) ?? ''
  const rseq = Number(header(response, 'rseq'))
  const last = call.acknowledged.get(tag)
  if (!Number.isInteger(rseq) || (last !== undefined && rseq !== last + 1)) return false
  call.acknowledged.set(tag, rseq)
  void fork.request('PRACK', [{ name: 'rack', value: `${rseq} ${header(response, 'cseq')}` }])
  return true
}

function onFinal(call: OutgoingState, result: FinalOutcome) {
  call.cancelSilence()
  if (result.kind !== 'response') {
    endOutgoing(call, result.kind === 'cancelled' ? 'cancelled' : 'failed')
    return releaseOutgoing(call)
  }
  const { response, request, peer } = result
  if (response.status < 300) return onAccepted(call, response, request, peer)
  if (call.phase === 'calling' && (extendInterval(call, response) || followRedirect(call, response))) {
    return sendInvite(call)
  }
  endOutgoing(call, outcomeOf(response.status), response.status)
  releaseOutgoing(call)
}

/** RFC 4028 §7.2: 422 names the interval that the far end accepts. */
function extendInterval(call: OutgoingState, response: SipResponse): boolean {
  const wanted = Number(header(response, 'min-se'))
  if (response.status !== 422 || !(wanted > call.minInterval) || wanted > 86_400) return false
  call.minInterval = wanted
  return true
}

/** RFC 3261 §8.1.3.4, once: to another host of the trunk, for the same number. Anything else would bypass the dial rules. */
function followRedirect(call: OutgoingState, response: SipResponse): boolean {
  const { endpoint, trunk, options } = call
  if (call.isRedirected || response.status < 301 || response.status > 302) return false
  const target = redirectOf(response, trunk, options.to, (host) => endpoint.isTrunkAddress(trunk.id, host))
  if (!target) {
    endpoint.log.info({ event: 'sip.redirect_rejected', trunkId: trunk.id }, 'redirect outside the trunk not followed')
    return false
  }
  call.isRedirected = true
  call.uri = target.uri
  call.place = target.place
  return true
}
