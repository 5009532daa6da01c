import type {
  ChatMessage,
  LiveTranscriber,
  LiveTranscriptionOptions,
  LlmEngine,
  ToolCall,
} from '../../src/domain/intelligence/engines.ts'
import type { Ai } from '../../src/services.ts'
import { loudest, pitch, rate, type Voice } from './tones.ts'

// AI engines of a test: text-to-speech is a tone, speech-to-text detects tones and returns scripted text, the LLM
// returns scripted replies. They implement the interfaces only.

export interface TestEngines {
  ai: Partial<Ai>
  /** Next utterances of callers, in order. */
  callerSays(...texts: string[]): void
  /** Texts passed to text-to-speech. */
  spoken: string[]
  hangovers: number[]
  /** Requests to the LLM. */
  asked: ChatMessage[][]
  /** Requests for structured responses. */
  extracted: { system: string; user: string; schema: object }[]
}

export type Thought = ({ text: string } | { tool: string; args: object } | { fails: string } | { hangs: true })[]

export interface EngineOptions {
  voice?: Voice
  msPerWord?: number
  /** Replies of the LLM, in order; none: no LLM. */
  thoughts?: readonly Thought[]
  /** Structured responses of the LLM, in order; then none that conforms. */
  json?: readonly unknown[]
  mute?: boolean
  speechless?: () => boolean
  /** Text-to-speech delivers this much of each text, and then nothing more. */
  stallsAfterMs?: number
}

export function testEngines({
  voice = 'prompt',
  msPerWord = 150,
  thoughts,
  mute,
  speechless,
  stallsAfterMs,
  json = [],
}: EngineOptions = {}): TestEngines {
  const words: string[] = []
  const spoken: string[] = []
  const hangovers: number[] = []
  const asked: ChatMessage[][] = []
  const open = [...(thoughts ?? [])]
  const results = [...json]
  const extracted: { system: string; user: string; schema: object }[] = []

  const llm: LlmEngine = {
    id: 'test',
    json: async (request) => {
      extracted.push(request)
      return results.shift() ?? null
    },
    async *chat({ messages, signal }) {
      asked.push([...messages])
      for (const [index, part] of (open.shift() ?? []).entries()) {
        if ('fails' in part) throw new Error(part.fails)
        if ('hangs' in part) await aborted(signal)
        if ('text' in part) for (const text of part.text.match(/.{1,7}/gs) ?? []) yield { text }
        if ('tool' in part) yield { toolCall: { id: `c${index}`, name: part.tool, args: part.args } satisfies ToolCall }
      }
    },
  }

  const ai: Partial<Ai> = {
    stt: async () =>
      mute
        ? undefined
        : {
            id: 'test',
            languages: 'any',
            maxSeconds: 30,
            hasTimestamps: false,
            transcribe: async () => ({ text: '' }),
          },
    llm: async () => (thoughts ? llm : undefined),
    tts: async () =>
      mute
        ? undefined
        : {
            id: 'test',
            async *speak(text, { signal }) {
              if (speechless?.()) throw new Error('no voice today')
              spoken.push(text)
              const samples = (text.split(' ').length * msPerWord * rate) / 1_000
              const tone = Int16Array.from(
                { length: samples },
                (_, i) => 6_000 * Math.sin((2 * Math.PI * pitch[voice] * i) / rate),
              )
              const delivered = stallsAfterMs === undefined ? samples : (stallsAfterMs * rate) / 1_000
              for (let at = 0; at < delivered; at += 1_600) yield tone.subarray(at, at + 1_600)
              if (delivered < samples) await aborted(signal)
            },
          },
    segments: async () => [],
    async listen(_companyId, options) {
      if (mute) return undefined
      hangovers.push(options.hangoverMs ?? 500)
      return toneTranscriber(options, () => words.shift() ?? '')
    },
  }
  return { ai, callerSays: (...texts) => void words.push(...texts), spoken, hangovers, asked, extracted }
}

const aborted = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** A tone is speech; when it ends, an utterance is complete. */
function toneTranscriber(options: LiveTranscriptionOptions, next: () => string): LiveTranscriber {
  const { hangoverMs = 500, speaksAfterMs = 300, persistsAfterMs = Number.POSITIVE_INFINITY } = options
  let [loudMs, quietMs, at, since] = [0, 0, 0, 0]
  return {
    write(samples) {
      const ms = (samples.length * 1_000) / rate
      at += ms
      if (loudest(samples) > 1_000) {
        if (loudMs === 0) since = at - ms
        const before = loudMs
        loudMs += ms
        quietMs = 0
        if (before < speaksAfterMs && loudMs >= speaksAfterMs) options.onSpeechStart?.(since)
        if (before < persistsAfterMs && loudMs >= persistsAfterMs) options.onSpeechPersists?.()
        return
      }
      quietMs += ms
      if (loudMs === 0 || quietMs < hangoverMs) return
      const isSpeech = loudMs >= speaksAfterMs
      loudMs = 0
      if (!isSpeech) return
      const [segment, text] = [{ startMs: since, endMs: at - quietMs }, next()]
      if (text === '') options.onUnclear?.(segment)
      else options.onUtterance({ ...segment, text })
    },
    async end() {},
  }
}
