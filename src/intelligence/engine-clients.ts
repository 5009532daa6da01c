import type { EngineKind, ServerLine } from '../domain/intelligence/engine-line.ts'
import type { LlmEngine, SttEngine, TtsEngine } from '../domain/intelligence/engines.ts'
import type { Clock } from '../lib/clock.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { hashOf } from '../lib/secrets.ts'
import { deepgramStt } from './deepgram-stt.ts'
import { deepgramTts } from './deepgram-tts.ts'
import type { EmbeddedSpeech } from './embedded.ts'
import type { ChosenEngine } from './engine-choice.ts'
import { localVoice } from './espeak.ts'
import { jambonzStt } from './jambonz-stt.ts'
import { jambonzTts } from './jambonz-tts.ts'
import { openaiLlm } from './openai-llm.ts'
import { openaiStt } from './openai-stt.ts'
import { openaiTts } from './openai-tts.ts'
import { createEngineServer } from './server.ts'

/** A client for each engine that is in use, by its protocol; undefined: off. */
export interface EngineClients {
  stt(chosen: ChosenEngine, companyId?: number): Promise<SttEngine | undefined>
  tts(chosen: ChosenEngine): TtsEngine | undefined
  llm(chosen: ChosenEngine, model: string | undefined): LlmEngine | undefined
  idOf(kind: EngineKind, chosen: ChosenEngine): Promise<string | null>
}

export interface EngineClientsOptions {
  clock: Clock
  /** For servers configured by the operator. */
  trusted: SafeFetch
  /** For servers configured by a company. */
  outbound: SafeFetch
  embedded: EmbeddedSpeech
}

const maxKept = 1_000
const voices = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin']

export function createEngineClients({ clock, trusted, outbound, embedded }: EngineClientsOptions): EngineClients {
  // Engines remember what their server rejected, so each is created once.
  const made = new Map<string, unknown>()

  function once<T>(key: readonly unknown[], make: () => T): T {
    const name = hashOf(JSON.stringify(key))
    if (!made.has(name)) {
      for (const oldest of made.keys()) {
        if (made.size < maxKept) break
        made.delete(oldest)
      }
      made.set(name, make())
    }
    return made.get(name) as T
  }

  const httpOf = ({ source }: ChosenEngine) => (source === 'operator' ? trusted : outbound)

  const serverOf = (chosen: ChosenEngine, line: ServerLine, scheme?: string) =>
    createEngineServer({ http: httpOf(chosen), line, key: chosen.key, ...(scheme && { scheme }) })

  async function stt(chosen: ChosenEngine, companyId?: number): Promise<SttEngine | undefined> {
    const { line, key, source } = chosen
    switch (line.kind) {
      case 'embedded':
        return embedded.stt(line.options, companyId)
      case 'openai':
        return once(['stt', source, line, key], () => openaiStt(line, serverOf(chosen, line)))
      case 'deepgram':
        return deepgramStt(line, serverOf(chosen, line, 'Token'), { http: httpOf(chosen), clock, key })
      case 'jambonz':
        return jambonzStt(line, key, httpOf(chosen), clock)
      default:
        return undefined
    }
  }

  function tts(chosen: ChosenEngine): TtsEngine | undefined {
    const { line, key, source } = chosen
    switch (line.kind) {
      case 'embedded':
        return once(['tts', line], () => localVoice({ clock, folders: voices, options: line.options }))
      case 'openai':
        return once(['tts', source, line, key], () => openaiTts(line, serverOf(chosen, line)))
      case 'deepgram':
        return deepgramTts(line, serverOf(chosen, line, 'Token'))
      case 'jambonz':
        return jambonzTts(line, serverOf(chosen, line))
      default:
        return undefined
    }
  }

  function llm(chosen: ChosenEngine, model: string | undefined): LlmEngine | undefined {
    const { line, key, source } = chosen
    if (line.kind !== 'openai') return undefined
    const named = model ?? line.model
    return once(['llm', source, line, key, named], () => openaiLlm(line, named, serverOf(chosen, line)))
  }

  async function idOf(kind: EngineKind, chosen: ChosenEngine): Promise<string | null> {
    if (kind === 'stt') return (await stt(chosen))?.id ?? null
    if (kind === 'tts') return tts(chosen)?.id ?? null
    return llm(chosen, undefined)?.id ?? null
  }

  return { stt, tts, llm, idOf }
}
