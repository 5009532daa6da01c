import { type AddressInfo, createServer } from 'node:net'

// Listens and never accepts: its one thread sleeps, so the queue of the system fills up and further calls ring out. After
// its first answer it hears nothing; once a second it looks whether whoever started it is still there.

const parent = process.ppid

process.once('message', ({ id }: { id: number }) => {
  const server = createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    const { port } = server.address() as AddressInfo
    process.send?.({ id, result: port }, sleep)
  })
})

function sleep() {
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  while (process.ppid === parent) Atomics.wait(nothing, 0, 0, 1_000)
  process.exit()
}

export type DeafReceiverActions = { open: () => Promise<number> }
