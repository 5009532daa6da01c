import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { contextIn, withFetched } from '../../../domain/ai-agent/context-request.ts'
import type { AgentPlan } from '../../../domain/ai-agent/plan.ts'
import { findNumber } from '../../accounts/index.ts'
import { hasDocuments } from '../knowledge/store.ts'
import { factsForPrompt } from './call-facts.ts'
import { type AgentSettings, numbersWithAgents } from './store.ts'

/** The plan of a test: as on a call to the first Number that uses the AI agent, or to the one it calls from. */
export async function planForTest(
  db: Db,
  companyId: CompanyId,
  { id, numberId, active: _active, ...settings }: AgentSettings & { id: string; version: number },
): Promise<AgentPlan> {
  const first = (await numbersWithAgents(db, companyId)).get(id)?.[0] ?? numberId
  const number = first === null ? undefined : await findNumber(db, companyId, first)
  const call = { direction: 'inbound', phone: null, contact: null, variables: {} } as const
  const plan = {
    ...settings,
    ...(await factsForPrompt(db, companyId, number, call)),
    ...((await hasDocuments(db, companyId, id)) && { hasDocuments: true as const }),
    id,
  }
  // No request is made: the mock is the response.
  return withFetched(plan, contextIn(settings.contextRequest?.mock ?? ''))
}
