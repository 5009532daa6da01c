import { Type } from 'typebox'
import { EngineTrouble } from '../../../domain/intelligence/engine-trouble.ts'
import { type Language, languages, type TtsEngine } from '../../../domain/intelligence/engines.ts'
import { ApiError, unprocessable } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { nameText, oneOf } from '../../../http/schemas.ts'
import { second } from '../../../lib/clock.ts'
import { toWav } from '../../../media/formats.ts'
import type { Services } from '../../../services.ts'

// Prompts from text. The speech is returned to be listened to; the dashboard stores it as an upload.

const tag = 'Sounds'
const maxText = 600
const timeoutMs = 30 * second
const rate = 8_000
// A WAV file of this length fits into an upload.
const maxSamples = 43 * rate

const stateOf = async ({ ai }: Services, companyId: number) =>
  (await ai.state(companyId)).find(({ kind }) => kind === 'tts')

export const readSpeech = route({
  method: 'GET',
  path: '/v1/sounds/speech',
  summary: 'Whether prompts can be made from text, by which engine and in which languages',
  tag,
  access: 'app',
  reply: {
    status: 200,
    body: Type.Object({
      available: Type.Boolean(),
      explanation: Type.String({ description: 'The engine in use, or what is missing' }),
      external: Type.Boolean({ description: 'The text is sent to another server' }),
      languages: Type.Array(oneOf(languages)),
    }),
  },
  async handle({ caller: { companyId }, services }) {
    const engine = await services.ai.tts(companyId)
    const state = await stateOf(services, companyId)
    const supported = engine ? languagesOf(engine) : []
    return {
      available: engine !== undefined,
      explanation: state?.explanation ?? '',
      external: state?.external ?? false,
      languages: [...supported],
    }
  },
})

/** flite has English voices only. */
const languagesOf = ({ id }: TtsEngine): readonly Language[] => (id === 'embedded:flite' ? ['en'] : languages)

export const synthesizeSpeech = route({
  method: 'POST',
  path: '/v1/sounds/speech',
  summary: 'Synthesize a prompt from text; it is returned, not stored',
  tag,
  access: 'app',
  body: Type.Object({
    text: nameText(maxText, { examples: ['Welcome. Please hold the line.'] }),
    language: oneOf(languages),
  }),
  errors: [
    { status: 422, when: 'no text-to-speech engine is available, it failed, or the speech is longer than 43 seconds' },
  ],
  reply: {
    status: 200,
    body: Type.Object({
      data: Type.String({ description: 'A WAV file, base64-encoded' }),
      seconds: Type.Number(),
    }),
  },
  async handle({ body: { text, language }, caller: { companyId }, services }) {
    const engine = await services.ai.tts(companyId)
    if (!engine) throw unprocessable((await stateOf(services, companyId))?.explanation ?? 'Text-to-speech is off.')
    const samples = await speechOf(services, engine, companyId, text, language)
    return { data: toWav(samples, rate).toString('base64'), seconds: samples.length / rate }
  },
})

async function speechOf(
  { clock, log }: Services,
  engine: TtsEngine,
  companyId: number,
  text: string,
  language: Language,
): Promise<Int16Array> {
  const deadline = new AbortController()
  const cancelTimer = clock.machineAfter(timeoutMs, () => deadline.abort(new EngineTrouble('It timed out.', true)))
  const pieces: Int16Array[] = []
  let length = 0
  try {
    for await (const piece of engine.speak(text, { language, signal: deadline.signal })) {
      pieces.push(piece)
      length += piece.length
      if (length > maxSamples) throw unprocessable('`text` takes longer than 43 seconds to say; shorten it')
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    log.warn({ event: 'tts.prompt_failed', companyId, engine: engine.id, error }, 'text-to-speech of a prompt failed')
    const reason = error instanceof EngineTrouble ? ` ${error.message}` : ''
    throw unprocessable(`The text-to-speech engine failed.${reason}`)
  } finally {
    cancelTimer()
  }
  if (length === 0) throw unprocessable('`text` contains nothing that can be spoken')
  const samples = new Int16Array(length)
  let at = 0
  for (const piece of pieces) {
    samples.set(piece, at)
    at += piece.length
  }
  return samples
}
