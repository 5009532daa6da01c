import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/**
 * A server may ignore an upgrade request (RFC 9110 §7.8), and some clients send one with every request. Node task all
 * of them to the `upgrade` listener; this returns them to the HTTP server.
 */
export function handleAsPlainHttp(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(i, i + 2)
    if (!isAboutUpgrade(name)) lines.push(`${name}: ${value}`)
  }
  if (/\bclose\b/i.test(request.headers.connection ?? '')) lines.push('Connection: close')
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket)
}

const isAboutUpgrade = (name: string) => /^(upgrade|connection|http2-settings)$/i.test(name)
