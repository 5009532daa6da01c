import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { errorBody } from './errors.ts'

const refusals = {
  400: ['Bad Request', 'The request is not valid HTTP'],
  405: ['Method Not Allowed', 'This method is not answered'],
  408: ['Request Timeout', 'The request took too long to arrive; send it again'],
  431: ['Request Header Fields Too Large', 'Address and headers together must stay below 16 KiB'],
} as const

/** Requests rejected by the HTTP parser still get our error format and headers. */
export function refuser(headers: Record<string, string>) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)

  function refuse(socket: Socket, status: keyof typeof refusals): void {
    const [reason, troubleshoot] = refusals[status]
    const body = JSON.stringify(errorBody(status, troubleshoot))
    const allow = status === 405 ? 'Allow: GET, POST, PUT, DELETE\r\n' : ''
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\n${allow}${lines.join('')}Content-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }

  function refuseUnreadable(error: { code?: string }, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (error.code === 'HPE_HEADER_OVERFLOW') refuse(socket, 431)
    else refuse(socket, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400)
  }

  return { refuse, refuseUnreadable }
}

/**
 * RFC 9112 §3.2 and §6.1: a single Host, and no transfer coding except chunked; a proxy could interpret anything else
 * differently.
 */
export function isAmbiguous({ rawHeaders, headers, httpVersion }: IncomingMessage): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') hosts++
  const coding = headers['transfer-encoding']
  return hosts > 1 || (hosts === 0 && httpVersion === '1.1') || (coding !== undefined && !/^chunked$/i.test(coding))
}
