import { expect, onTestFinished, test } from 'vitest'
import { createEmbeddedSpeech } from '../../src/intelligence/embedded.ts'
import { findModels } from '../../src/intelligence/models.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { canSpeak, modelsFolder, noise, silence, spoken, wordErrorRate } from '../kit/spoken.ts'

// Whisper is not among the models that `npm test` downloads: AI_MODELS_DIR names a folder that contains it.

const modelsDir = modelsFolder() ?? ''
const hasWhisper = canSpeak && (await findModels(modelsDir)).whispers.length > 0

async function whisper() {
  const embedded = createEmbeddedSpeech({ modelsDir, clock: systemClock(), log: createLog('silent') })
  onTestFinished(() => embedded.stop())
  const engine = await embedded.stt({ model: 'base' })
  return async (samples: Int16Array, language: 'fr' | 'de' | 'es') =>
    (await engine?.transcribe({ samples, rate: 8_000 }, { language, signal: new AbortController().signal }))?.text ?? ''
}

const tone = Int16Array.from({ length: 32_000 }, (_, i) => 10_000 * Math.sin((2 * Math.PI * 440 * i) / 8_000))

/** Low frequencies, as of wind or an engine: the sound that is most easily taken for speech. */
function rumble(): Int16Array {
  let level = 0
  return noise(8_000)(32_000).map((sample) => {
    level = 0.97 * level + 0.12 * sample
    return Math.round(level)
  })
}

test.skipIf(!hasWhisper)(
  'without speech there is no text in German and French either',
  { timeout: 300_000 },
  async () => {
    const transcribe = await whisper()
    const texts: string[] = []

    for (const sound of [silence(32_000), noise(6_000)(32_000), rumble(), tone]) {
      for (const language of ['de', 'fr'] as const) texts.push(await transcribe(sound, language))
    }

    expect(texts.filter((text) => text !== '')).toEqual([])
  },
)

test.skipIf(!hasWhisper)('most words of a Spanish window are transcribed', { timeout: 300_000 }, async () => {
  const transcribe = await whisper()
  const said =
    'El agua sale por debajo de la puerta en cuanto empieza el programa. Gracias, el técnico puede ir el jueves.'

  const text = await transcribe(await spoken(said, 'espeak-es'), 'es')

  expect(wordErrorRate(said, text)).toBeLessThanOrEqual(0.5)
})
