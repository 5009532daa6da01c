import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { SttEngine } from '../domain/intelligence/engines.ts'
import { toWav } from '../media/formats.ts'
import { languageIn } from './openai-stt.ts'
import { EngineTrouble, isSuccess, jsonIn, refusal, type Server } from './server.ts'

const maxBytes = 4 * 1_048_576

/** Deepgram's API for recordings, one file per request. The scheme of its key is `Token`. */
export function deepgramStt(line: ServerLine, server: Server): SttEngine {
  return {
    id: `deepgram:${line.model}`,
    languages: 'any',
    maxSeconds: 600,
    tellsTimes: true,
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
      const reply = await server.ask({ path: `/v1/listen?${query}`, body, type: 'audio/wav', maxBytes, signal })
      if (!isSuccess(reply)) throw refusal(reply)
      const heard = jsonIn(reply.bytes.toString('utf8')) as Heard | undefined
      const channel = heard?.results?.channels?.[0]
      const text = channel?.alternatives?.[0]?.transcript
      if (typeof text !== 'string') throw new EngineTrouble('The server’s response contains no text.', false)
      const segments = (heard?.results?.utterances ?? []).map(({ start, end, transcript }) => ({
        start: Number(start),
        end: Number(end),
        text: String(transcript),
      }))
      const told = languageIn(channel?.detected_language) ?? language
      return { text: text.trim(), ...(told && { language: told }), ...(segments.length > 0 && { segments }) }
    },
  }
}

interface Heard {
  results?: {
    channels?: { alternatives?: { transcript?: unknown }[]; detected_language?: unknown }[]
    utterances?: { start: unknown; end: unknown; transcript: unknown }[]
  }
}
