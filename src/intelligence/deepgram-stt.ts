import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { SttEngine } from '../domain/intelligence/engines.ts'
import { toWav } from '../media/formats.ts'
import { languageIn } from './openai-stt.ts'
import { type EngineServer, EngineTrouble, errorOfReply, isSuccessReply, jsonIn } from './server.ts'

const maxBytes = 4 * 1_048_576

/** Deepgram's API for recordings, one file per request. The scheme of its key is `Token`. */
export function deepgramStt(line: ServerLine, server: EngineServer): SttEngine {
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
      // Older models reject keyterms.
      if (line.model.startsWith('nova-3')) for (const hint of (hints ?? []).slice(0, 50)) query.append('keyterm', hint)
      const body = toWav(samples, rate)
      const reply = await server.request({ path: `/v1/listen?${query}`, body, type: 'audio/wav', maxBytes, signal })
      if (!isSuccessReply(reply)) throw errorOfReply(reply)
      const response = jsonIn(reply.bytes.toString('utf8')) as DeepgramResponse | undefined
      const channel = response?.results?.channels?.[0]
      const text = channel?.alternatives?.[0]?.transcript
      if (typeof text !== 'string') throw new EngineTrouble('The server’s response contains no text.', false)
      const segments = (response?.results?.utterances ?? []).map(({ start, end, transcript }) => ({
        start: Number(start),
        end: Number(end),
        text: String(transcript),
      }))
      const detected = languageIn(channel?.detected_language) ?? language
      return { text: text.trim(), ...(detected && { language: detected }), ...(segments.length > 0 && { segments }) }
    },
  }
}

interface DeepgramResponse {
  results?: {
    channels?: { alternatives?: { transcript?: unknown }[]; detected_language?: unknown }[]
    utterances?: { start: unknown; end: unknown; transcript: unknown }[]
  }
}
