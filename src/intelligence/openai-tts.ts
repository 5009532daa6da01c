import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { TtsEngine } from '../domain/intelligence/engines.ts'
import { type EngineReply, type EngineRequest, type EngineServer, errorOfReply, isSuccessReply } from './server.ts'
import { streamedSpeech } from './streamed-speech.ts'

const maxBytes = 32 * 1_048_576
/** Default rate of raw samples. */
const defaultRate = 24_000

/** Any server with the OpenAI speech API: WAV, or raw samples if it does not support WAV, played while it is received. */
export function openaiTts(line: ServerLine, server: EngineServer): TtsEngine {
  let makesWav = true

  const ask =
    (text: string, voice: string, signal: AbortSignal) =>
    (take: EngineRequest['take'] & object, leaving: AbortSignal) =>
      server.request({
        path: '/audio/speech',
        type: 'application/json',
        body: JSON.stringify({ model: line.model, input: text, voice, response_format: makesWav ? 'wav' : 'pcm' }),
        maxBytes,
        signal: AbortSignal.any([signal, leaving]),
        take,
      })
  const rate = (type: string) => rateOf({ type }) ?? (makesWav ? undefined : Number(line.options.rate ?? defaultRate))

  return {
    id: `openai:${line.model}`,
    async *speak(text, { voice, signal }) {
      const by = voice ?? line.options.voice ?? 'alloy'
      let reply = yield* streamedSpeech(ask(text, by, signal), rate)
      if (makesWav && isFormatRefused(reply)) {
        makesWav = false
        reply = yield* streamedSpeech(ask(text, by, signal), rate)
        // The format was not the reason.
        if (isFormatRefused(reply)) makesWav = true
      }
      if (!isSuccessReply(reply)) throw errorOfReply(reply)
    },
  }
}

const isFormatRefused = ({ status }: EngineReply) => status === 400 || status === 422

/** `audio/l16;rate=16000`, `audio/pcm; rate=24000`. */
export function rateOf({ type }: Pick<EngineReply, 'type'>): number | undefined {
  const rate = /^audio\/(?:l16|pcm|raw)[^\n]{0,100}?rate=(\d{4,5})/.exec(type)?.[1]
  return rate === undefined ? undefined : Number(rate)
}
