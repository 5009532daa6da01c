import type { Language, SttEngine } from '../../src/domain/intelligence/engines.ts'
import { transcribeChannels } from '../../src/features/intelligence/results/transcribe-channels.ts'
import { isMadeUp } from '../../src/intelligence/embedded.ts'
import { findModels } from '../../src/intelligence/models.ts'
import { speechSegmentsOf } from '../../src/intelligence/segments.ts'
import { createSpeechHandlers, type SpeechHandlers } from '../../src/speech-node/handlers.ts'
import { conversationOf, noise, sidesWith, type Voice, wordCount, wordErrorRate } from '../../test/kit/spoken.ts'
import { print, type Row } from '../kit.ts'
import { conversations } from './sentences.ts'

// The word error rate of Whisper by language, from speech detection to the checks of plausibility, as after a call.
// Voices are synthetic: rates are comparable with each other, not with those of human speech.

/** The second one is harder: of English, too, Whisper misses more words. */
const voices = ['', '+f3'] as const

/** `only`: one language. */
export async function wordErrors(modelsDir: string, only?: string): Promise<Row[]> {
  const [size] = (await findModels(modelsDir)).whispers
  if (!size) return [{ row: 'word error rates', figure: 'skipped: `hookswitch models fetch base` brings Whisper' }]
  const models = createSpeechHandlers({ modelsDir })
  const rows: Row[] = []
  for (const language of (Object.keys(conversations) as Language[]).filter(
    (one) => only === undefined || one === only,
  )) {
    for (const [index, lines] of (conversations[language] ?? []).entries()) {
      const voice: Voice = `espeak-${language === 'en' ? 'en-us' : language}${voices[index] ?? ''}`
      rows.push(await measured(models, { size, language, lines, voice }))
    }
  }
  return rows
}

interface Spoken {
  size: 'base' | 'small'
  language: Language
  lines: readonly string[]
  voice: Voice
}

async function measured(models: SpeechHandlers, { size, language, lines, voice }: Spoken): Promise<Row> {
  const placed = await conversationOf(lines, 900, voice)
  const channels = sidesWith(placed, noise(60))
  const engine = engineOf(models, size)
  const before = process.cpuUsage()
  const { sides } = await transcribeChannels(
    { ai: { segments: segmentsBy(models) }, engine, throwIfStopped() {} },
    channels.map((samples) => ({ samples, cuts: [] })),
    language,
  )
  const { user, system } = process.cpuUsage(before)
  const cpu = (user + system) / 1e6 / (channels[0].length / 8_000)
  const inOrder = sides.flat().toSorted((a, b) => a.startMs - b.startMs)
  const said = placed.map(({ text }) => text).join(' ')
  const rate = wordErrorRate(said, inOrder.map(({ text }) => text).join(' '))
  for (const { text } of inOrder) print(`  ${text}`)
  const figure = `${(100 * rate).toFixed(1)} % of ${wordCount(said)} words; CPU per second ${cpu.toFixed(2)}`
  print(`${voice}: ${figure}`)
  return { row: `word error rate of Whisper ${size}, ${voice}`, figure }
}

function engineOf(models: SpeechHandlers, size: 'base' | 'small'): SttEngine {
  return {
    id: `whisper-${size}`,
    languages: 'any',
    maxSeconds: 28,
    hasTimestamps: true,
    async transcribe({ samples, rate }, { language }) {
      const answer = await models.whisper({ samples, rate, size, ...(language && { language }) })
      return isMadeUp(answer) ? { text: '', segments: [] } : answer
    },
  }
}

let lastStream = 1_000

const segmentsBy = (models: SpeechHandlers) => (samples: Int16Array) => {
  const stream = ++lastStream
  return speechSegmentsOf(samples, (chunk) => models.detectSpeech({ stream, samples: chunk }))
}
