import type { Cancel, Clock } from '../../lib/clock.ts'
import { hostAndPort, parseCSeq, parseVia, tagOf } from './address.ts'
import { ackOfRefusal, newBranch } from './build.ts'
import type { SipFlow, TransportKind } from './flow.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { header, headerList, type SipRequest, type SipResponse, writeMessage } from './message.ts'
import {
  type ClientEvent,
  clientTransaction,
  type ServerEvent,
  serverTransaction,
  stepClient,
  stepServer,
  type TransactionTimer,
} from './transaction.ts'

/** Runs the state machines of transaction.ts: stores them by key, sends messages and sets their timers. */
export interface Transactions {
  /** Adds Via and sends the request, which is returned as sent; the outcome goes to the callbacks. */
  request(request: SipRequest, to: SipFlow, callbacks: ClientCallbacks): SipRequest
  /** Keeps the Via of the request: for CANCEL, and for an INVITE that another process has sent. */
  requestAs(request: SipRequest, to: SipFlow, callbacks: ClientCallbacks, start: 'send' | 'listen'): void
  /** Sends the ACK of a 2xx: without a transaction, without a response. */
  sendAck(request: SipRequest, to: SipFlow): void
  /** The response is not awaited any more. */
  forget(request: SipRequest): void
  /** True if it matches a client transaction. */
  handleResponse(response: SipResponse): boolean
  /** Undefined for a retransmission, and for an ACK that belongs to a transaction. */
  handleRequest(request: SipRequest, flow: SipFlow): IncomingRequest | undefined
  /** The INVITE that a CANCEL refers to. */
  cancelled(cancel: SipRequest): IncomingRequest | undefined
  /** Whether the INVITE is a merged request: forked upstream and received twice (RFC 3261 §8.2.2.2). */
  isMerged(incoming: IncomingRequest): boolean
  count(): number
  close(): void
}

export interface ClientCallbacks {
  response(response: SipResponse): void
  failed(why: 'timedOut' | 'unreachable'): void
}

interface TransactionsOptions {
  clock: Clock
  send(bytes: Buffer, to: SipFlow): Promise<void>
  sentBy(to: SipFlow): { host: string; port: number }
}

// Bounds memory under a flood; far above what the calls of one process need.
const maxServed = 10_000

