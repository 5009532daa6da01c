import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A TCP relay to a server that can be cut; its address stays the same when the server restarts. */
export interface Relay {
  base: string
  /** Forwards to this server from now on. */
  to(base: string): void
  /** Closes every connection and accepts no new one. */
  cut(): void
  /** Does so in the middle of an upload, after this many bytes from the client. */
  cutAfter(bytes: number): void
}

export async function openRelay(host = '127.0.0.1'): Promise<Relay> {
  const sockets = new Set<Socket>()
  let port: number | undefined
  let bytesLeft = Number.POSITIVE_INFINITY
  const server = createServer((near) => {
    if (port === undefined) return near.destroy()
    const far = connect(port, '127.0.0.1')
    near.on('data', ({ length }) => {
      bytesLeft -= length
      if (bytesLeft <= 0) relay.cut()
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('close', () => {
        sockets.delete(one)
        // What was received before is still delivered.
        other.destroySoon()
      })
      // The `close` event follows.
      one.on('error', () => {})
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the relay listens on a port')
  const relay: Relay = {
    base: `http://${host}:${address.port}`,
    to(base) {
      port = Number(new URL(base).port)
    },
    cut() {
      port = undefined
      bytesLeft = Number.POSITIVE_INFINITY
      for (const socket of sockets) socket.destroy()
    },
    cutAfter(bytes) {
      bytesLeft = bytes
    },
  }
  onTestFinished(() => {
    relay.cut()
    server.close()
  })
  return relay
}
