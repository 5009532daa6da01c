import type { Db } from '../db/database.ts'
import {
  type EngineKind,
  type EngineLine,
  type EngineSettings,
  engineKinds,
  isExternal,
  readEngineLine,
  type ServerLine,
} from '../domain/intelligence/engine-line.ts'
import type { LlmEngine, LlmTask, SttEngine, TtsEngine } from '../domain/intelligence/engines.ts'
import { type CompanyEngines, enginesOf } from '../features/intelligence/providers/store.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { SafeFetch } from '../lib/safe-fetch.ts'
import { hashOf, type Vault } from '../lib/secrets.ts'
import type { Ai, EngineState } from '../services.ts'
import { deepgramStt } from './deepgram-stt.ts'
import type { EmbeddedSpeech } from './embedded.ts'
import { localVoice } from './espeak.ts'
import { jambonzStt } from './jambonz-stt.ts'
import { jambonzTts } from './jambonz-tts.ts'
import { openaiLlm } from './openai-llm.ts'
import { openaiStt } from './openai-stt.ts'
import { openaiTts } from './openai-tts.ts'
import { createEngineServer } from './server.ts'
import { type EngineOffReason, explanationOf } from './state.ts'
import { tryEngine } from './try-engine.ts'

export interface AiEngineParts {
  db: Db
  clock: Clock
  log: Log
  vault: Vault
  /** For servers configured by the operator. */
  trusted: SafeFetch
  /** For servers configured by a company. */
  outbound: SafeFetch
  settings: EngineSettings
  embedded: EmbeddedSpeech
}

/** The selected engine with its key, or why there is none. */
type Chosen = { source: EngineState['source']; line: EngineLine; key: string | undefined; why?: EngineOffReason }

const maxKept = 1_000
const voices = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin']

/** The AI engines: those of the operator, or a company's own; external servers only if the company allows them. */
export function createEngines(parts: AiEngineParts): Ai {
  const { db, clock, log, vault, settings, embedded } = parts
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

  const wayOf = ({ source }: Chosen) => (source === 'operator' ? parts.trusted : parts.outbound)

  const serverOf = (chosen: Chosen, line: ServerLine, scheme?: string) =>
    createEngineServer({ http: wayOf(chosen), line, key: chosen.key, ...(scheme && { scheme }) })

  /** An external server that the company has not allowed is replaced by the built-in engine, or by none. */
  function choose(kind: EngineKind, company: CompanyEngines): Chosen {
    const own = company.lines[kind]
    const read = own === undefined ? undefined : readEngineLine(kind, own)
    const chosen: Chosen =
      read === undefined
        ? { source: 'operator', ...settings[kind] }
        : 'problem' in read
          ? { source: 'company', line: { dialect: 'off' }, key: undefined, why: 'unreadable' }
          : { source: 'company', line: read.line, key: keysIn(vault, company)[kind] }
    if (!isExternal(chosen.line) || company.externalAllowed) return chosen
    const instead: EngineLine =
      kind === 'stt' || kind === 'tts' ? { dialect: 'embedded', options: {} } : { dialect: 'off' }
    return { source: chosen.source, line: instead, key: undefined, why: 'not_allowed' }
  }

  const chosenFor = async (companyId: number, kind: EngineKind) => choose(kind, await enginesOf(db, companyId))

  async function sttOf(chosen: Chosen): Promise<SttEngine | undefined> {
    const { line, key, source } = chosen
    switch (line.dialect) {
      case 'embedded':
        return embedded.stt(line.options)
      case 'openai':
        return once(['stt', source, line, key], () => openaiStt(line, serverOf(chosen, line)))
      case 'deepgram':
        return deepgramStt(line, serverOf(chosen, line, 'Token'))
      case 'jambonz':
        return jambonzStt(line, key, wayOf(chosen), clock)
      default:
        return undefined
    }
  }

  function ttsOf(chosen: Chosen): TtsEngine | undefined {
    const { line, key, source } = chosen
    switch (line.dialect) {
      case 'embedded':
        return once(['tts', line], () => localVoice({ clock, folders: voices, options: line.options }))
      case 'openai':
        return once(['tts', source, line, key], () => openaiTts(line, serverOf(chosen, line)))
      case 'jambonz':
        return jambonzTts(line, serverOf(chosen, line))
      default:
        return undefined
    }
  }

  function llmOf(chosen: Chosen, model: string | undefined): LlmEngine | undefined {
    const { line, key, source } = chosen
    if (line.dialect !== 'openai') return undefined
    const named = model ?? line.model
    return once(['llm', source, line, key, named], () => openaiLlm(line, named, serverOf(chosen, line)))
  }

  const modelFor = (task: LlmTask, company: CompanyEngines, { line }: Chosen) =>
    company.models[task] ?? (isExternal(line) ? line.options[task] : undefined)

  const ai: Ai = {
    stt: async (companyId) => sttOf(await chosenFor(companyId, 'stt')),
    tts: async (companyId) => ttsOf(await chosenFor(companyId, 'tts')),
    async llm(companyId, task) {
      const company = await enginesOf(db, companyId)
      const chosen = choose('llm', company)
      return llmOf(chosen, modelFor(task, company, chosen))
    },
    async realtime(companyId) {
      const chosen = await chosenFor(companyId, 'agent')
      return isExternal(chosen.line) ? { line: chosen.line, key: chosen.key, http: wayOf(chosen) } : undefined
    },
    segments: (samples) => embedded.segments(samples),
    async listen(companyId, options) {
      const engine = await ai.stt(companyId)
      return engine && embedded.listen(engine, options)
    },
    similarity: (texts, others) => embedded.similarity(texts, others),
    async state(companyId) {
      const company = await enginesOf(db, companyId)
      const states: EngineState[] = []
      for (const kind of engineKinds) {
        const chosen = choose(kind, company)
        const engine = await idOf(kind, chosen)
        const external = isExternal(chosen.line)
        const explanation = explanationOf(kind, { ...chosen, engine, wanted: wantedLine(kind, company) })
        states.push({ kind, on: engine !== null, source: chosen.source, external, engine, explanation })
      }
      return states
    },
    test: (companyId, kind) => tryEngine({ ai, clock, log }, companyId, kind),
  }

  async function idOf(kind: EngineKind, chosen: Chosen): Promise<string | null> {
    if (kind === 'stt') return (await sttOf(chosen))?.id ?? null
    if (kind === 'tts') return ttsOf(chosen)?.id ?? null
    if (kind === 'llm') return llmOf(chosen, undefined)?.id ?? null
    return isExternal(chosen.line) ? `${chosen.line.dialect}:${chosen.line.model}` : null
  }

  /** The engine if the company allowed external servers. */
  const wantedLine = (kind: EngineKind, company: CompanyEngines) =>
    choose(kind, { ...company, externalAllowed: true }).line

  return ai
}

export const keysIn = (vault: Vault, { keysSealed }: CompanyEngines): Partial<Record<EngineKind, string>> =>
  keysSealed === null ? {} : JSON.parse(vault.open(keysSealed))
