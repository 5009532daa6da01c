import type { EndReason } from '../../domain/voice.ts'
import type { Cancel } from '../../lib/clock.ts'
import { tagOf } from './address.ts'
import { attempt, type FinalOutcome } from './attempt.ts'
import { allowedMethods, contentType, makeResponse, mentions, newCallId, newTag, sdpOf } from './build.ts'
import { createEmitter, type SipCall } from './call.ts'
import { dialogOfResponse, isOfDialog } from './dialog.ts'
import type { DialogParty, SipEndpoint } from './endpoint.ts'
import { anonymous, identityHeaders } from './identity.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { type Header, hasControl, header, isToken, type SipRequest, type SipResponse } from './message.ts'
import { outcomeOf, reasonHeader } from './outcome.ts'
import { redirectOf } from './redirect.ts'
import type { SipTarget } from './resolve.ts'
import { saveCalling, saveDialog } from './saved-dialog.ts'
import { createSession, type DialogSession } from './session.ts'
import { agreedTimer, defaultInterval, minInterval } from './session-timer.ts'
import type { SipFlow } from './transport.ts'
import type { SipTrunkSettings } from './trunk-settings.ts'

export interface InviteOptions {
  trunkId: string
  to: string
  from: string
  anonymous?: boolean
  headers?: Record<string, string>
  sdp: string
  /** Ring timeout. */
  timeoutMs: number
  /** Timeout for the first response; 64·T1 if absent. Set where another trunk can be tried. */
  silenceMs?: number
}

export interface OutgoingCall extends DialogParty {
  call: SipCall
  closed: Promise<void>
}

