import {
  type LiveTranscriber,
  type LiveTranscriptionOptions,
  languages,
  type Segment,
  type SttEngine,
} from '../domain/intelligence/engines.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { EnergyVad } from '../media/energy-vad.ts'
import type { WhisperResult } from '../speech-node/protocol.ts'
import { createLiveTranscriber } from './live-transcriber.ts'
import { findModels, type ModelsFound, type WhisperSize } from './models.ts'
import { speechSegmentsOf } from './segments.ts'
import { createSpeechProcess, type SpeechProcess } from './speech-process.ts'

/** The local models, in two processes: one for live requests, one for batch work. */
export interface EmbeddedSpeech {
  /** The installed models, read on each call. */
  found(): Promise<ModelsFound>
  /** Undefined without models. `model` is the preferred size of Whisper. Companies take turns. */
  stt(options?: Readonly<Record<string, string>>, companyId?: number): Promise<SttEngine | undefined>
  segments(samples: Int16Array): Promise<Segment[]>
  /** Live transcription with any engine. Undefined if the local models would be too slow. */
  listen(engine: SttEngine, options: LiveTranscriptionOptions): Promise<LiveTranscriber | undefined>
  /** Semantic similarity from -1 to 1: a row for each text, a column for each of the others. English. */
  similarity(texts: readonly string[], others: readonly string[]): Promise<number[][] | undefined>
  /** Unit vectors of the meaning of texts. English. */
  embed(texts: readonly string[], options?: { urgent?: boolean }): Promise<Float32Array[] | undefined>
  /** Requests that wait for the models, by process. */
  waiting(): { live: number; after: number }
  stop(): Promise<void>
}

interface Wiring {
  modelsDir: string
  clock: Clock
  log: Log
  idleMs?: number
}

const idPrefix = 'embedded'
// Live requests have priority over batch work, and calls over both.
const liveNiceness = 5
const afterNiceness = 15

export function createEmbeddedSpeech({ modelsDir, clock, log, idleMs }: Wiring): EmbeddedSpeech {
  const common = { options: { modelsDir }, clock, log, ...(idleMs !== undefined && { idleMs }) }
  const live = createSpeechProcess({ ...common, name: 'live', niceness: liveNiceness })
  const after = createSpeechProcess({ ...common, name: 'after', niceness: afterNiceness })
  const found = () => findModels(modelsDir)
  let lastStream = 0

  /** Voice activity detection for a stream; by level alone without a model. */
  async function createVad(process: SpeechProcess) {
    if (!(await found()).silero) {
      const vad = new EnergyVad()
      return { detect: async (samples: Int16Array) => vad.detect(samples), endStream() {} }
    }
    const stream = ++lastStream
    return {
      detect: (samples: Int16Array) => process.request('detectSpeech', { stream, samples }),
      // A process that has exited keeps no state.
      endStream: () => void process.request('endStream', { stream }).catch(() => {}),
    }
  }

  return {
    found,
    async stt(options = {}, companyId = 0) {
      const { moonshine, whispers } = await found()
      const whisper = whispers.find((size) => size === options.model) ?? whispers[0]
      return moonshine || whisper ? engineOf({ moonshine, whisper }, { live, after, companyId }) : undefined
    },
    async segments(samples) {
      const vad = await createVad(after)
      try {
        return await speechSegmentsOf(samples, vad.detect)
      } finally {
        vad.endStream()
      }
    },
    async listen(engine, options) {
      if (engine.id.startsWith(idPrefix) && !(options.language === 'en' && (await found()).moonshine)) return undefined
      const vad = await createVad(live)
      return createLiveTranscriber({ clock, likelihoods: vad.detect, forget: vad.endStream, engine }, options)
    },
    async similarity(texts, others) {
      if (!(await found()).minilm) return undefined
      if (texts.length === 0 || others.length === 0) return texts.map(() => [])
      const directions = await after.request('embed', { texts: [...texts, ...others] })
      const columns = directions.slice(texts.length)
      return directions.slice(0, texts.length).map((row) => columns.map((column) => product(row, column)))
    },
    async embed(texts, { urgent = false } = {}) {
      if (!(await found()).minilm) return undefined
      return (urgent ? live : after).request('embed', { texts: [...texts] })
    },
    waiting: () => ({ live: live.waiting, after: after.waiting }),
    async stop() {
      await Promise.all([live.stop(), after.stop()])
    },
  }
}

const product = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

/** Live English by Moonshine; everything else by Whisper if it is installed, which is more accurate. */
function engineOf(
  models: Models,
  { live, after, companyId }: { live: SpeechProcess; after: SpeechProcess; companyId: number },
): SttEngine {
  const { moonshine, whisper } = models
  return {
    id: whisper ? `${idPrefix}:whisper-${whisper}` : `${idPrefix}:moonshine-tiny`,
    languages: whisper ? languages : ['en'],
    liveLanguages: moonshine ? ['en'] : [],
    maxSeconds: whisper ? 28 : 26,
    hasTimestamps: whisper !== undefined,
    async transcribe({ samples, rate }, { language, hints, signal, urgent = false }) {
      const isQuick = moonshine && (whisper === undefined || (urgent && (language ?? 'en') === 'en'))
      if (isQuick) {
        const { text } = await (urgent ? live : after).request('moonshine', { samples, rate }, { signal, companyId })
        return { text, language: 'en' }
      }
      if (!whisper) throw new Error('there is no model for that language')
      const given = { ...(language !== undefined && { language }), ...(hints && { hints }) }
      const params = { samples, rate, size: whisper, ...given }
      const answer = await after.request('whisper', params, { signal, companyId })
      const { text, segments } = isMadeUp(answer) ? { text: '', segments: [] } : answer
      return { text, segments, language: answer.language }
    },
  }
}

interface Models {
  moonshine: boolean
  whisper: WhisperSize | undefined
}

/**
 * Hallucinated text: on noise the model repeats frequent phrases of its training data. Outside English several sequences
 * of words are compared, so that fewer of these phrases are loops.
 */
export const isMadeUp = ({ language, noSpeech, confidence, isLoop }: WhisperResult): boolean =>
  isLoop || (noSpeech > (language === 'en' ? 0.6 : 0.4) && confidence < -1)
