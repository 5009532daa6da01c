import type { Clock } from '../../lib/clock.ts'
import { hostAndPort } from './address.ts'
import { ackOfRefusal, newBranch } from './build.ts'
import type { SipFlow, TransportKind } from './flow.ts'
import { type SipRequest, type SipResponse, writeMessage } from './message.ts'
import { type ClientEvent, clientTransaction, stepClient } from './transaction.ts'
import { clientKey } from './transaction-keys.ts'
import { createTransactionTimers } from './transaction-timers.ts'

/** The transactions of our own requests. */
export interface ClientTransactions {
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
}

export interface ClientCallbacks {
  response(response: SipResponse): void
  failed(why: 'timedOut' | 'unreachable'): void
}

export interface ClientTransactionsOptions {
  clock: Clock
  send(bytes: Buffer, to: SipFlow): Promise<void>
  /** Our own address for the far end. */
  sentBy(to: SipFlow): { host: string; port: number }
}

export function createClientTransactions({ clock, send, sentBy }: ClientTransactionsOptions) {
  const clients = new Map<string, { onEvent(event: ClientEvent, response?: SipResponse): void; stop(): void }>()

  function requestAs(request: SipRequest, to: SipFlow, callbacks: ClientCallbacks, start: 'send' | 'listen') {
    const key = clientKey(request)
    let state = clientTransaction(request.method === 'INVITE', to.transport !== 'udp')
    const timers = createTransactionTimers(clock, (timer) => onEvent({ kind: 'timer', timer }))
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

  const transactions: ClientTransactions = {
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
  }
  return {
    transactions,
    count: () => clients.size,
    close() {
      for (const one of clients.values()) one.stop()
      clients.clear()
    },
  }
}

const viaNames: Record<TransportKind, string> = { udp: 'UDP', tcp: 'TCP', tls: 'TLS' }
