import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { Language, SttEngine } from '../domain/intelligence/engines.ts'
import type { Clock } from '../lib/clock.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { languageTagOf } from './language-tag.ts'
import { timeoutOf } from './server.ts'
import { socketTranscription } from './socket-transcription.ts'

/** A speech server with the jambonz protocol: `start`, 16-bit samples, `stop`; it sends `transcription` until it closes. */
export function jambonzStt(line: ServerLine, key: string | undefined, http: SafeFetch, clock: Clock): SttEngine {
  const open = (language: Language | undefined, rate: number, signal: AbortSignal) =>
    socketTranscription(
      {
        url: line.url,
        headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
        start: {
          type: 'start',
          language: languageTagOf(language ?? 'en'),
          format: 'raw',
          encoding: 'LINEAR16',
          sampleRateHz: rate,
          interimResults: false,
          options: {},
        },
        finish: { type: 'stop' },
        read: resultIn,
      },
      { http, clock, timeoutMs: timeoutOf(line), signal },
    )
  return {
    id: 'jambonz',
    languages: 'any',
    maxSeconds: 600,
    hasTimestamps: false,
    async transcribe({ samples, rate }, { language, signal }) {
      const stream = open(language, rate, signal)
      stream.write(samples)
      return { text: await stream.end(), ...(language && { language }) }
    },
    stream: ({ language, signal }) => open(language, 8_000, signal),
  }
}

interface JambonzMessage {
  type?: unknown
  is_final?: unknown
  error?: unknown
  alternatives?: { transcript?: unknown }[]
}

function resultIn(message: unknown): { text?: string; problem?: string } {
  const { type, is_final, error, alternatives } = (message ?? {}) as JambonzMessage
  if (type === 'error') return { problem: String(error) }
  const text = type === 'transcription' && is_final ? alternatives?.[0]?.transcript : undefined
  return typeof text === 'string' ? { text } : {}
}
