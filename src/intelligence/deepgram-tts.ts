import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { TtsEngine } from '../domain/intelligence/engines.ts'
import { type EngineServer, errorOfReply, isSuccessReply } from './server.ts'
import { streamedSpeech } from './streamed-speech.ts'

const maxBytes = 32 * 1_048_576

/** Deepgram's text-to-speech: raw samples at 8 kHz, played while they are received. The model is the voice. */
export function deepgramTts(line: ServerLine, server: EngineServer): TtsEngine {
  return {
    id: `deepgram:${line.model}`,
    async *speak(text, { voice, signal }) {
      const query = new URLSearchParams({
        model: voice ?? line.model,
        encoding: 'linear16',
        sample_rate: '8000',
        container: 'none',
      })
      const reply = yield* streamedSpeech(
        (take, leaving) =>
          server.request({
            path: `/v1/speak?${query}`,
            type: 'application/json',
            body: JSON.stringify({ text }),
            maxBytes,
            signal: AbortSignal.any([signal, leaving]),
            take,
          }),
        () => 8_000,
      )
      if (!isSuccessReply(reply)) throw errorOfReply(reply)
    },
  }
}
