import { type AddressInfo, createServer } from 'node:net'

// Listens and never accepts: its one thread sleeps, so the queue of the system fills up and further calls ring out. It
// cannot be asked anything; it looks once a second whether whoever started it is still there and wants it.

const parent = process.ppid
const server = createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ id: 1, result: port }, () => {
    const nothing = new Int32Array(new SharedArrayBuffer(4))
    while (process.ppid === parent) Atomics.wait(nothing, 0, 0, 1_000)
    process.exit()
  })
})

export type DeafReceiverActions = { open: () => Promise<number> }
