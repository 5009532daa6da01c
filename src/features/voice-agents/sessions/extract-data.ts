import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import {
  conformingData,
  dataFromAnswers,
  extractionRequest,
  type StructuredData,
} from '../../../domain/ai-agent/structured-data.ts'
import type { VoiceAgentSession } from '../../../domain/call/state.ts'
import { EngineTrouble } from '../../../domain/intelligence/engine-trouble.ts'
import type { JobPayloads } from '../../../jobs/payloads.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { minute, second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { conversationOfSession, saveStructuredData } from './store.ts'

/** At the end of a conversation: at once from the answers of a scripted agent, otherwise by a job with the LLM. */
export async function startExtraction(
  tx: Db,
  companyId: CompanyId,
  { session, plan, talk, turns }: VoiceAgentSession,
  at: number,
): Promise<void> {
  const { dataSchema: schema, language } = plan
  if (!schema) return
  if (plan.brain === 'flow') return saveStructuredData(tx, companyId, session, dataFromAnswers(schema, talk.answers))
  if (!turns.some(({ by }) => by === 'caller'))
    return saveStructuredData(tx, companyId, session, { problem: 'There is no transcript of the caller' })
  const payload = { companyId, agentId: plan.id, session, schema, language, tries: 0 }
  await enqueue(tx, 'agent_data.extract', payload, at, `agent-data:${session}`)
}

const retryDelaysMs = [30 * second, 2 * minute]
const maxRequestMs = 2 * minute

/** Job: requests the data from the LLM, which repairs an invalid response once. */
export function dataExtractor({ db, ai, clock, log }: Services) {
  return async (payload: JobPayloads['agent_data.extract']): Promise<void> => {
    const { companyId, agentId, session, schema, language, tries } = payload
    const conversation = await conversationOfSession(db, companyId, session)
    if (!conversation) return
    const save = (result: StructuredData) => saveStructuredData(db, companyId, session, result)
    const llm = await ai.llm(companyId, 'agent', { agentId })
    if (!llm) return save({ problem: 'No language model is configured' })
    const { turns, answers } = conversation
    const deadline = new AbortController()
    const cancel = clock.machineAfter(maxRequestMs, () => deadline.abort(new EngineTrouble('timed out', true)))
    try {
      const asked = { ...extractionRequest(turns, answers, language), schema, name: 'call_data' }
      const value = await llm.json({ ...asked, signal: deadline.signal })
      await save(value === null ? { problem: notConforming } : conformingData(schema, value))
    } catch (error) {
      if (!(error instanceof EngineTrouble)) throw error
      log.info(
        { event: 'voice_agent.extraction_failed', companyId, session, tries, reason: error.message },
        'LLM request for the data of a conversation failed',
      )
      const pause = error.passing ? retryDelaysMs[tries] : undefined
      if (pause === undefined) return save({ problem: 'The language model did not respond' })
      const due = clock.now() + pause
      await enqueue(db, 'agent_data.extract', { ...payload, tries: tries + 1 }, due, `agent-data:${session}`)
    } finally {
      cancel()
    }
  }
}

const notConforming = 'The response of the language model did not conform to the schema'
