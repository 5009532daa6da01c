import type { Buffer } from 'node:buffer'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, isIP, isIPv6, type Server, type Socket, connect as tcpConnect } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer, connect as tlsConnect } from 'node:tls'
import { type Cancel, type Clock, minute, second } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { hostAndPort } from './address.ts'
import { createFramer } from './framing.ts'

export type TransportKind = 'udp' | 'tcp' | 'tls'

/** The target of a message. */
export interface Peer {
  transport: TransportKind
  address: string
  port: number
  /** The name that the certificate must match, if the address was resolved from a name. */
  name?: string
}

/** The source of a message: responses go back over the same connection while it is open. */
export interface SipFlow extends Peer {
  connection?: number
}

export interface TransportOptions {
  bind: string
  /** Absent transports are not opened; 0 is any free port. */
  ports: { [kind in TransportKind]?: number }
  tls?: { certFile: string; keyFile: string; caFile?: string }
  clock: Clock
  log: Log
  /** Checked before anything is read. */
  admits(address: string): boolean
  receive(bytes: Buffer, flow: SipFlow): void
}

export interface Transport {
  open(): Promise<void>
  close(): Promise<void>
  port(kind: TransportKind): number | undefined
  /** Rejects if the far end cannot be reached; on UDP only if the system reports it. */
  send(bytes: Buffer, to: SipFlow): Promise<void>
}

const connectMs = 5 * second
const firstWordMs = 30 * second
const idleMs = 10 * minute
const pingMs = 30 * second
const maxConnections = 1_000
const maxPerAddress = 50
const maxUnsent = 1_048_576
const certificateMs = minute

interface Connection {
  id: number
  flow: SipFlow
  socket: Socket
  ready: Promise<void>
}

