import { WebSocket } from 'ws'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { EngineTrouble } from './server.ts'

const maxBytes = 1_048_576

/** Opens a WebSocket over a connection of SafeFetch, which checks the address. Throws EngineTrouble. */
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
    throw new EngineTrouble('The request was aborted.', true)
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
    // Not removed: an aborted socket may still emit an error.
    web.on('error', () => fail('The server does not support WebSocket or closed the connection.', true))
    web.once('unexpected-response', (_request, { statusCode = 0 }) =>
      fail(`The server answered ${statusCode}.`, statusCode >= 500 || statusCode === 429),
    )
    web.once('open', () => {
      o.signal.removeEventListener('abort', giveUp)
      resolve(web)
    })
  })
}
