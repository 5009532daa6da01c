import type { Buffer } from 'node:buffer'
import type { Socket } from 'node:net'
import { type Clock, minute, second } from '../../../lib/clock.ts'
import { plainAddress } from '../../../lib/ip-address.ts'
import type { Peer, SipFlow } from '../flow.ts'
import { createFramer } from '../framing.ts'
import { connectTo } from './connect.ts'

/** TCP and TLS connections, shared by all messages to the same target. */
export interface Connections {
  /** Keeps a connection that the far end has opened, within the limits. */
  accept(transport: 'tcp' | 'tls', socket: Socket): void
  /** Connects if there is no connection to the target; rejects if it cannot be reached. */
  send(bytes: Buffer, to: SipFlow): Promise<void>
  close(): void
}

interface Options {
  clock: Clock
  caFile: string | undefined
  admits(address: string): boolean
  receive(bytes: Buffer, flow: SipFlow): void
}

interface Connection {
  flow: SipFlow
  socket: Socket
  ready: Promise<void>
}

const firstWordMs = 30 * second
const idleMs = 10 * minute
const maxConnections = 1_000
const maxPerAddress = 50
const maxUnsent = 1_048_576

export function createConnections(options: Options): Connections {
  const { clock } = options
  const connections = new Map<number, Connection>()
  const perAddress = new Map<string, number>()
  let lastId = 0
  let isClosed = false

  function keep(peer: Peer, socket: Socket, ready: Promise<void>): Connection {
    const id = ++lastId
    const connection: Connection = { flow: { ...peer, connection: id }, socket, ready }
    connections.set(id, connection)
    perAddress.set(peer.address, (perAddress.get(peer.address) ?? 0) + 1)
    socket.setNoDelay(true)
    socket.on('close', () => {
      connections.delete(id)
      const left = (perAddress.get(peer.address) ?? 1) - 1
      if (left > 0) perAddress.set(peer.address, left)
      else perAddress.delete(peer.address)
    })
    readMessages(options, connection)
    return connection
  }

  function connectionTo(to: SipFlow): Connection {
    const own = to.connection === undefined ? undefined : connections.get(to.connection)
    if (own && !own.socket.destroyed) return own
    for (const one of connections.values()) if (isSame(one.flow, to) && !one.socket.destroyed) return one
    const { transport, address, port, name } = to
    const peer: Peer = { transport, address, port, ...(name !== undefined && { name }) }
    const { socket, ready } = connectTo(clock, peer, options.caFile)
    return keep(peer, socket, ready)
  }

  return {
    accept(transport, socket) {
      const address = plainAddress(socket.remoteAddress ?? '')
      const isTooMany = connections.size >= maxConnections || (perAddress.get(address) ?? 0) >= maxPerAddress
      if (isClosed || isTooMany || address === '' || !options.admits(address)) {
        socket.on('error', () => socket.destroy())
        socket.destroy()
        return
      }
      keep({ transport, address, port: socket.remotePort ?? 0 }, socket, Promise.resolve())
    },
    async send(bytes, to) {
      const { socket, ready } = connectionTo(to)
      await ready
      if (socket.writableLength > maxUnsent) socket.destroy()
      await new Promise<void>((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      })
    },
    close() {
      isClosed = true
      for (const { socket } of connections.values()) socket.destroy()
    },
  }
}

const isSame = (a: Peer, b: Peer) =>
  a.transport === b.transport && a.address === b.address && a.port === b.port && a.name === b.name

/** Ends a connection that is idle, that sends no SIP, or whose address has been banned. */
function readMessages({ clock, admits, receive }: Options, { flow, socket }: Connection): void {
  const framer = createFramer()
  let cancelIdle = clock.machineAfter(firstWordMs, () => socket.destroy())
  socket.on('data', (bytes) => {
    cancelIdle()
    cancelIdle = clock.machineAfter(idleMs, () => socket.destroy())
    if (!admits(flow.address)) return socket.destroy()
    const { messages, pings, broken } = framer.push(bytes)
    if (pings > 0) socket.write('\r\n')
    for (const message of messages) receive(message, flow)
    if (broken) socket.destroy()
  })
  // `close` follows.
  socket.on('error', () => socket.destroy())
  socket.on('close', () => cancelIdle())
}
