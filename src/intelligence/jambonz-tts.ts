import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { TtsEngine } from '../domain/intelligence/engines.ts'
import { languageTagOf } from './language-tag.ts'
import { rateOf } from './openai-tts.ts'
import { type EngineServer, errorOfReply, isSuccessReply } from './server.ts'
import { streamedSpeech } from './streamed-speech.ts'

const maxBytes = 32 * 1_048_576

/** A speech server with the jambonz protocol: text in, an audio file out. */
export function jambonzTts(line: ServerLine, server: EngineServer): TtsEngine {
  return {
    id: 'jambonz',
    async *speak(text, { language, voice, signal }) {
      const by = voice ?? line.options.voice
      const body = JSON.stringify({
        language: languageTagOf(language),
        ...(by !== undefined && { voice: by }),
        type: 'text',
        text,
      })
      const reply = yield* streamedSpeech(
        (take, leaving) =>
          server.request({
            path: '',
            type: 'application/json',
            body,
            maxBytes,
            signal: AbortSignal.any([signal, leaving]),
            take,
          }),
        (type) => rateOf({ type }),
      )
      if (!isSuccessReply(reply)) throw errorOfReply(reply)
    },
  }
}
