import { resample } from '../media/resample.ts'
import { type MiniLm, openMiniLm } from './minilm.ts'
import { type Moonshine, openMoonshine } from './moonshine.ts'
import type { SpeechOptions, SpeechRequestName, SpeechRequests } from './protocol.ts'
import { loadRuntime, type ModelSession } from './runtime.ts'
import { Silero } from './silero.ts'
import { openWhisper, type Whisper } from './whisper.ts'

export type SpeechHandlers = {
  [Name in SpeechRequestName]: (params: SpeechRequests[Name]['params']) => Promise<SpeechRequests[Name]['result']>
}

/** Each model is loaded once, on first use. */
export function createSpeechHandlers({ modelsDir }: SpeechOptions): SpeechHandlers {
  const runtime = loadRuntime(modelsDir)
  const streams = new Map<number, Silero>()
  const silero = once<ModelSession>(() => runtime.open('silero/silero_vad_v5.onnx'))
  const moonshine = once<Moonshine>(() => openMoonshine(runtime, modelsDir))
  const minilm = once<MiniLm>(() => openMiniLm(runtime, modelsDir))
  const whispers = {
    base: once<Whisper>(() => openWhisper(runtime, modelsDir, 'base')),
    small: once<Whisper>(() => openWhisper(runtime, modelsDir, 'small')),
  }
  return {
    async detectSpeech({ stream, samples }) {
      const session = await silero()
      const known = streams.get(stream) ?? new Silero(runtime, session)
      streams.set(stream, known)
      return known.detect(samples)
    },
    async endStream({ stream }) {
      streams.delete(stream)
      return null
    },
    async moonshine({ samples, rate }) {
      return { text: await (await moonshine()).transcribe(wide(samples, rate)) }
    },
    async whisper({ samples, rate, language, size, hints }) {
      return (await whispers[size]()).transcribe(wide(samples, rate), { language, hints })
    },
    async embed({ texts }) {
      const model = await minilm()
      const found: Float32Array[] = []
      for (const text of texts) found.push(await model.embed(text))
      return found
    },
  }
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open()
    return opened
  }
}

const wide = (samples: Int16Array, rate: number) =>
  resample(
    Float32Array.from(samples, (sample) => sample / 32_768),
    rate,
    16_000,
  )
