import { type Cancel, second } from '../../lib/clock.ts'
import { cancelOf } from './build.ts'
import { authorization, chooseChallenge } from './digest.ts'
import type { SipEndpoint } from './endpoint.ts'
import type { SipFlow } from './flow.ts'
import { type Header, type SipRequest, type SipResponse, withHeaders } from './message.ts'
import { T1 } from './transaction.ts'
import { credentialsOf, type SipTrunkSettings } from './trunk-settings.ts'

export type FinalOutcome =
  | { kind: 'response'; response: SipResponse; request: SipRequest; peer: SipFlow }
  | { kind: 'timedOut' | 'unreachable' | 'cancelled' }

export interface AttemptOptions {
  trunk: SipTrunkSettings | undefined
  peers(): Promise<SipFlow[]>
  /** Called for each try, with a higher CSeq each time; Via and credentials are added. */
  build(peer: SipFlow): SipRequest
  sent?(request: SipRequest, peer: SipFlow): void
  /** The first provisional response, which may be a 100. */
  taken?(): void
  provisional?(response: SipResponse, request: SipRequest, peer: SipFlow): void
  /** Called once, and again for every further 2xx of an INVITE: forks may send several, and each needs its ACK. */
  final(result: FinalOutcome): void
}

export interface RequestAttempt {
  /** RFC 3261 §9.1: CANCEL waits for a provisional response. The final response still arrives. */
  cancel(extra?: Header[]): void
}

interface Sending {
  request: SipRequest
  peer: SipFlow
  hasProvisional: boolean
  /** It sent no response in time, and the next target was tried. */
  isGivenUp: boolean
  /** Until its first response. */
  cancelSilence: Cancel
}

const newSending = (request: SipRequest, peer: SipFlow): Sending => ({
  request,
  peer,
  hasProvisional: false,
  isGivenUp: false,
  cancelSilence() {},
})

/** Three transmissions over UDP: a target without any response to them is given up if there is another one. */
const targetSilenceMs = 3 * second

