import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { SttEngine } from '../domain/intelligence/engines.ts'
import type { Clock } from '../lib/clock.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { toWav } from '../media/formats.ts'
import { languageIn } from './openai-stt.ts'
import { reportedWord } from './reported-words.ts'
import { type EngineServer, EngineTrouble, errorOfReply, isSuccessReply, jsonIn, timeoutOf } from './server.ts'
import { socketTranscription } from './socket-transcription.ts'
import { termsWithin } from './with-vocabulary.ts'

const maxBytes = 4 * 1_048_576

/** What a stream of audio needs, beside the server for requests. */
export interface DeepgramStreaming {
  http: SafeFetch
  clock: Clock
  key: string | undefined
}

/** Deepgram's API: one file per request for recordings, a WebSocket per live utterance. The scheme of its key is `Token`. */
export function deepgramStt(
  line: ServerLine,
  server: EngineServer,
  { http, clock, key }: DeepgramStreaming,
): SttEngine {
  return {
    id: `deepgram:${line.model}`,
    languages: 'any',
    maxSeconds: 600,
    hasTimestamps: true,
    async transcribe({ samples, rate }, { language, hints, signal }) {
      const query = new URLSearchParams({
        model: line.model,
        punctuate: 'true',
        smart_format: 'true',
        utterances: 'true',
      })
      if (language) query.set('language', language)
      else query.set('detect_language', 'true')
      addTerms(query, line.model, hints)
      const body = toWav(samples, rate)
      const reply = await server.request({ path: `/v1/listen?${query}`, body, type: 'audio/wav', maxBytes, signal })
      if (!isSuccessReply(reply)) throw errorOfReply(reply)
      const response = jsonIn(reply.bytes.toString('utf8')) as DeepgramResponse | undefined
      const channel = response?.results?.channels?.[0]
      const text = channel?.alternatives?.[0]?.transcript
      if (typeof text !== 'string') throw new EngineTrouble('The server’s response contains no text.', false)
      const segments = (response?.results?.utterances ?? []).map(({ start, end, transcript, words }) => {
        const said = Array.isArray(words) ? words.flatMap(reportedWord) : []
        const times = { start: Number(start), end: Number(end), text: String(transcript) }
        return said.length === 0 ? times : { ...times, words: said }
      })
      const detected = languageIn(channel?.detected_language) ?? language
      return { text: text.trim(), ...(detected && { language: detected }), ...(segments.length > 0 && { segments }) }
    },
    stream({ language, hints, signal }) {
      const query = new URLSearchParams({
        model: line.model,
        language,
        encoding: 'linear16',
        sample_rate: '8000',
        punctuate: 'true',
        smart_format: 'true',
      })
      addTerms(query, line.model, hints)
      return socketTranscription(
        {
          url: `${line.url.replace(/^http/, 'ws')}/v1/listen?${query}`,
          headers: key === undefined ? {} : { authorization: `Token ${key}` },
          finish: { type: 'CloseStream' },
          read: resultIn,
        },
        { http, clock, timeoutMs: timeoutOf(line), signal },
      )
    },
  }
}

/** The server closes a stream with more than 500 tokens of key terms. */
const maxTermCharacters = 1_000

function addTerms(query: URLSearchParams, model: string, hints: readonly string[] | undefined): void {
  // Each generation rejects the parameter of the other; Whisper models have neither.
  const name = /^nova-3/.test(model) ? 'keyterm' : /^(nova|enhanced|base)/.test(model) ? 'keywords' : undefined
  if (name) for (const term of termsWithin(hints, maxTermCharacters)) query.append(name, term)
}

interface DeepgramMessage {
  type?: unknown
  is_final?: unknown
  description?: unknown
  channel?: { alternatives?: { transcript?: unknown }[] }
}

function resultIn(message: unknown): { text?: string; problem?: string } {
  const { type, is_final, description, channel } = (message ?? {}) as DeepgramMessage
  if (type === 'Error') return { problem: String(description) }
  const text = type === 'Results' && is_final ? channel?.alternatives?.[0]?.transcript : undefined
  return typeof text === 'string' ? { text } : {}
}

interface DeepgramResponse {
  results?: {
    channels?: { alternatives?: { transcript?: unknown }[]; detected_language?: unknown }[]
    utterances?: { start: unknown; end: unknown; transcript: unknown; words?: unknown }[]
  }
}
