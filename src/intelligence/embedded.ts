import { type Ear, type EarWish, languages, type Segment, type SttEngine } from '../domain/intelligence/engines.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { EnergyEar } from '../media/energy.ts'
import type { WhisperAnswer } from '../speech-node/protocol.ts'
import { createEar } from './ear.ts'
import { findModels, type ModelsFound, type WhisperSize } from './models.ts'
import { segmentsOf } from './segments.ts'
import { createSpeechProcess, type SpeechProcess } from './worker.ts'

/** What our own models do, in two programs: one for those who wait for an answer, one for what can wait. */
export interface EmbeddedSpeech {
  /** What is in the folder of models; looked up when it was asked for last. */
  found(): Promise<ModelsFound>
  /** Undefined without models. `model` is the size of Whisper that is wanted, if it is there. */
  stt(options?: Readonly<Record<string, string>>): Promise<SttEngine | undefined>
  segments(samples: Int16Array): Promise<Segment[]>
  /** Any engine's ear: ours only finds out when somebody speaks. Undefined where our own models would be too slow. */
  listen(engine: SttEngine, wish: EarWish): Promise<Ear | undefined>
  /** How alike in meaning, from -1 to 1: a row for each text, a column for each of the others. English. */
  similarity(texts: readonly string[], others: readonly string[]): Promise<number[][] | undefined>
  stop(): Promise<void>
}

interface Wiring {
  modelsDir: string
  clock: Clock
  log: Log
  idleMs?: number
}

const idPrefix = 'embedded'
// Whoever waits for an answer waits less than a batch, and both less than calls.
const liveNiceness = 5
const afterNiceness = 15

export function createEmbeddedSpeech({ modelsDir, clock, log, idleMs }: Wiring): EmbeddedSpeech {
  const common = { options: { modelsDir }, clock, log, ...(idleMs !== undefined && { idleMs }) }
  const live = createSpeechProcess({ ...common, name: 'live', niceness: liveNiceness })
  const after = createSpeechProcess({ ...common, name: 'after', niceness: afterNiceness })
  const found = () => findModels(modelsDir)
  let lastStream = 0

  /** A sound that is followed piece by piece; by loudness alone where there is no model. */
  async function follower(process: SpeechProcess) {
    if (!(await found()).silero) {
      const ear = new EnergyEar()
      return { hear: async (samples: Int16Array) => ear.hear(samples), forget() {} }
    }
    const stream = ++lastStream
    return {
      hear: (samples: Int16Array) => process.ask('hear', { stream, samples }),
      // One that has died has forgotten already.
      forget: () => void process.ask('forget', { stream }).catch(() => {}),
    }
  }

  return {
    found,
    async stt(options = {}) {
      const { moonshine, whispers } = await found()
      const whisper = whispers.find((size) => size === options.model) ?? whispers[0]
      return moonshine || whisper ? engineOf({ moonshine, whisper }, live, after) : undefined
    },
    async segments(samples) {
      const sound = await follower(after)
      try {
        return await segmentsOf(samples, sound.hear)
      } finally {
        sound.forget()
      }
    },
    async listen(engine, wish) {
      if (engine.id.startsWith(idPrefix) && !(wish.language === 'en' && (await found()).moonshine)) return undefined
      const sound = await follower(live)
      return createEar({ clock, likelihoods: sound.hear, forget: sound.forget, engine }, wish)
    },
    async similarity(texts, others) {
      if (!(await found()).minilm) return undefined
      if (texts.length === 0 || others.length === 0) return texts.map(() => [])
      const directions = await after.ask('embed', { texts: [...texts, ...others] })
      const columns = directions.slice(texts.length)
      return directions.slice(0, texts.length).map((row) => columns.map((column) => product(row, column)))
    },
    async stop() {
      await Promise.all([live.stop(), after.stop()])
    },
  }
}

const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

/** English in a hurry by Moonshine; everything else by Whisper where it was fetched, which understands more. */
function engineOf(models: Models, live: SpeechProcess, after: SpeechProcess): SttEngine {
  const { moonshine, whisper } = models
  return {
    id: whisper ? `${idPrefix}:whisper-${whisper}` : `${idPrefix}:moonshine-tiny`,
    languages: whisper ? languages : ['en'],
    maxSeconds: whisper ? 28 : 26,
    tellsTimes: whisper !== undefined,
    async transcribe({ samples, rate }, { language, signal, urgent = false }) {
      const isQuick = moonshine && (whisper === undefined || (urgent && (language ?? 'en') === 'en'))
      if (isQuick) {
        const { text } = await (urgent ? live : after).ask('moonshine', { samples, rate }, signal)
        return { text, language: 'en' }
      }
      if (!whisper) throw new Error('there is no model for that language')
      const wish = { samples, rate, size: whisper, ...(language !== undefined && { language }) }
      const answer = await after.ask('whisper', wish, signal)
      const { text, segments } = isMadeUp(answer) ? { text: '', segments: [] } : answer
      return { text, segments, language: answer.language }
    },
  }
}

interface Models {
  moonshine: boolean
  whisper: WhisperSize | undefined
}

/** On noise it writes what it has read most often; a loop is no speech either. */
const isMadeUp = ({ noSpeech, confidence, isLoop }: WhisperAnswer) => isLoop || (noSpeech > 0.6 && confidence < -1)
