import { type AddressInfo, createServer } from 'node:net'

// Listens and never accepts: its only thread sleeps, so the backlog of the kernel fills up and further connections time out.
// After its first answer it handles no messages; once a second it checks that its parent process still runs.

const parent = process.ppid

process.once('message', ({ id }: { id: number }) => {
  const server = createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    const { port } = server.address() as AddressInfo
    process.send?.({ id, result: port }, sleep)
  })
})

function sleep() {
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (process.ppid === parent) Atomics.wait(never, 0, 0, 1_000)
  process.exit()
}

export type UnresponsiveReceiverActions = { open: () => Promise<number> }
