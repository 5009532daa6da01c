import type { Config } from '../config.ts'
import { createEmbeddedSpeech, type EmbeddedSpeech } from '../intelligence/embedded.ts'
import { findModels, type ModelsFound } from '../intelligence/models.ts'
import { minute, systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { type DoctorFinding, tried } from './doctor-finding.ts'

/** Loading the largest model takes seconds, and more on a busy machine. */
const loadTimeoutMs = 2 * minute

/** Loads each installed model in a speech process, as the service does, and gives it a second of silence. */
export async function speechFinding({ modelsDir, engines }: Config): Promise<DoctorFinding> {
  const about = 'Speech-to-text'
  const { line } = engines.stt
  if (line.kind === 'off') return { about, state: 'fine', says: 'off (AI_STT)' }
  const found = await findModels(modelsDir)
  if (line.kind !== 'embedded') {
    const says = `AI_STT is ${line.kind}; the button Test beside it in the dashboard sends it a request`
    return { about, state: 'fine', says }
  }
  const names = namesOf(found)
  if (!found.moonshine && found.whispers.length === 0)
    return { about, state: 'look', says: `no models in ${modelsDir}; run \`hookswitch models fetch\`` }
  const remedy = `the models do not load: delete ${modelsDir} and run \`hookswitch models fetch\` again`
  return tried(
    about,
    remedy,
    async () => {
      const speech = createEmbeddedSpeech({ modelsDir, clock: systemClock(), log: createLog('silent') })
      const startedAt = systemClock().steadyNow()
      try {
        await load(speech, found)
      } finally {
        await speech.stop()
      }
      const seconds = ((systemClock().steadyNow() - startedAt) / 1_000).toFixed(1)
      return `${names.join(', ')}: loaded in ${seconds} s`
    },
    loadTimeoutMs,
  )
}

function namesOf({ moonshine, whispers, silero, minilm }: ModelsFound): string[] {
  return [
    ...whispers.map((size) => `Whisper ${size}`),
    ...(moonshine ? ['Moonshine (English, live)'] : []),
    ...(silero ? ['voice activity detection'] : []),
    ...(minilm ? ['similarity (English)'] : []),
  ]
}

async function load(speech: EmbeddedSpeech, { moonshine, whispers, minilm }: ModelsFound): Promise<void> {
  const silence = { samples: new Int16Array(16_000), rate: 16_000 as const }
  const options = { language: 'en' as const, signal: AbortSignal.timeout(loadTimeoutMs) }
  await speech.segments(new Int16Array(8_000))
  if (moonshine) await (await speech.stt())?.transcribe(silence, { ...options, urgent: true })
  for (const size of whispers) await (await speech.stt({ model: size }))?.transcribe(silence, options)
  if (minilm) await speech.embed(['Good morning'])
}
