import { connect, type Socket } from 'node:net'
import { timingClient } from './client.ts'
import { interleaved, milliseconds, quantile, type Row, say } from './kit.ts'
import type { Server } from './servers.ts'

const slowOnes = 200
const questions = 400

/** T47: some send their headers or their body byte by byte, others send nothing; whoever asks normally must not feel it. */
export async function slowClientRows(server: Server, authorization: string): Promise<Row[]> {
  const ask = timingClient(server.url)
  const p99 = async () => {
    const times: number[] = []
    for (let i = 0; i < questions; i++) times.push((await ask({ path: '/v1/ping', headers: { authorization } })).ms)
    return quantile(times, 0.99)
  }
  const { alone, beside } = await interleaved(7, {
    alone: p99,
    beside: async () => {
      const stop = await annoy(server)
      const time = await p99()
      stop()
      return time
    },
  })
  say('slow clients measured')
  return [
    {
      row: `T47 p99 of others beside ${slowOnes} slow clients, against without`,
      figure: milliseconds(beside),
      baseline: milliseconds(alone),
      ratio: beside / alone,
      aim: { atMost: 2 },
    },
  ]
}

async function annoy(server: Server): Promise<() => void> {
  const { hostname, port } = new URL(server.url)
  const begins = ['GET /v1/ping HTTP/1.1\r\nHost: a\r\nX-Slow: ', slowBody, '']
  const sockets = await Promise.all(
    Array.from({ length: slowOnes }, (_, i) => opened(hostname, Number(port), begins[i % begins.length] ?? '')),
  )
  const timer = setInterval(() => {
    for (const [i, socket] of sockets.entries()) if (i % begins.length !== 2 && socket.writable) socket.write('a')
  }, 100)
  return () => {
    clearInterval(timer)
    for (const socket of sockets) socket.destroy()
  }
}

const slowBody = 'POST /v1/contacts HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n'

function opened(host: string, port: number, begin: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => {
      socket.write(begin)
      resolve(socket)
    })
    // The server may close it, which is its good right.
    socket.on('error', reject)
  })
}
