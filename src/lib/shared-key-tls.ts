import { hkdfSync } from 'node:crypto'
import { connect, createServer, type Server, type TLSSocket } from 'node:tls'

// TLS between our own programs on different hosts. Both know the same secret (RFC 4279): it authenticates both sides, so there
// are no certificates to issue and renew. ECDHE gives forward secrecy. OpenSSL has such suites up to TLS 1.2.

const suite = {
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'hookswitch line node', 32))

const handshakeTimeoutMs = 10_000
/** A host that is switched off answers nothing; start-up waits for this. */
const connectTimeoutMs = 3_000

export function serveWithSharedKey(
  secret: string,
  identity: string,
  onConnection: (socket: TLSSocket) => void,
): Server {
  const psk = keyOf(secret)
  return createServer(
    {
      ...suite,
      handshakeTimeout: handshakeTimeoutMs,
      pskCallback: (_socket, given) => (given === identity ? psk : null),
    },
    onConnection,
  )
}

export function connectWithSharedKey(secret: string, identity: string, to: { host: string; port: number }): TLSSocket {
  const psk = keyOf(secret)
  const socket = connect({
    ...suite,
    ...to,
    timeout: connectTimeoutMs,
    pskCallback: () => ({ psk, identity }),
    // The key authenticates the server; there is no certificate.
    checkServerIdentity: () => undefined,
  })
  let isReady = false
  socket.once('secureConnect', () => {
    isReady = true
  })
  socket.on('timeout', () => {
    if (!isReady) socket.destroy(new Error(`no answer from ${to.host}:${to.port}`))
  })
  return socket
}