export function createTransactions({ clock, send, sentBy }: TransactionsOptions): Transactions {
  const clients = new Map<string, { onEvent(event: ClientEvent, response?: SipResponse): void; stop(): void }>()
  const servers = new Map<string, IncomingRequest & { onEvent(event: ServerEvent): void; stop(): void }>()
  const invites = new Map<string, IncomingRequest>()

  function createTimers(fire: (timer: TransactionTimer) => void) {
    const armed = new Map<TransactionTimer, Cancel>()
    return {
      arm(timer: TransactionTimer, ms: number) {
        armed.get(timer)?.()
        armed.set(
          timer,
          clock.machineAfter(ms, () => fire(timer)),
        )
      },
      stop() {
        for (const cancel of armed.values()) cancel()
      },
    }
  }

  function requestAs(request: SipRequest, to: SipFlow, callbacks: ClientCallbacks, start: 'send' | 'listen') {
    const key = clientKey(request)
    let state = clientTransaction(request.method === 'INVITE', to.transport !== 'udp')
    const timers = createTimers((timer) => onEvent({ kind: 'timer', timer }))
    const bytes = writeMessage(request)
    const transmit = (what: Buffer) => send(what, to).catch(() => onEvent({ kind: 'unreachable' }))

    function onEvent(event: ClientEvent, response?: SipResponse) {
      const step = stepClient(state, event)
      state = step.state
      for (const effect of step.effects) {
        if (effect.kind === 'send') void transmit(bytes)
        else if (effect.kind === 'ack' && response) void transmit(writeMessage(ackOfRefusal(request, response)))
        else if (effect.kind === 'arm') timers.arm(effect.timer, effect.ms)
        else if (effect.kind === 'done') {
          timers.stop()
          clients.delete(key)
        }
      }
      // Last, when the state is consistent: the callbacks may start other requests.
      for (const { kind } of step.effects) {
        if (kind === 'deliver' && response) callbacks.response(response)
        else if (kind === 'timedOut' || kind === 'unreachable') callbacks.failed(kind)
      }
    }

    clients.set(key, { onEvent, stop: timers.stop })
    if (start === 'send') onEvent({ kind: 'start' })
    else onEvent({ kind: 'response', status: 100 })
  }

  const withVia = (request: SipRequest, to: SipFlow): SipRequest => {
    const { host, port } = sentBy(to)
    const value = `SIP/2.0/${viaNames[to.transport]} ${hostAndPort(host, port)};branch=${newBranch()};rport`
    return { ...request, headers: [{ name: 'via', value }, ...request.headers] }
  }

  function serve(key: string, request: SipRequest, flow: SipFlow): IncomingRequest {
    const to = answerFlow(request, flow)
    let state = serverTransaction(request.method === 'INVITE', flow.transport !== 'udp')
    let last: Buffer | undefined
    const timers = createTimers((timer) => onEvent({ kind: 'timer', timer }))

    function onEvent(event: ServerEvent) {
      const step = stepServer(state, event)
      state = step.state
      for (const effect of step.effects) {
        // If a response cannot be sent, the far end retransmits its request or times out.
        if (effect.kind === 'send' && last) send(last, to).catch(() => {})
        else if (effect.kind === 'arm') timers.arm(effect.timer, effect.ms)
        else if (effect.kind === 'done') {
          timers.stop()
          servers.delete(key)
          invites.delete(mergeKey(request))
        }
      }
    }

    const incoming = {
      request,
      flow,
      isOpen: () => state.phase === 'trying' || state.phase === 'proceeding',
      respond(response: SipResponse) {
        const isRepeat = state.phase === 'accepted' && response.status >= 200 && response.status < 300
        if (!incoming.isOpen() && !isRepeat) return
        last = writeMessage(response)
        onEvent({ kind: 'respond', status: response.status })
      },
      onEvent,
      stop: timers.stop,
    }
    servers.set(key, incoming)
    if (request.method === 'INVITE' && !invites.has(mergeKey(request))) invites.set(mergeKey(request), incoming)
    return incoming
  }

  return {
    request(request, to, callbacks) {
      const sent = withVia(request, to)
      requestAs(sent, to, callbacks, 'send')
      return sent
    },
    requestAs,
    sendAck(request, to) {
      send(writeMessage(withVia(request, to)), to).catch(() => {})
    },
    forget(request) {
      clients.get(clientKey(request))?.stop()
      clients.delete(clientKey(request))
    },
    handleResponse(response) {
      const client = clients.get(clientKey(response))
      client?.onEvent({ kind: 'response', status: response.status }, response)
      return client !== undefined
    },
    handleRequest(request, flow) {
      const known = servers.get(serverKey(request))
      if (known && known.flow.address !== flow.address) return undefined
      if (known) {
        known.onEvent({ kind: request.method === 'ACK' ? 'ack' : 'again' })
        return undefined
      }
      if (request.method === 'ACK') return { request, flow, respond: () => {}, isOpen: () => false }
      return servers.size < maxServed ? serve(serverKey(request), request, flow) : undefined
    },
    cancelled: (cancel) => servers.get(serverKey({ ...cancel, method: 'INVITE' })),
    isMerged: (incoming) => invites.get(mergeKey(incoming.request)) !== incoming,
    count: () => clients.size + servers.size,
    close() {
      for (const one of [...clients.values(), ...servers.values()]) one.stop()
      clients.clear()
      servers.clear()
      invites.clear()
    },
  }
}

const viaNames: Record<TransportKind, string> = { udp: 'UDP', tcp: 'TCP', tls: 'TLS' }

const topVia = (message: SipRequest | SipResponse) => parseVia(headerList(message, 'via')[0] ?? '')

/** RFC 3261 §17.1.3: by branch and method. */
const clientKey = (message: SipRequest | SipResponse) =>
  `${topVia(message)?.params.get('branch')}|${parseCSeq(header(message, 'cseq'))?.method}`

/** RFC 3261 §17.2.3, with the fields of RFC 2543 if the branch has no magic cookie. */
function serverKey(request: SipRequest): string {
  const via = topVia(request)
  const branch = via?.params.get('branch') ?? ''
  const method = request.method === 'ACK' ? 'INVITE' : request.method
  const sentBy = `${via?.host.toLowerCase()}:${via?.port ?? ''}`
  if (branch.startsWith('z9hG4bK')) return `${branch}|${sentBy}|${method}`
  return `${mergeKey(request)}|${request.uri}|${branch}|${sentBy}|${method}`
}

const mergeKey = (request: SipRequest) =>
  `${header(request, 'call-id')}|${tagOf(header(request, 'from'))}|${parseCSeq(header(request, 'cseq'))?.seq}`

/** RFC 3261 §18.2.2 and RFC 3581: back to the source, never to an address that only the message names. */
export function answerFlow(request: SipRequest, flow: SipFlow): SipFlow {
  const via = topVia(request)
  if (flow.transport !== 'udp' || !via || via.params.has('rport')) return flow
  return { ...flow, port: via.port ?? 5060 }
}