export function createTransport(options: TransportOptions): Transport {
  const { bind, ports, clock, log } = options
  const connections = new Map<number, Connection>()
  const perAddress = new Map<string, number>()
  const servers = new Map<TransportKind, Server>()
  let udp: UdpSocket | undefined
  let lastId = 0
  let isClosed = false
  let stopRenewing: Cancel = () => {}

  async function openUdp(port: number) {
    const socket = createSocket({ type: isIPv6(bind) ? 'udp6' : 'udp4' })
    udp = socket
    socket.on('message', (bytes, from) => {
      const address = plainAddress(from.address)
      if (bytes.length > 4 && options.admits(address)) {
        options.receive(bytes, { transport: 'udp', address, port: from.port })
      }
    })
    socket.bind(port, bind)
    await once(socket, 'listening')
    socket.on('error', (error) => log.warn({ event: 'sip.udp_error', error }, 'SIP UDP socket failed'))
  }

  async function openServer(kind: 'tcp' | 'tls', port: number) {
    const accept = (socket: Socket) => accepted(kind, socket)
    const server = kind === 'tcp' ? createServer(accept) : openTls(accept)
    servers.set(kind, server)
    server.listen({ port, host: bind })
    await once(server, 'listening')
    server.on('error', (error) =>
      log.warn({ event: 'sip.server_error', error, transport: kind }, 'SIP listener failed'),
    )
    // A failed handshake would keep its socket open.
    server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  }

  function openTls(accept: (socket: Socket) => void): TlsServer {
    const first = certificate()
    const server = createTlsServer({ ...first, minVersion: 'TLSv1.2' }, accept)
    renewSoon(server, first)
    return server
  }

  /**
   * Certificates are renewed on the disk every few weeks. Polling works on every file system, and if only one of the two
   * files has been written so far, the next poll finds both.
   */
  function renewSoon(server: TlsServer, known: ReturnType<typeof certificate>): void {
    stopRenewing = clock.machineAfter(certificateMs, () => renewSoon(server, renewed(server, known)))
  }

  function renewed(server: TlsServer, known: ReturnType<typeof certificate>): ReturnType<typeof certificate> {
    try {
      const found = certificate()
      if (found.cert.equals(known.cert) && found.key.equals(known.key)) return known
      server.setSecureContext({ ...found, minVersion: 'TLSv1.2' })
      log.info({ event: 'sip.certificate_renewed' }, 'SIP over TLS uses a renewed certificate')
      return found
    } catch (error) {
      log.warn({ event: 'sip.certificate_invalid', error }, 'renewed certificate is invalid: the previous one stays')
      return known
    }
  }

  function certificate() {
    if (!options.tls) throw new Error('SIP over TLS needs a certificate')
    return { cert: readFileSync(options.tls.certFile), key: readFileSync(options.tls.keyFile) }
  }

  function accepted(kind: 'tcp' | 'tls', socket: Socket) {
    const address = plainAddress(socket.remoteAddress ?? '')
    const isTooMany = connections.size >= maxConnections || (perAddress.get(address) ?? 0) >= maxPerAddress
    if (isClosed || isTooMany || address === '' || !options.admits(address)) {
      socket.on('error', () => socket.destroy())
      socket.destroy()
      return
    }
    keep({ transport: kind, address, port: socket.remotePort ?? 0 }, socket, Promise.resolve())
  }

  function keep(peer: Peer, socket: Socket, ready: Promise<void>): Connection {
    const id = ++lastId
    const connection: Connection = { id, flow: { ...peer, connection: id }, socket, ready }
    connections.set(id, connection)
    perAddress.set(peer.address, (perAddress.get(peer.address) ?? 0) + 1)
    const framer = createFramer()
    let cancelIdle = clock.machineAfter(firstWordMs, () => socket.destroy())
    socket.setNoDelay(true)
    socket.on('data', (bytes) => {
      cancelIdle()
      cancelIdle = clock.machineAfter(idleMs, () => socket.destroy())
      if (!options.admits(peer.address)) return socket.destroy()
      const { messages, pings, broken } = framer.push(bytes)
      if (pings > 0) socket.write('\r\n')
      for (const message of messages) options.receive(message, connection.flow)
      if (broken) socket.destroy()
    })
    // `close` follows.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      cancelIdle()
      connections.delete(id)
      const left = (perAddress.get(peer.address) ?? 1) - 1
      if (left > 0) perAddress.set(peer.address, left)
      else perAddress.delete(peer.address)
    })
    return connection
  }

  /** Connections are shared by all messages to the same target. */
  function connectionTo(to: SipFlow): Connection {
    const own = to.connection === undefined ? undefined : connections.get(to.connection)
    if (own && !own.socket.destroyed) return own
    for (const one of connections.values()) {
      const { transport, address, port, name } = one.flow
      const isSame = transport === to.transport && address === to.address && port === to.port && name === to.name
      if (isSame && !one.socket.destroyed) return one
    }
    return dial(to)
  }

  function dial({ transport, address, port, name }: Peer): Connection {
    const peer: Peer = { transport, address, port, ...(name !== undefined && { name }) }
    const socket = transport === 'tls' ? dialTls(peer) : tcpConnect({ host: address, port })
    const cancelConnect = clock.machineAfter(connectMs, () => socket.destroy())
    const ready = new Promise<void>((resolve, reject) => {
      socket.once(transport === 'tls' ? 'secureConnect' : 'connect', () => {
        cancelConnect()
        resolve()
      })
      socket.once('close', () => {
        cancelConnect()
        reject(new Error(`no connection to ${hostAndPort(address, port)}`))
      })
    })
    // Senders await it; without a waiting sender the rejection is ignored.
    ready.catch(() => {})
    const connection = keep(peer, socket, ready)
    pingWhileOpen(socket)
    return connection
  }

  function dialTls({ address, port, name }: Peer): Socket {
    const ca = options.tls?.caFile
    return tlsConnect({
      host: address,
      port,
      minVersion: 'TLSv1.2',
      ...(name !== undefined && isIP(name) === 0 && { servername: name }),
      ...(ca !== undefined && { ca: readFileSync(ca) }),
    })
  }

  /** RFC 5626 §4.4.1: keeps NAT mappings alive. */
  function pingWhileOpen(socket: Socket) {
    let cancel = clock.machineAfter(pingMs, ping)
    function ping() {
      socket.write('\r\n\r\n')
      cancel = clock.machineAfter(pingMs, ping)
    }
    socket.once('close', () => cancel())
  }

  async function sendStream(bytes: Buffer, to: SipFlow) {
    const connection = connectionTo(to)
    await connection.ready
    if (connection.socket.writableLength > maxUnsent) connection.socket.destroy()
    await new Promise<void>((resolve, reject) => {
      connection.socket.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  }

  async function openAll() {
    if (ports.udp !== undefined) await openUdp(ports.udp)
    if (ports.tcp !== undefined) await openServer('tcp', ports.tcp)
    if (ports.tls !== undefined) await openServer('tls', ports.tls)
  }

  async function close() {
    isClosed = true
    stopRenewing()
    for (const { socket } of connections.values()) socket.destroy()
    const closing = [...servers.values()].map((server) => new Promise((resolve) => server.close(resolve)))
    const socket = udp
    udp = undefined
    if (socket) closing.push(new Promise<void>((resolve) => socket.close(resolve)))
    await Promise.all(closing)
  }

  return {
    async open() {
      try {
        await openAll()
      } catch (error) {
        // Ports that were opened before the failure must be free for the next try.
        await close()
        throw error
      }
    },
    close,
    port(kind) {
      const address = kind === 'udp' ? udp?.address() : servers.get(kind)?.address()
      return typeof address === 'object' && address !== null ? address.port : undefined
    },
    async send(bytes, to) {
      if (isClosed) throw new Error('the SIP stack is closed')
      if (to.transport !== 'udp') return sendStream(bytes, to)
      const socket = udp
      if (!socket) throw new Error('no UDP port is open')
      // A dual-stack socket needs IPv4-mapped addresses.
      const address = isIPv6(bind) && !isIPv6(to.address) ? `::ffff:${to.address}` : to.address
      await new Promise<void>((resolve, reject) => {
        socket.send(bytes, to.port, address, (error) => (error ? reject(error) : resolve()))
      })
    },
  }
}

/** The IPv4 address of an IPv4-mapped one, as dual-stack sockets report it. */
const plainAddress = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)
