import type { Clock } from '../../lib/clock.ts'
import { answerFlow } from './answer-flow.ts'
import type { SipFlow } from './flow.ts'
import type { IncomingRequest } from './incoming-request.ts'
import { type SipRequest, type SipResponse, writeMessage } from './message.ts'
import { type ServerEvent, serverTransaction, stepServer } from './transaction.ts'
import { mergeKey, serverKey } from './transaction-keys.ts'
import { createTransactionTimers } from './transaction-timers.ts'

/** The transactions of requests that we receive. */
export interface ServerTransactions {
  /** Undefined for a retransmission, and for an ACK that belongs to a transaction. */
  handleRequest(request: SipRequest, flow: SipFlow): IncomingRequest | undefined
  /** The INVITE that a CANCEL refers to. */
  cancelled(cancel: SipRequest): IncomingRequest | undefined
  /** Whether the INVITE is a merged request: forked upstream and received twice (RFC 3261 §8.2.2.2). */
  isMerged(incoming: IncomingRequest): boolean
}

export interface ServerTransactionsOptions {
  clock: Clock
  send(bytes: Buffer, to: SipFlow): Promise<void>
}

// Bounds memory under a flood; far above what the calls of one process need.
const maxServed = 10_000

export function createServerTransactions({ clock, send }: ServerTransactionsOptions) {
  const servers = new Map<string, IncomingRequest & { onEvent(event: ServerEvent): void; stop(): void }>()
  const invites = new Map<string, IncomingRequest>()

  function serve(key: string, request: SipRequest, flow: SipFlow): IncomingRequest {
    const to = answerFlow(request, flow)
    let state = serverTransaction(request.method === 'INVITE', flow.transport !== 'udp')
    let last: Buffer | undefined
    const timers = createTransactionTimers(clock, (timer) => onEvent({ kind: 'timer', timer }))

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

  const transactions: ServerTransactions = {
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
  }
  return {
    transactions,
    count: () => servers.size,
    close() {
      for (const one of servers.values()) one.stop()
      servers.clear()
      invites.clear()
    },
  }
}
