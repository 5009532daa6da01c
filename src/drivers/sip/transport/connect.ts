import { readFileSync } from 'node:fs'
import { isIP, type Socket, connect as tcpConnect } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { type Clock, second } from '../../../lib/clock.ts'
import { hostAndPort } from '../address.ts'
import type { Peer } from '../flow.ts'

const connectMs = 5 * second
const pingMs = 30 * second

/** Opens a connection; `ready` rejects if the far end cannot be reached. */
export function connectTo(
  clock: Clock,
  peer: Peer,
  caFile: string | undefined,
): { socket: Socket; ready: Promise<void> } {
  const { transport, address, port } = peer
  const socket = transport === 'tls' ? connectTls(peer, caFile) : tcpConnect({ host: address, port })
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
  pingWhileOpen(clock, socket)
  return { socket, ready }
}

function connectTls({ address, port, name }: Peer, caFile: string | undefined): Socket {
  return tlsConnect({
    host: address,
    port,
    minVersion: 'TLSv1.2',
    ...(name !== undefined && isIP(name) === 0 && { servername: name }),
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
  })
}

/** RFC 5626 §4.4.1: keeps NAT mappings alive. */
function pingWhileOpen(clock: Clock, socket: Socket): void {
  let cancel = clock.machineAfter(pingMs, ping)
  function ping() {
    socket.write('\r\n\r\n')
    cancel = clock.machineAfter(pingMs, ping)
  }
  socket.once('close', () => cancel())
}
