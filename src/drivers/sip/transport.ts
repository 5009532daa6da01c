import type { Buffer } from 'node:buffer'
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv6, type Server, type Socket } from 'node:net'
import type { Cancel, Clock } from '../../lib/clock.ts'
import { addressForSocket, plainAddress } from '../../lib/ip-address.ts'
import type { Log } from '../../lib/log.ts'
import type { SipFlow, TransportKind } from './flow.ts'
import { createConnections } from './transport/connections.ts'
import { createTlsListener } from './transport/tls-listener.ts'

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

export function createTransport(options: TransportOptions): Transport {
  const { bind, ports, clock, log, admits, receive } = options
  const connections = createConnections({ clock, caFile: options.tls?.caFile, admits, receive })
  const servers = new Map<TransportKind, Server>()
  let udp: UdpSocket | undefined
  let isClosed = false
  let stopRenewing: Cancel = () => {}

  async function openUdp(port: number) {
    const socket = createSocket({ type: isIPv6(bind) ? 'udp6' : 'udp4' })
    udp = socket
    socket.on('message', (bytes, from) => {
      const address = plainAddress(from.address)
      if (bytes.length > 4 && admits(address)) receive(bytes, { transport: 'udp', address, port: from.port })
    })
    socket.bind(port, bind)
    await once(socket, 'listening')
    socket.on('error', (error) => log.warn({ event: 'sip.udp_error', error }, 'SIP UDP socket failed'))
  }

  async function openServer(kind: 'tcp' | 'tls', port: number) {
    const accept = (socket: Socket) => connections.accept(kind, socket)
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

  function openTls(accept: (socket: Socket) => void): Server {
    if (!options.tls) throw new Error('SIP over TLS needs a certificate')
    const listener = createTlsListener(options, options.tls, accept)
    stopRenewing = listener.stopRenewing
    return listener.server
  }

  async function openAll() {
    if (ports.udp !== undefined) await openUdp(ports.udp)
    if (ports.tcp !== undefined) await openServer('tcp', ports.tcp)
    if (ports.tls !== undefined) await openServer('tls', ports.tls)
  }

  async function close() {
    isClosed = true
    stopRenewing()
    connections.close()
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
      if (to.transport !== 'udp') return connections.send(bytes, to)
      const socket = udp
      if (!socket) throw new Error('no UDP port is open')
      const address = addressForSocket(to.address, isIPv6(bind) ? 6 : 4)
      await new Promise<void>((resolve, reject) => {
        socket.send(bytes, to.port, address, (error) => (error ? reject(error) : resolve()))
      })
    },
  }
}
