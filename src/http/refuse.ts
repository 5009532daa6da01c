import type { Socket } from 'node:net'
import { errorBody } from './errors.ts'

/** What the HTTP parser refuses never becomes a request; it still gets our error format. */
export function refuseUnreadable(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') refuse(socket, 431)
  else refuse(socket, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400)
}

const refusals = {
  400: ['Bad Request', 'The request is not valid HTTP'],
  405: ['Method Not Allowed', 'This method is not answered'],
  408: ['Request Timeout', 'The request took too long to arrive; send it again'],
  431: ['Request Header Fields Too Large', 'Address and headers together must stay below 16 KiB'],
} as const

export function refuse(socket: Socket, status: keyof typeof refusals): void {
  const [reason, troubleshoot] = refusals[status]
  const body = JSON.stringify(errorBody(status, troubleshoot))
  const allow = status === 405 ? 'Allow: GET, POST, PUT, DELETE\r\n' : ''
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\n${allow}Content-Type: application/json; charset=utf-8\r\n` +
      `X-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
