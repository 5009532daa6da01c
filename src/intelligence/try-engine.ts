import type { EngineKind } from '../domain/intelligence/engine-line.ts'
import { objectOf, string } from '../domain/intelligence/json-schema.ts'
import { type Clock, second } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { tones } from '../media/pcm.ts'
import type { Ai, EngineTest } from '../services.ts'
import { EngineTrouble } from './server.ts'

const timeoutMs = 30 * second
const sentence = 'Good morning, this is a test of the line.'

interface Outcome {
  engine: string
  /** The result, for the user. */
  explanation: string
}

/** Sends a small test request and returns the result and the time it took. */
export async function tryEngine(
  { ai, clock, log }: { ai: Ai; clock: Clock; log: Log },
  companyId: number,
  kind: EngineKind,
): Promise<EngineTest> {
  const deadline = new AbortController()
  const cancelTimer = clock.machineAfter(timeoutMs, () => deadline.abort())
  const startedAt = clock.steadyNow()
  const since = () => Math.round(clock.steadyNow() - startedAt)
  try {
    const outcome = await tests[kind](ai, companyId, deadline.signal)
    if (!outcome) {
      const found = (await ai.state(companyId)).find((state) => state.kind === kind)
      return { ok: false, engine: null, milliseconds: since(), explanation: found?.explanation ?? '' }
    }
    return { ok: true, engine: outcome.engine, milliseconds: since(), explanation: outcome.explanation }
  } catch (error) {
    const explanation = error instanceof EngineTrouble ? error.message : 'The test failed; see the server log.'
    if (!(error instanceof EngineTrouble))
      log.warn({ event: 'engine.test_failed', companyId, kind, error }, 'test of an AI engine failed')
    return { ok: false, engine: null, milliseconds: since(), explanation }
  } finally {
    cancelTimer()
  }
}

const tests: Record<EngineKind, (ai: Ai, companyId: number, signal: AbortSignal) => Promise<Outcome | undefined>> = {
  async stt(ai, companyId, signal) {
    const engine = await ai.stt(companyId)
    if (!engine) return undefined
    const voice = await ai.tts(companyId)
    const samples = voice
      ? joined(await all(voice.speak(sentence, { language: 'en', signal })))
      : tones([{ frequency: 440, ms: 1_000 }], 8_000)
    const { text } = await engine.transcribe({ samples, rate: 8_000 }, { language: 'en', signal })
    const played = voice ? `Played: “${sentence}”.` : 'Played: a tone, since no text-to-speech engine is configured.'
    return { engine: engine.id, explanation: `${played} Transcribed: “${text.slice(0, 200)}”.` }
  },
  async llm(ai, companyId, signal) {
    const engine = await ai.llm(companyId, 'summary')
    if (!engine) return undefined
    const answer = await engine.json({
      system: 'You answer with JSON.',
      user: `Put this sentence into French: ${sentence}`,
      schema: objectOf({ french: string }),
      name: 'translation',
      signal,
    })
    if (answer === null) throw new EngineTrouble('The server does not return JSON that matches a schema.', false)
    const { french } = answer as { french: string }
    return { engine: engine.id, explanation: `Translated “${sentence}” to French: “${french.slice(0, 200)}”` }
  },
  async tts(ai, companyId, signal) {
    const engine = await ai.tts(companyId)
    if (!engine) return undefined
    const spoken = joined(await all(engine.speak(sentence, { language: 'en', signal })))
    return {
      engine: engine.id,
      explanation: `Synthesized “${sentence}”: ${(spoken.length / 8_000).toFixed(1)} seconds of audio.`,
    }
  },
}

async function all<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const got: T[] = []
  for await (const piece of pieces) got.push(piece)
  return got
}

function joined(pieces: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
