import type { UtteranceStream } from '../domain/intelligence/engines.ts'
import type { Clock } from '../lib/clock.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { EngineTrouble, jsonIn } from './server.ts'
import { openWebSocket } from './web-socket.ts'

/** How a server transcribes over a WebSocket: messages around 16-bit samples, results until it closes. */
export interface SocketProtocol {
  url: string
  headers: Record<string, string>
  /** Sent first. */
  start?: object
  /** Sent after the last sample; the server then sends its last result and closes. */
  finish: object
  /** A final result, an error of the server, or nothing. */
  read(message: unknown): { text?: string; problem?: string }
}

export interface SocketTranscriptionOptions {
  http: SafeFetch
  clock: Clock
  /** For the results after the last sample. */
  timeoutMs: number
  signal: AbortSignal
}

const bytesAtOnce = 16_000
const maxResults = 10_000
/** With and without a code. */
const normalClosure = [1000, 1005]

/** One audio over one connection, which is opened at once. */
export function socketTranscription(protocol: SocketProtocol, o: SocketTranscriptionOptions): UtteranceStream {
  const leaving = new AbortController()
  const signal = AbortSignal.any([o.signal, leaving.signal])
  let resolve: (text: string) => void = () => {}
  let reject: (error: EngineTrouble) => void = () => {}
  const result = new Promise<string>((...settle) => {
    ;[resolve, reject] = settle
  })
  // Handled by end(), which may come later.
  result.catch(() => {})
  const texts: string[] = []
  let isEnding = false
  let cancelTimer = () => {}

  function close(error?: EngineTrouble): void {
    cancelTimer()
    leaving.abort()
    if (error) reject(error)
    else resolve(texts.filter(Boolean).join(' '))
  }

  const opening = openWebSocket(o.http, protocol.url, { headers: protocol.headers, signal }).then((socket) => {
    signal.addEventListener('abort', () => socket.terminate())
    socket.on('message', (data, isBinary) => {
      const { text, problem } = protocol.read(isBinary ? undefined : jsonIn(String(data)))
      if (problem !== undefined) close(new EngineTrouble(`The server reported: ${problem.slice(0, 200)}`, false))
      if (text !== undefined && texts.length < maxResults) texts.push(text.trim())
    })
    socket.on('close', (code) => {
      if (o.signal.aborted) return close(new EngineTrouble('The request was aborted.', true))
      const isResult = isEnding && (texts.length > 0 || normalClosure.includes(code))
      close(isResult ? undefined : new EngineTrouble(`The server closed the connection (${code}).`, true))
    })
    if (protocol.start) socket.send(JSON.stringify(protocol.start))
    return socket
  })
  opening.catch(close)

  const whenOpen = (send: (socket: Awaited<typeof opening>) => void) => {
    opening.then(send, () => {})
  }

  return {
    write(samples) {
      const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
      whenOpen((socket) => {
        for (let at = 0; at < bytes.length; at += bytesAtOnce) socket.send(bytes.subarray(at, at + bytesAtOnce))
      })
    },
    end() {
      isEnding = true
      cancelTimer = o.clock.machineAfter(o.timeoutMs, () =>
        close(new EngineTrouble('The server did not respond in time.', true)),
      )
      whenOpen((socket) => socket.send(JSON.stringify(protocol.finish)))
      return result
    },
  }
}
