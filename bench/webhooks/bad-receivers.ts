import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { serve } from './serve.ts'

// Failing webhook receivers, one port for each kind. The fifth kind, which never accepts, is unresponsive-receiver.ts.

const hanging = createTcpServer((socket) => silently(socket).resume())

/** A byte every 50 ms, and the head of the answer never ends. */
const dripping = createTcpServer((socket) => {
  const text = `HTTP/1.1 200 OK\r\nx-drip: ${'a'.repeat(4_096)}`
  let sent = 0
  const timer = setInterval(() => socket.write(text.charAt(sent++ % text.length)), 50)
  silently(socket)
    .resume()
    .on('close', () => clearInterval(timer))
})

const endless = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'text/plain' })
  // Ends when the other side has had enough.
  pipeline(new Readable({ read: pour }), response, () => {})
})

const chunk = 'b'.repeat(8_192)

function pour(this: Readable) {
  this.push(chunk)
}

const failing = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(500).end('no'))
})

function silently(socket: Socket): Socket {
  return socket.on('error', () => {})
}

const opened = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1_024 }, () =>
      resolve((server.address() as AddressInfo).port),
    ),
  )

const actions = {
  open: () => Promise.all([hanging, dripping, endless, failing].map(opened)),
}

export type BadReceiverActions = typeof actions
serve(actions)
