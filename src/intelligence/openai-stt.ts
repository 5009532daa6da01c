import type { ServerLine } from '../domain/intelligence/engine-line.ts'
import { type Language, languages, type SpokenText, type SttEngine } from '../domain/intelligence/engines.ts'
import { toWav } from '../media/formats.ts'
import { formOf } from './form.ts'
import { reportedWord } from './reported-words.ts'
import { type EngineReply, type EngineServer, EngineTrouble, errorOfReply, isSuccessReply, jsonIn } from './server.ts'
import { termsWithin } from './with-vocabulary.ts'

const maxBytes = 2 * 1_048_576

/** What servers may reject, from the most to the least: times of words and segments, of segments, only the text. */
const details = ['words', 'segments', 'text'] as const

/** Any server with the OpenAI audio API. What it has rejected is not requested again. */
export function openaiStt(line: ServerLine, server: EngineServer): SttEngine {
  let detail: (typeof details)[number] = 'words'

  const ask = (wav: Buffer, o: { language?: Language; hints?: readonly string[]; signal: AbortSignal }) => {
    const fields: [string, string][] = [
      ['model', line.model],
      ['response_format', detail === 'text' ? 'json' : 'verbose_json'],
    ]
    if (detail === 'words') fields.push(['timestamp_granularities[]', 'word'])
    if (detail !== 'text') fields.push(['timestamp_granularities[]', 'segment'])
    if (o.language) fields.push(['language', o.language])
    if (o.hints?.length) fields.push(['prompt', termsWithin(o.hints, 600).join(', ')])
    const form = formOf(fields, { name: 'sound.wav', type: 'audio/wav', bytes: wav })
    return server.request({ path: '/audio/transcriptions', ...form, maxBytes, signal: o.signal })
  }

  return {
    id: `openai:${line.model}`,
    languages: 'any',
    maxSeconds: 28,
    // Not every server returns segments: times come from our own voice activity detection.
    hasTimestamps: false,
    async transcribe({ samples, rate }, o) {
      const wav = toWav(samples, rate)
      let reply = await ask(wav, o)
      for (const less of details.slice(details.indexOf(detail) + 1)) {
        if (!isFormatRefused(reply)) break
        detail = less
        reply = await ask(wav, o)
      }
      if (!isSuccessReply(reply)) throw errorOfReply(reply)
      return spokenIn(jsonIn(reply.bytes.toString('utf8')))
    },
  }
}

const isFormatRefused = ({ status }: EngineReply) => status === 400 || status === 415 || status === 422

function spokenIn(body: unknown): SpokenText {
  const { text, language, segments, words } = (body ?? {}) as Record<string, unknown>
  if (typeof text !== 'string') throw new EngineTrouble('The server’s response contains no text.', false)
  const known = languageIn(language)
  const found = Array.isArray(segments) ? segments.flatMap(segmentIn) : []
  const said = Array.isArray(words) ? words.flatMap(reportedWord) : []
  return {
    text: text.trim(),
    ...(known && { language: known }),
    ...(found.length > 0 && { segments: found }),
    ...(said.length > 0 && { words: said }),
  }
}

// Some servers return the language tag, others the English name.
const names: Partial<Record<string, Language>> = {
  english: 'en',
  french: 'fr',
  spanish: 'es',
  german: 'de',
  dutch: 'nl',
  italian: 'it',
}

export function languageIn(word: unknown): Language | undefined {
  if (typeof word !== 'string') return undefined
  const small = word.toLowerCase()
  return names[small] ?? languages.find((language) => small.split('-', 1)[0] === language)
}

function segmentIn(segment: unknown) {
  const { start, end, text, no_speech_prob, avg_logprob } = (segment ?? {}) as Record<string, unknown>
  if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string') return []
  // Such models hallucinate text in silence; these values reveal it.
  if (Number(no_speech_prob) > 0.6 && Number(avg_logprob) < -1) return []
  return [{ start, end, text: text.trim() }]
}
