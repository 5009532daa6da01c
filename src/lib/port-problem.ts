import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** The system error code of binding the port; undefined when it is available. */
export function udpProblem(address: string, port: number): Promise<string | undefined> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    socket.bind(port, address, () => socket.close(() => resolve(undefined)))
  })
}

export function tcpProblem(address: string, port: number): Promise<string | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    server.listen(port, address, () => server.close(() => resolve(undefined)))
  })
}
