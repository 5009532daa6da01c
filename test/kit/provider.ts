import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

// A provider's server on loopback: records requests and replies as configured. Also used outside of vitest.

export interface Asked {
  method: string
  /** Including its query. */
  path: string
  headers: IncomingHttpHeaders
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  json: any
}

export type Reply =
  | { status: number; json?: unknown; bytes?: Buffer; headers?: Record<string, string>; afterMs?: number }
  | 'break'

export interface Provider {
  readonly base: string
  readonly got: Asked[]
  answer(how: (asked: Asked) => Reply): void
  until(enough: (got: readonly Asked[]) => boolean): Promise<void>
  close(): Promise<void>
  /** Listens on the same port again. */
  open(): Promise<void>
}

export async function startProvider(how: (asked: Asked) => Reply): Promise<Provider> {
  const got: Asked[] = []
  const sockets = new Set<Socket>()
  let answer = how
  let port = 0
  let waiting: { enough: (got: readonly Asked[]) => boolean; resolve: () => void }[] = []
  let close = async () => {}

  async function open(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        const { method = '', url: path = '', headers } = request
        const asked = { method, path, headers, raw, json: jsonIn(raw) }
        got.push(asked)
        const reply = answer(asked)
        if (reply === 'break') request.socket.destroy()
        else if (reply.afterMs) setTimeout(() => respond(response, reply), reply.afterMs)
        else respond(response, reply)
        waiting = waiting.filter(({ enough, resolve }) => !enough(got) || resolve())
      })
    })
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
    close = () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      })
  }
  await open()
  return {
    get base() {
      return `http://127.0.0.1:${port}`
    },
    got,
    answer(next) {
      answer = next
    },
    until: (enough) =>
      new Promise((resolve) => {
        if (enough(got)) resolve()
        else waiting.push({ enough, resolve })
      }),
    close: () => close(),
    open,
  }
}

function respond(response: ServerResponse, { status, json, bytes, headers }: Exclude<Reply, 'break'>): void {
  response.writeHead(status, { 'content-type': bytes ? 'application/octet-stream' : 'application/json', ...headers })
  response.end(bytes ?? (json === undefined ? '' : JSON.stringify(json)))
}

function jsonIn(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}
