import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import type { TtsEngine } from '../domain/intelligence/engines.ts'
import { isSuccess, type Reply, refusal, type Server } from './server.ts'
import { at8k } from './spoken.ts'

const maxBytes = 32 * 1_048_576
/** Default rate of raw samples. */
const defaultRate = 24_000

/** Any server with the OpenAI speech API: WAV, or raw samples if it does not support WAV. */
export function openaiTts(line: ServerLine, server: Server): TtsEngine {
  let makesWav = true

  const ask = (text: string, voice: string, signal: AbortSignal) =>
    server.ask({
      path: '/audio/speech',
      type: 'application/json',
      body: JSON.stringify({ model: line.model, input: text, voice, response_format: makesWav ? 'wav' : 'pcm' }),
      maxBytes,
      signal,
    })

  return {
    id: `openai:${line.model}`,
    async *speak(text, { voice, signal }) {
      const by = voice ?? line.options.voice ?? 'alloy'
      let reply = await ask(text, by, signal)
      if (makesWav && isFormatRefused(reply)) {
        makesWav = false
        reply = await ask(text, by, signal)
        // The format was not the reason.
        if (isFormatRefused(reply)) makesWav = true
      }
      if (!isSuccess(reply)) throw refusal(reply)
      yield await at8k(reply.bytes, rateOf(reply) ?? (makesWav ? undefined : Number(line.options.rate ?? defaultRate)))
    },
  }
}

const isFormatRefused = ({ status }: Reply) => status === 400 || status === 422

/** `audio/l16;rate=16000`, `audio/pcm; rate=24000`. */
export function rateOf({ type }: Pick<Reply, 'type'>): number | undefined {
  const told = /^audio\/(?:l16|pcm|raw)[^\n]{0,100}?rate=(\d{4,5})/.exec(type)?.[1]
  return told === undefined ? undefined : Number(told)
}
