import {
  type FoundPassage,
  indexPassages,
  passagesInField,
  relevantPassages,
  shortKnowledge,
} from '../../../domain/ai-agent/knowledge.ts'
import type { AgentPlan } from '../../../domain/ai-agent/plan.ts'
import { second } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { startEmbedding } from './documents.ts'
import { sharedPassageCache } from './passage-cache.ts'

/** Passages of an agent's knowledge that are relevant to a text. Never rejects. */
export type KnowledgeSearch = (plan: AgentPlan, query: string) => Promise<FoundPassage[]>

/** After this time, words are compared instead. A caller waits for the reply; the model is loaded by then. */
export const embedTimeoutMs = second
/** Where no caller waits, there is time to load the model. */
export const unhurriedEmbedTimeoutMs = 20 * second

type SearchServices = Pick<Services, 'ai' | 'clock' | 'db' | 'log'>

/** In the knowledge text of the AI agent only. */
export const searchInField: KnowledgeSearch = async (plan, query) => relevantPassages([searchedField(plan)], query)

/** A short text is part of the prompt instead. */
const searchedField = ({ knowledge }: AgentPlan) =>
  indexPassages(knowledge !== null && knowledge.length > shortKnowledge ? passagesInField(knowledge) : [])

/** In the documents of the AI agent and its knowledge text, unless that is part of the prompt. */
export function knowledgeSearch(
  services: SearchServices,
  companyId: number,
  timeoutMs: number = embedTimeoutMs,
): KnowledgeSearch {
  const { db, log } = services
  const cache = sharedPassageCache(db)
  return async (plan, query) => {
    const field = searchedField(plan)
    if (query === '' || (!plan.hasDocuments && field.passages.length === 0)) return []
    try {
      const { index, withoutVectors } = plan.hasDocuments
        ? await cache.passagesFor(companyId, plan.id)
        : { index: indexPassages([]), withoutVectors: [] }
      // The model knows English only.
      const vector =
        plan.language === 'en' && index.passages.length > 0 ? await vectorOf(services, query, timeoutMs) : null
      // Documents from before the model was installed.
      if (vector) for (const id of withoutVectors) await startEmbedding(db, companyId, id, services.clock.now())
      return relevantPassages([index, field], query, vector)
    } catch (error) {
      log.warn({ event: 'voice_agent.knowledge_failed', companyId, agentId: plan.id, error }, 'knowledge search failed')
      return []
    }
  }
}

export async function vectorOf(
  { ai, clock, log }: SearchServices,
  query: string,
  timeoutMs: number,
): Promise<Float32Array | null> {
  let cancel = () => {}
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.machineAfter(timeoutMs, () => resolve(undefined))
  })
  try {
    const vectors = await Promise.race([ai.embed([query], { urgent: true }), late])
    return vectors?.[0] ?? null
  } catch (error) {
    log.warn({ event: 'voice_agent.embedding_failed', error }, 'the embedding model failed; words are compared')
    return null
  } finally {
    cancel()
  }
}
