import type { Duplex } from 'node:stream'
import { namedError } from '../../lib/child-supervisor.ts'
import { type Clock, second } from '../../lib/clock.ts'
import { framedMessages } from '../../lib/framed-messages.ts'
import { createMessageRequests } from '../../lib/message-requests.ts'
import { version } from '../../lib/version.ts'
import { type EngineMessage, type LineNodeMessage, oldestProtocol, protocolVersion } from '../../line-node/protocol.ts'

export type Welcome = Extract<LineNodeMessage, { kind: 'welcome' }>

/** A connection to a line node. */
export interface NodeConnection {
  welcome: Welcome
  request(method: string, params: unknown[]): Promise<unknown>
  /** Sent with others of the same turn. */
  acknowledge(seq: number): void
  /** Time since the last message of the node. */
  silentMs(): number
  /** The node does not answer any more. */
  destroy(): void
  /** Active legs stay on the node. */
  leave(): void
  /** Resolves when the node has closed the connection. */
  closed: Promise<void>
}

/** A message that is neither a response nor a question. */
export type NodeNotice = Exclude<LineNodeMessage, { kind: 'welcome' | 'refused' | 'response' | 'failure' | 'request' }>

/** Questions of a node. */
export type NodeQuestion = Extract<LineNodeMessage, { kind: 'request' }>

interface Options {
  /** Opens the stream; it emits `event` when it is ready. */
  open(): { stream: Duplex; event: 'connect' | 'secureConnect' }
  session: string
  /** Takes no new calls. */
  isDraining(): boolean
  isRemote?: boolean
  isObserver?: boolean
  clock: Clock
  /** Before the first message. */
  onWelcome?(welcome: Welcome): void
  onMessage(message: NodeNotice): void
  /** Answers a question of the node. */
  onRequest(question: NodeQuestion): Promise<unknown>
  onEnd(): void
}

const answerTimeoutMs = 10 * second

/** Rejects if no node can be reached. */
export function connectToNode(options: Options): Promise<NodeConnection> {
  const { session, isRemote, isObserver, clock, onMessage, onRequest, onEnd } = options
  const requests = createMessageRequests(clock, () => namedError('LineNodeSilent', 'the line node does not answer'))
  const { stream, event } = options.open()
  const acks: number[] = []
  const waiting: LineNodeMessage[] = []
  let hasResponded = false
  let isGreeted = false
  let receivedAt = clock.steadyNow()
  let resolveClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })

  return new Promise((resolve, reject) => {
    const channel = framedMessages<LineNodeMessage, EngineMessage>(stream, {
      onMessage(message) {
        receivedAt = clock.steadyNow()
        receive(message)
      },
      onEnd(error) {
        for (const message of waiting.splice(0)) handle(message)
        requests.failAll(lineNodeGone())
        resolveClosed()
        if (isGreeted) onEnd()
        else reject(error ?? lineNodeGone())
      },
    })

    /** An event that follows a response in the same turn waits until the caller has its response. */
    function receive(message: LineNodeMessage): void {
      if (waiting.length > 0 || (hasResponded && message.kind === 'event')) waiting.push(message)
      else handle(message)
    }

    function handle(message: LineNodeMessage) {
      switch (message.kind) {
        case 'welcome':
          if (message.protocol < oldestProtocol) {
            channel.close()
            return reject(tooOld(message))
          }
          isGreeted = true
          options.onWelcome?.(message)
          return resolve(connectionOf(message))
        case 'refused':
          return reject(namedError('LineNodeRefused', message.reason))
        case 'response':
          responded()
          // JSON has no undefined.
          return requests.respond(message.id, message.result ?? undefined)
        case 'failure':
          return requests.fail(message.id, namedError(message.name, message.message))
        case 'request':
          return answer(message)
        default:
          return onMessage(message)
      }
    }

    function responded(): void {
      if (hasResponded) return
      hasResponded = true
      setImmediate(() => {
        hasResponded = false
        for (const message of waiting.splice(0)) receive(message)
      })
    }

    const hello = { kind: 'hello' as const, protocol: protocolVersion, session, release: version }
    stream.once(event, () => {
      const draining = options.isDraining()
      channel.send({ ...hello, draining, ...(isRemote && { isRemote }), ...(isObserver && { isObserver }) })
    })

    function answer(question: NodeQuestion): void {
      const { id } = question
      onRequest(question).then(
        (result) => channel.send({ kind: 'response', id, result: result ?? null }),
        (error: unknown) => channel.send({ kind: 'failure', id, name: 'Error', message: String(error) }),
      )
    }

    function connectionOf(welcome: Welcome): NodeConnection {
      return {
        welcome,
        request: (method, params) =>
          requests.request((id) => channel.send({ kind: 'request', id, method, params }), answerTimeoutMs),
        acknowledge(seq) {
          acks.push(seq)
          if (acks.length === 1) setImmediate(() => channel.send({ kind: 'ack', seqs: acks.splice(0) }))
        },
        silentMs: () => clock.steadyNow() - receivedAt,
        destroy: () => void stream.destroy(),
        leave() {
          if (acks.length > 0) channel.send({ kind: 'ack', seqs: acks.splice(0) })
          channel.send({ kind: 'bye' })
          channel.close()
        },
        closed,
      }
    }
  })
}

const tooOld = ({ protocol, release }: Welcome) =>
  namedError('LineNodeRefused', `the line node of release ${release} speaks protocol ${protocol}, which is too old`)

export const lineNodeGone = () => namedError('LineNodeGone', 'the line node is not running')
