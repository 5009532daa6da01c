import { WebSocket } from 'ws'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { EngineTrouble } from './server.ts'

const maxBytes = 1_048_576

/** A WebSocket over a connection that the guard of addresses has opened. Throws EngineTrouble. */
export async function openWebSocket(
  http: SafeFetch,
  address: string,
  o: { headers: Record<string, string>; signal: AbortSignal },
): Promise<WebSocket> {
  const url = new URL(address)
  const tls = url.protocol === 'wss:'
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port)
  const socket = await http.connect({ host: url.hostname, port, tls })
  if ('problem' in socket) {
    throw new EngineTrouble(`The server cannot be reached: ${socket.detail}.`, socket.problem !== 'not_allowed')
  }
  if (o.signal.aborted) {
    socket.destroy()
    throw new EngineTrouble('It was given up.', true)
  }
  const web = new WebSocket(address, {
    headers: { 'user-agent': 'Hookswitch', ...o.headers },
    createConnection: () => socket,
    maxPayload: maxBytes,
    perMessageDeflate: false,
    followRedirects: false,
  })
  return new Promise((resolve, reject) => {
    const giveUp = () => web.terminate()
    const fail = (why: string, passing: boolean) => {
      o.signal.removeEventListener('abort', giveUp)
      web.terminate()
      reject(new EngineTrouble(why, passing))
    }
    o.signal.addEventListener('abort', giveUp)
    // Stays: one that was given up may still fail, and nobody else listens then.
    web.on('error', () => fail('The server speaks no WebSocket, or hung up.', true))
    web.once('unexpected-response', (_request, { statusCode = 0 }) =>
      fail(`The server answered ${statusCode}.`, statusCode >= 500 || statusCode === 429),
    )
    web.once('open', () => {
      o.signal.removeEventListener('abort', giveUp)
      resolve(web)
    })
  })
}
