import { connect, createServer, type Server, type Socket } from 'node:net'

/** A database connection that can be cut and restored. */
export async function wireTo(url: string) {
  const target = new URL(url)
  const throughWire = new URL(url)
  const sockets = new Set<Socket>()
  const relay = (from: Socket) => {
    const to = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  }
  let server: Server = createServer(relay)
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  throughWire.port = String(port)
  const cut = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await closed
  }
  return {
    url: throughWire.href,
    cut,
    async join() {
      server = createServer(relay)
      await listen(port)
    },
  }
}
