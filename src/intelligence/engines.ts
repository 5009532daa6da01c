import type { Db } from '../db/database.ts'
import { type EngineKind, type EngineSettings, engineKinds, isExternal } from '../domain/intelligence/engine-line.ts'
import type { LlmTask } from '../domain/intelligence/engines.ts'
import { type CompanyEngines, enginesOf } from '../features/intelligence/providers/store.ts'
import type { Log } from '../lib/log.ts'
import type { Vault } from '../lib/secrets.ts'
import type { Ai, EngineState } from '../services.ts'
import { type ChosenEngine, chooseEngine } from './engine-choice.ts'
import { createEngineClients, type EngineClientsOptions } from './engine-clients.ts'
import { explanationOf } from './state.ts'
import { tryEngine } from './try-engine.ts'

export interface AiEngineParts extends EngineClientsOptions {
  db: Db
  log: Log
  vault: Vault
  settings: EngineSettings
}

/** The AI engines: those of the operator, or a company's own; external servers only if the company allows them. */
export function createEngines(parts: AiEngineParts): Ai {
  const { db, clock, log, embedded } = parts
  const clients = createEngineClients(parts)

  const choose = (kind: EngineKind, company: CompanyEngines) => chooseEngine(parts, kind, company)
  const chosenFor = async (companyId: number, kind: EngineKind) => choose(kind, await enginesOf(db, companyId))

  /** The engine if the company allowed external servers. */
  const wantedLine = (kind: EngineKind, company: CompanyEngines) =>
    choose(kind, { ...company, externalAllowed: true }).line

  const ai: Ai = {
    stt: async (companyId) => clients.stt(await chosenFor(companyId, 'stt')),
    tts: async (companyId) => clients.tts(await chosenFor(companyId, 'tts')),
    async llm(companyId, task) {
      const company = await enginesOf(db, companyId)
      const chosen = choose('llm', company)
      return clients.llm(chosen, modelFor(task, company, chosen))
    },
    async realtime(companyId) {
      const chosen = await chosenFor(companyId, 'agent')
      return isExternal(chosen.line) ? { line: chosen.line, key: chosen.key, http: clients.httpOf(chosen) } : undefined
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
        const engine = await clients.idOf(kind, chosen)
        const external = isExternal(chosen.line)
        const explanation = explanationOf(kind, { ...chosen, engine, wanted: wantedLine(kind, company) })
        states.push({ kind, on: engine !== null, source: chosen.source, external, engine, explanation })
      }
      return states
    },
    test: (companyId, kind) => tryEngine({ ai, clock, log }, companyId, kind),
  }
  return ai
}

const modelFor = (task: LlmTask, company: CompanyEngines, { line }: ChosenEngine) =>
  company.models[task] ?? (isExternal(line) ? line.options[task] : undefined)
