import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { SttEngine } from '../domain/intelligence/engines.ts'
import type { Clock } from '../lib/clock.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { languageTagOf } from './language-tag.ts'
import { EngineTrouble, jsonIn, timeoutOf } from './server.ts'
import { openWebSocket } from './web-socket.ts'

const bytesAtOnce = 16_000
const maxText = 100_000

/** A speech server with the jambonz protocol: `start`, 16-bit samples, `stop`; it sends `transcription` until it closes. */
export function jambonzStt(line: ServerLine, key: string | undefined, http: SafeFetch, clock: Clock): SttEngine {
  return {
    id: 'jambonz',
    languages: 'any',
    maxSeconds: 600,
    hasTimestamps: false,
    async transcribe({ samples, rate }, { language, signal }) {
      const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const socket = await openWebSocket(http, line.url, { headers, signal })
      return new Promise((resolve, reject) => {
        const texts: string[] = []
        let failed: EngineTrouble | undefined
        const giveUp = () => {
          failed ??= new EngineTrouble('The request was aborted.', true)
          socket.terminate()
        }
        const cancelTimer = clock.machineAfter(timeoutOf(line), () => {
          failed ??= new EngineTrouble('The server did not respond in time.', true)
          socket.terminate()
        })
        signal.addEventListener('abort', giveUp)
        socket.on('message', (data, isBinary) => {
          const message = isBinary ? undefined : (jsonIn(String(data)) as JambonzMessage | undefined)
          if (message?.type === 'error') {
            failed ??= new EngineTrouble(`The server reported: ${String(message.error).slice(0, 200)}`, false)
            socket.terminate()
          }
          const text =
            message?.type === 'transcription' && message.is_final ? message.alternatives?.[0]?.transcript : undefined
          if (typeof text === 'string' && texts.length < maxText) texts.push(text.trim())
        })
        // The server closes the connection after the last transcription.
        socket.on('close', () => {
          cancelTimer()
          signal.removeEventListener('abort', giveUp)
          if (failed) reject(failed)
          else resolve({ text: texts.filter(Boolean).join(' '), ...(language && { language }) })
        })
        socket.send(
          JSON.stringify({
            type: 'start',
            language: languageTagOf(language ?? 'en'),
            format: 'raw',
            encoding: 'LINEAR16',
            sampleRateHz: rate,
            interimResults: false,
            options: {},
          }),
        )
        const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
        for (let at = 0; at < bytes.length; at += bytesAtOnce) socket.send(bytes.subarray(at, at + bytesAtOnce))
        socket.send(JSON.stringify({ type: 'stop' }))
      })
    },
  }
}

interface JambonzMessage {
  type?: unknown
  is_final?: unknown
  error?: unknown
  alternatives?: { transcript?: unknown }[]
}
