import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'

// The listening thread sleeps and never accepts; we fill the kernel's short backlog.
const listener = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

const queue = 2

/** A port that never completes a connection, like a firewall that drops packets. */
export async function unresponsivePort(): Promise<number> {
  const worker = new Worker(listener, { eval: true })
  const [port] = (await once(worker, 'message')) as [number]
  const fillers = await Promise.all(
    Array.from({ length: queue }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    }),
  )
  onTestFinished(async () => {
    for (const socket of fillers) socket.destroy()
    await worker.terminate()
  })
  return port
}
