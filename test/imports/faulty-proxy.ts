import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

// A server in front of the source of an import, with the faults of real ones.

export interface FaultyProxy {
  url: string
  /** Requests so far. */
  requests(): number
  /** How often each fault occurred. */
  faults: Record<'429' | '500' | 'lost' | 'silent' | 'cut', number>
  /** Called before each request with its number. */
  onRequest?: ((n: number) => void) | undefined
  /** Requests wait for the promise that it returns. */
  hold?: ((path: string) => Promise<unknown> | undefined) | undefined
}

export async function faultyProxy(base: string, isFaulty = true, isSilent = false): Promise<FaultyProxy> {
  const { port, hostname } = new URL(base)
  let n = 0
  const faults = { '429': 0, '500': 0, lost: 0, silent: 0, cut: 0 }
  const proxy: FaultyProxy = { url: '', requests: () => n, faults }
  const forward = (incoming: IncomingMessage, response: ServerResponse, cuts: boolean) => {
    const { method, url, headers } = incoming
    const outgoing = request({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      if (!cuts) return void answer.pipe(response)
      answer.once('data', (part: Buffer) => {
        response.write(part.subarray(0, part.length / 2), () => response.destroy())
        answer.destroy()
      })
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  }
  const server = createServer((incoming, response) => {
    n++
    proxy.onRequest?.(n)
    if (isFaulty && n % 17 === 3) {
      faults['429']++
      return void response.writeHead(429, { 'retry-after': '0' }).end('{}')
    }
    if (isFaulty && n % 23 === 5) {
      faults['500']++
      return void response.writeHead(500).end('Internal Server Error')
    }
    if (isFaulty && n % 29 === 7) {
      faults.lost++
      return void incoming.socket.destroy()
    }
    // Never answered: the client times out.
    if (isSilent && n % 41 === 9) return void faults.silent++
    const cuts = isFaulty && n % 37 === 11
    if (cuts) faults.cut++
    const held = proxy.hold?.(incoming.url ?? '')
    if (held) void held.then(() => forward(incoming, response, cuts))
    else forward(incoming, response, cuts)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
