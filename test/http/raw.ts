import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'
import type { Answer } from '../kit/app.ts'

// Requests as raw bytes that no HTTP client would send.

export interface RawAnswer {
  status: number
  head: string
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  json: any
}

export function opened(base: string): Promise<Socket> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Everything the server sends until it closes the connection. */
export function untilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  return new Promise((resolve) => {
    socket.on('error', () => {})
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}

/** Sends the bytes; the request should contain `Connection: close`, or be one that the server rejects. */
export async function exchange(base: string, bytes: string | Buffer): Promise<string> {
  const socket = await opened(base)
  const response = untilClosed(socket)
  socket.write(bytes)
  return response
}

export interface RawRequest {
  method?: string
  path?: string
  headers?: string[]
  body?: string | Buffer
  /** Omits Content-Length, for requests with conflicting headers. */
  bare?: boolean
}

export async function rawRequest(base: string, request: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', path = '/v1/ping', headers = [], body = '', bare = false } = request
  const bytes = Buffer.from(body)
  const lines = [`${method} ${path} HTTP/1.1`, `Host: ${new URL(base).host}`, 'Connection: close', ...headers]
  if (!bare && (bytes.length > 0 || method !== 'GET')) lines.push(`Content-Length: ${bytes.length}`)
  return parsed(await exchange(base, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes])))
}

/** The first response in the received bytes. */
export function parsed(response: string): RawAnswer {
  const end = response.indexOf('\r\n\r\n')
  const head = end < 0 ? response : response.slice(0, end)
  const text = end < 0 ? '' : response.slice(end + 4)
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, text, json: jsonIn(text) }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/** The complete error format: reason phrase, troubleshoot, success false, and nothing else. */
export function expectError(answer: Pick<Answer | RawAnswer, 'status' | 'json'>, status: number, what = ''): void {
  expect(answer.status, what).toBe(status)
  const wanted = { error: reasons[status], troubleshoot: expect.stringMatching(/\S/), success: false }
  expect(answer.json, what).toEqual(wanted)
}
