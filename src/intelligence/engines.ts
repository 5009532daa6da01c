import type { Db } from '../db/database.ts'
import { type EngineKind, type EngineSettings, engineKinds, isExternal } from '../domain/intelligence/engine-line.ts'
import type { LlmEngine, LlmTask, UsagePurpose } from '../domain/intelligence/engines.ts'
import { type CompanyEngines, enginesOf } from '../features/intelligence/providers/store.ts'
import { vocabularyOf } from '../features/intelligence/settings/store.ts'
import { addUse } from '../features/voice-agents/performance/usage-store.ts'
import type { Log } from '../lib/log.ts'
import type { Vault } from '../lib/secrets.ts'
import type { Ai, EngineState } from '../services.ts'
import { type ChosenEngine, chooseEngine } from './engine-choice.ts'
import { createEngineClients, type EngineClientsOptions } from './engine-clients.ts'
import { type MeteredUse, meteredLlm } from './metered-llm.ts'
import { explanationOf } from './state.ts'
import { tryEngine } from './try-engine.ts'
import { withVocabulary } from './with-vocabulary.ts'

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

  async function record(companyId: number, { purpose, agentId = null, chosen, engine, ...use }: RecordedUse) {
    if (use.requests === 0) return
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    const cost = costOf(chosen, use)
    try {
      await addUse(db, companyId, { ...use, day, purpose, agentId, model: engine.id, cost })
    } catch (error) {
      log.warn({ event: 'intelligence.use_not_recorded', companyId, purpose, error }, 'LLM use was not recorded')
    }
  }

  const ai: Ai = {
    async stt(companyId) {
      const engine = await clients.stt(await chosenFor(companyId, 'stt'), companyId)
      return engine && withVocabulary(engine, await vocabularyOf(db, companyId))
    },
    tts: async (companyId) => clients.tts(await chosenFor(companyId, 'tts')),
    async llm(companyId, task, { agentId, purpose = task } = {}) {
      const company = await enginesOf(db, companyId)
      const chosen = choose('llm', company)
      const engine = clients.llm(chosen, modelFor(task, company, chosen))
      return engine && meteredLlm(engine, (use) => record(companyId, { ...use, purpose, agentId, chosen, engine }))
    },
    segments: (samples) => embedded.segments(samples),
    async listen(companyId, options) {
      const engine = await ai.stt(companyId)
      return engine && embedded.listen(engine, options)
    },
    similarity: (texts, others) => embedded.similarity(texts, others),
    embed: (texts, options) => embedded.embed(texts, options),
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

interface RecordedUse extends MeteredUse {
  purpose: UsagePurpose
  agentId: string | null | undefined
  chosen: ChosenEngine
  engine: LlmEngine
}

const million = 1_000_000

/** Null: the connection string has no prices. */
function costOf({ line }: ChosenEngine, { inputTokens, outputTokens }: MeteredUse): number | null {
  const { input_price: input, output_price: output } = isExternal(line) ? line.options : {}
  if (input === undefined && output === undefined) return null
  return (inputTokens * Number(input ?? 0) + outputTokens * Number(output ?? 0)) / million
}

const modelFor = (task: LlmTask, company: CompanyEngines, { line }: ChosenEngine) =>
  company.models[task] ?? (isExternal(line) ? line.options[task] : undefined)
