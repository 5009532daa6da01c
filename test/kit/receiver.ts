import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { onTestFinished } from 'vitest'

// A customer's webhook receiver: a real socket that records requests. Signatures are verified by third-party code.

export interface Received {
  path: string
  headers: Record<string, string>
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  body: any
}

export type Behaviour = (request: Received, response: ServerResponse, raw: IncomingMessage) => void

export interface Receiver {
  url: string
  got: Received[]
  /** Sets the behaviour; a number is the response status of every request. */
  behave(how: number | Behaviour): void
  /** Resolves when that many requests have arrived. */
  until(enough: (got: readonly Received[]) => boolean): Promise<void>
  /** Verifies every signature from now on; an invalid one fails the test at its end. */
  verifyWith(...secrets: string[]): void
  /** Resolves when no connection is open: a sender that was killed has nothing more on its way. */
  disconnected(): Promise<void>
  close(): Promise<void>
}

export async function receiver(how: number | Behaviour = 204): Promise<Receiver> {
  const got: Received[] = []
  const sockets = new Set<Socket>()
  const problems: string[] = []
  let secrets: string[] = []
  let behaviour = behaviourOf(how)
  let waiting: { enough: (got: readonly Received[]) => boolean; resolve: () => void }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString('utf8')
      const headers = request.headers as Record<string, string>
      const received = { path: request.url ?? '', headers, raw, body: JSON.parse(raw) }
      for (const secret of secrets) {
        try {
          new Webhook(secret).verify(raw, headers)
        } catch (error) {
          problems.push(`${headers['webhook-id']}: ${error instanceof Error ? error.message : 'not verified'}`)
        }
      }
      got.push(received)
      behaviour(received, response, request)
      waiting = waiting.filter(({ enough, resolve }) => !enough(got) || resolve())
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resolve())
    })
  onTestFinished(async () => {
    await close()
    if (problems.length > 0) throw new Error(`signatures that do not verify: ${problems.join('; ')}`)
  })
  return {
    url: `http://127.0.0.1:${port}/hook`,
    got,
    behave(next) {
      behaviour = behaviourOf(next)
    },
    until: (enough) =>
      new Promise((resolve) => {
        if (enough(got)) resolve()
        else waiting.push({ enough, resolve })
      }),
    verifyWith(...given) {
      secrets = given
    },
    async disconnected() {
      for (const socket of sockets) await once(socket, 'close')
    },
    close,
  }
}

function behaviourOf(how: number | Behaviour): Behaviour {
  return typeof how === 'function' ? how : (_request, response) => response.writeHead(how).end()
}