/** Sends a request until it gets a final response: with credentials when challenged, to the next target when one is down. */
export function attempt(endpoint: SipEndpoint, options: AttemptOptions): RequestAttempt {
  const { transactions } = endpoint
  const challenges = createChallengeAnswers(options.trunk)
  let credentials: Header[] = []
  let peers: SipFlow[] = []
  let current: Sending | undefined
  let cancelWith: Header[] | undefined
  let stopWaiting: Cancel = () => {}
  let isOver = false

  function finish(result: FinalOutcome) {
    const isFurther2xx = result.kind === 'response' && result.response.status < 300
    if (isOver && !isFurther2xx) return
    isOver = true
    stopWaiting()
    options.final(result)
  }

  function send(peer: SipFlow) {
    const own = newSending(withHeaders(options.build(peer), ...credentials), peer)
    current = own
    if (peers.length > 0) own.cancelSilence = endpoint.clock.machineAfter(targetSilenceMs, () => giveUp(own))
    own.request = transactions.request(own.request, peer, {
      response: (response) => onResponse(own, response),
      failed(why) {
        own.cancelSilence()
        endpoint.health.failed(peer)
        if (!own.isGivenUp && !next(own)) finish({ kind: why })
      },
    })
    options.sent?.(own.request, peer)
  }

  /** An INVITE is still listened for: it may ring or be answered late. */
  function giveUp(own: Sending) {
    if (isOver || cancelWith) return
    endpoint.health.failed(own.peer)
    own.isGivenUp = true
    if (own.request.method !== 'INVITE') transactions.forget(own.request)
    next(own)
  }

  function onResponse(own: Sending, response: SipResponse) {
    own.cancelSilence()
    if (own.isGivenUp) return onLateResponse(own, response)
    if (response.status < 200) {
      const isFirst = !own.hasProvisional
      own.hasProvisional = true
      if (isFirst && cancelWith) sendCancel(own, cancelWith)
      if (isOver) return
      if (isFirst) options.taken?.()
      if (response.status > 100) options.provisional?.(response, own.request, own.peer)
      return
    }
    if (response.status === 503) endpoint.health.failed(own.peer)
    if (response.status === 503 && next(own)) return
    if ((response.status === 401 || response.status === 407) && again(own, response)) return
    finish({ kind: 'response', response, request: own.request, peer: own.peer })
  }

  /** One of two targets is enough: the first that answers. */
  function onLateResponse(own: Sending, response: SipResponse) {
    const isFirst = !own.hasProvisional
    own.hasProvisional = true
    if (response.status < 200 && isFirst) return sendCancel(own, [])
    if (response.status < 200 || response.status >= 300) return
    if (!isOver && current?.hasProvisional) sendCancel(current, [])
    else cancelWith ??= []
    finish({ kind: 'response', response, request: own.request, peer: own.peer })
  }

  /** RFC 3263 §4.3: tries the next target, unless this one has started to process the request. */
  function next(own: Sending): boolean {
    const peer = peers.shift()
    if (!peer || cancelWith || isOver || (own.hasProvisional && own.request.method === 'INVITE')) return false
    send(peer)
    return true
  }

  function again(own: Sending, response: SipResponse): boolean {
    const answer = cancelWith || isOver ? undefined : challenges.answer(own.request, response)
    if (!answer) return false
    credentials = [...credentials.filter(({ name }) => name !== answer.name), answer]
    send(own.peer)
    return true
  }

  function sendCancel({ request, peer, isGivenUp }: Sending, extra: Header[]) {
    transactions.requestAs(cancelOf(request, extra), peer, { response() {}, failed() {} }, 'send')
    if (isGivenUp) return
    // §9.1: an INVITE without a final response counts as cancelled after 64·T1.
    stopWaiting = endpoint.clock.machineAfter(64 * T1, () => {
      transactions.forget(request)
      finish({ kind: 'cancelled' })
    })
  }

  async function begin() {
    const found = await options.peers()
    if (isOver) return
    peers = endpoint.health.sorted(found)
    const first = peers.shift()
    if (first) send(first)
    else finish({ kind: 'unreachable' })
  }

  begin().catch((error) => {
    endpoint.log.error({ event: 'sip.request_failed', error }, 'SIP request could not be sent')
    finish({ kind: 'unreachable' })
  })

  return {
    cancel(extra = []) {
      if (isOver || cancelWith) return
      cancelWith = extra
      if (!current) finish({ kind: 'cancelled' })
      else if (current.hasProvisional) sendCancel(current, extra)
    },
  }
}

/** Resolves with the outcome, also without a response. */
export function attempted(endpoint: SipEndpoint, options: Omit<AttemptOptions, 'final'>): Promise<FinalOutcome> {
  return new Promise((resolve) => {
    attempt(endpoint, { ...options, final: resolve })
  })
}

/** RFC 3261 §22.2: a challenge is answered once, and once more if the nonce was stale. */
function createChallengeAnswers(trunk: SipTrunkSettings | undefined) {
  const tried = new Map<string, number>()
  return {
    answer({ method, uri }: SipRequest, response: SipResponse): Header | undefined {
      const account = trunk && credentialsOf(trunk)
      const [asks, answers] =
        response.status === 401 ? ['www-authenticate', 'authorization'] : ['proxy-authenticate', 'proxy-authorization']
      const challenge = chooseChallenge(response.headers.filter(({ name }) => name === asks).map(({ value }) => value))
      if (!account || !challenge) return undefined
      const key = `${asks}|${challenge.realm}`
      const times = tried.get(key) ?? 0
      if (times > (challenge.stale ? 1 : 0) || tried.size > 3) return undefined
      tried.set(key, times + 1)
      return { name: answers, value: authorization(challenge, account, { method, uri, count: 1 }) }
    },
  }
}
