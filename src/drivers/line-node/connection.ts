import { connect } from 'node:net'
import { namedError } from '../../lib/child-supervisor.ts'
import { type Clock, second } from '../../lib/clock.ts'
import { framedMessages } from '../../lib/framed-messages.ts'
import { createMessageRequests } from '../../lib/message-requests.ts'
import { version } from '../../lib/version.ts'
import { type EngineMessage, type LineNodeMessage, protocolVersion } from '../../line-node/protocol.ts'

export type Welcome = Extract<LineNodeMessage, { kind: 'welcome' }>

/** A connection to a line node. */
export interface NodeConnection {
  welcome: Welcome
  request(method: string, params: unknown[]): Promise<unknown>
  /** Sent with others of the same turn. */
  acknowledge(seq: number): void
  /** Active legs stay on the node. */
  leave(): void
  /** Resolves when the node has closed the connection. */
  closed: Promise<void>
}

/** A message that is neither a response nor a question. */
export type NodeNotice = Exclude<LineNodeMessage, { kind: 'welcome' | 'refused' | 'response' | 'failure' | 'request' }>

interface Options {
  socketFile: string
  session: string
  /** Takes no new calls. */
  isDraining(): boolean
  clock: Clock
  onMessage(message: NodeNotice): void
  /** Answers a question of the node. */
  onRequest(method: 'routeCall' | 'soundOf', params: unknown[]): Promise<unknown>
  onEnd(): void
}

const answerTimeoutMs = 10 * second

/** Rejects if no node serves the socket. */
export function connectToNode(options: Options): Promise<NodeConnection> {
  const { socketFile, session, clock, onMessage, onRequest, onEnd } = options
  const requests = createMessageRequests(clock, () => namedError('LineNodeSilent', 'the line node does not answer'))
  const socket = connect(socketFile)
  const acks: number[] = []
  let isGreeted = false
  let resolveClosed = () => {}
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve
  })

  return new Promise((resolve, reject) => {
    const channel = framedMessages<LineNodeMessage, EngineMessage>(socket, {
      onMessage(message) {
        switch (message.kind) {
          case 'welcome':
            isGreeted = true
            return resolve(connectionOf(message))
          case 'refused':
            return reject(namedError('LineNodeRefused', message.reason))
          case 'response':
            // JSON has no undefined.
            return requests.respond(message.id, message.result ?? undefined)
          case 'failure':
            return requests.fail(message.id, namedError(message.name, message.message))
          case 'request':
            return answer(message)
          default:
            return onMessage(message)
        }
      },
      onEnd(error) {
        requests.failAll(lineNodeGone())
        resolveClosed()
        if (isGreeted) onEnd()
        else reject(error ?? lineNodeGone())
      },
    })
    socket.once('connect', () => {
      const draining = options.isDraining()
      channel.send({ kind: 'hello', protocol: protocolVersion, session, release: version, draining })
    })

    function answer({ id, method, params }: Extract<LineNodeMessage, { kind: 'request' }>): void {
      onRequest(method, [...params]).then(
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

export const lineNodeGone = () => namedError('LineNodeGone', 'the line node is not running')