/** An outbound call. Several forks may answer: the first one is the call, all others are acknowledged and ended. */
export function createOutgoingCall(
  endpoint: SipEndpoint,
  trunk: SipTrunkSettings,
  options: InviteOptions,
  released: () => void,
): OutgoingCall {
  const callId = newCallId()
  const tag = newTag()
  const isAnonymous = options.anonymous ?? false
  const { uri: calledUri, headers: identity } = identityHeaders(trunk, { ...options, anonymous: isAnonymous, tag })
  const extra = customHeaders(options.headers ?? {})
  const emitter = createEmitter()
  /** One session per answering end, by its tag; most calls have one. */
  const forks = new Map<string, DialogSession>()
  const pracked = new Set<string>()
  /** The addresses that our INVITE was sent to. */
  const asked = new Set<string>()
  /** Forks to which BYE was sent. */
  const ended = new Set<DialogSession>()
  /** Where the INVITE goes; a 302 may change it once. */
  let uri = calledUri
  let place: SipTarget = { host: trunk.host, port: trunk.port, transport: trunk.transport }
  let isRedirected = false
  let phase: 'calling' | 'up' | 'ended' = 'calling'
  let chosen: DialogSession | undefined
  let seq = 0
  let isReleased = false
  let minimum = minInterval
  let setClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    setClosed = resolve
  })
  let cancelTimeout: Cancel = () => {}
  let cancelSilence: Cancel = () => {}

  function build(peer: SipFlow): SipRequest {
    seq++
    return {
      kind: 'request',
      method: 'INVITE',
      uri,
      headers: [
        { name: 'max-forwards', value: '70' },
        ...identity,
        { name: 'call-id', value: callId },
        { name: 'cseq', value: `${seq} INVITE` },
        { name: 'contact', value: endpoint.contact(peer, trunk.username ?? '') },
        { name: 'allow', value: allowedMethods },
        { name: 'supported', value: 'timer' },
        { name: 'session-expires', value: String(Math.max(defaultInterval, minimum)) },
        { name: 'min-se', value: String(minimum) },
        ...extra,
        ...contentType(options.sdp),
      ],
      body: options.sdp,
    }
  }

  const start = () =>
    attempt(endpoint, {
      trunk,
      peers: () => endpoint.resolve(place, trunk),
      build,
      sent(request, peer) {
        asked.add(peer.address)
        emitter.emit({ kind: 'leg.dialog', dialog: saveCalling(trunk.id, request, peer) })
      },
      taken: () => cancelSilence(),
      provisional,
      final,
    })

  function forkOf(response: SipResponse, peer: SipFlow): DialogSession | undefined {
    const theirs = tagOf(header(response, 'to'))
    const dialog = dialogOfResponse(trunk.id, response)
    if (!theirs || !dialog) return undefined
    const known = forks.get(theirs)
    if (known || forks.size >= maxForks) return known
    const begin = { dialog, flow: peer, contactUser: trunk.username ?? '', ownsCallId: true, firstMessage: response }
    const fork: DialogSession = createSession(endpoint, begin, {
      emit: (event) => (chosen ?? fork) === fork && emitter.emit(event),
      changed: () =>
        chosen === fork && emitter.emit({ kind: 'leg.dialog', dialog: saveDialog(fork.dialog(), fork.flow()) }),
      ended() {
        if (chosen !== fork) return
        end('hangup')
        release()
      },
      lost: () => chosen === fork && hangup('lost'),
    })
    forks.set(theirs, fork)
    return fork
  }

  function provisional(response: SipResponse, _request: SipRequest, peer: SipFlow) {
    if (phase !== 'calling') return
    const fork = forkOf(response, peer)
    const sdp = sdpOf(response)
    const rseq = header(response, 'rseq')
    if (mentions(response, 'require', '100rel') && rseq && fork) {
      const key = `${tagOf(header(response, 'to'))}|${rseq}`
      // RFC 3262 §4: the transaction of the first PRACK covers retransmissions.
      if (pracked.has(key)) return
      pracked.add(key)
      void fork.request('PRACK', [{ name: 'rack', value: `${rseq} ${header(response, 'cseq')}` }])
    }
    emitter.emit({ kind: 'leg.progress', code: response.status, ...(sdp !== undefined && { sdpAnswer: sdp }) })
  }

  function final(result: FinalOutcome) {
    cancelSilence()
    if (result.kind !== 'response') {
      end(result.kind === 'cancelled' ? 'cancelled' : 'failed')
      return release()
    }
    const { response, request, peer } = result
    if (response.status < 300) return accepted(response, request, peer)
    const wanted = Number(header(response, 'min-se'))
    if (response.status === 422 && phase === 'calling' && wanted > minimum && wanted <= 86_400) {
      minimum = wanted
      current = start()
      return
    }
    if (follow(response)) return
    end(outcomeOf(response.status), response.status)
    release()
  }

  /** RFC 3261 §8.1.3.4, once: to another host of the trunk, for the same number. Anything else would bypass the dial rules. */
  function follow(response: SipResponse): boolean {
    if (isRedirected || phase !== 'calling' || response.status < 301 || response.status > 302) return false
    const target = redirectOf(response, trunk, options.to, (host) => endpoint.isTrunkAddress(trunk.id, host))
    if (!target) {
      endpoint.log.info(
        { event: 'sip.redirect_rejected', trunkId: trunk.id },
        'redirect outside the trunk not followed',
      )
      return false
    }
    isRedirected = true
    uri = target.uri
    place = target.place
    current = start()
    return true
  }

  function accepted(response: SipResponse, request: SipRequest, peer: SipFlow) {
    const fork = forkOf(response, peer)
    const dialog = dialogOfResponse(trunk.id, response)
    if (!fork || !dialog) return
    // RFC 3261 §13.2.2.4: the route set of the 2xx replaces that of the early dialog.
    const used = Math.max(fork.dialog().seq, dialog.seq)
    const isFirst = chosen === undefined && phase === 'calling'
    if (fork !== chosen) fork.setDialog({ ...dialog, seq: used })
    void fork.acknowledge(response, request)
    if (isFirst) return choose(fork, response)
    // A retransmitted 2xx gets its ACK again; that of another fork, or one that crossed a CANCEL, is ended.
    if (fork === chosen || ended.has(fork)) return
    ended.add(fork)
    fork.stop()
    const done = chosen ? () => {} : release
    fork.bye('cancelled').then(done, done)
  }

  function choose(fork: DialogSession, response: SipResponse) {
    const sdp = sdpOf(response)
    chosen = fork
    phase = 'up'
    cancelTimeout()
    fork.settle({ local: options.sdp, remote: sdp })
    fork.setTimer(agreedTimer(response))
    emitter.emit({ kind: 'leg.dialog', dialog: saveDialog(fork.dialog(), fork.flow()) })
    emitter.emit({ kind: 'leg.answered', ...(sdp !== undefined && { sdpAnswer: sdp }) })
  }

  function end(reason: EndReason, code?: number) {
    if (phase === 'ended') return
    phase = 'ended'
    cancelTimeout()
    cancelSilence()
    emitter.emit({ kind: 'leg.ended', reason, ...(code !== undefined && { code }) })
  }

  function release() {
    if (isReleased) return
    isReleased = true
    for (const fork of forks.values()) fork.stop()
    endpoint.release(callId, tag)
    released()
    setClosed()
  }

  function hangup(reason: EndReason = phase === 'up' ? 'hangup' : 'cancelled') {
    if (phase === 'ended') return
    const answered = chosen
    end(reason)
    if (!answered) return current.cancel([{ name: 'reason', value: reasonHeader(reason) }])
    answered.stop()
    answered.bye(reason).then(release, release)
  }

  function receive(incoming: IncomingRequest) {
    const fork = [...forks.values()].find((one) => isOfDialog(one.dialog(), incoming.request))
    if (fork) fork.receive(incoming)
    else incoming.respond(makeResponse(incoming.request, 481, undefined))
  }

  const accepts = (address: string) =>
    asked.has(address) ||
    endpoint.isTrunkAddress(trunk.id, address) ||
    [...forks.values()].some((fork) => fork.isPeer(address))

  endpoint.adopt(callId, tag, { accepts, receive })
  cancelTimeout = endpoint.clock.machineAfter(options.timeoutMs, () => hangup('no_answer'))
  // A later response is handled with CANCEL, or with ACK and BYE.
  if (options.silenceMs !== undefined) {
    cancelSilence = endpoint.clock.machineAfter(options.silenceMs, () => hangup('failed'))
  }
  let current = start()

  const call: SipCall = {
    id: `${callId}|${tag}`,
    trunkId: trunk.id,
    direction: 'outgoing',
    from: isAnonymous ? anonymous : options.from,
    to: options.to,
    displayName: '',
    sdp: undefined,
    remoteAddress: () => (chosen ?? [...forks.values()].at(-1))?.flow().address,
    progress() {},
    answer() {},
    reject: () => hangup('rejected'),
    hangup,
    offer: async (sdp) => chosen?.offer(sdp),
    on: emitter.on,
  }
  return { call, accepts, receive, closed }
}

const maxForks = 16

/** Custom headers: only X- headers, without line breaks. */
export function customHeaders(headers: Record<string, string>): Header[] {
  return Object.entries(headers).map(([name, value]) => {
    const small = name.toLowerCase()
    const bytes = Buffer.from(value, 'utf8').toString('latin1')
    if (!isToken(small) || !small.startsWith('x-') || hasControl(bytes) || bytes.length > 1_024) {
      throw new Error('a custom SIP header must begin with X- and be a single line')
    }
    return { name: small, value: bytes }
  })
}
