import type { Db } from '../../../db/database.ts'
import type { AiAgentTestSetTable, CompanyId } from '../../../db/tables.ts'
import type { VoiceAgentTurn } from '../../../domain/call/state.ts'
import type { AgentTestResult } from './run.ts'

// The tests of AI agents: one YAML text per agent, and the results of its last run.

export interface StoredTestSet {
  source: string
  results: AgentTestResult[] | null
  runAt: number | null
  /** Of the AI agent that the last run tested. */
  agentVersion: number | null
  updatedAt: number
}

export async function findTestSet(db: Db, companyId: CompanyId, agentId: string): Promise<StoredTestSet | undefined> {
  const row = await db
    .selectFrom('ai_agent_test_set')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  return row && toSet(row)
}

const toSet = ({ source, results, run_at, agent_version, updated_at }: AiAgentTestSetTable): StoredTestSet => ({
  source,
  results: results === null ? null : JSON.parse(results),
  runAt: run_at,
  agentVersion: agent_version,
  updatedAt: updated_at,
})

/** Results of another text are dropped. */
export async function saveTestSet(
  db: Db,
  companyId: CompanyId,
  agentId: string,
  source: string,
  at: number,
): Promise<void> {
  const changed = { source, results: null, run_at: null, agent_version: null, updated_at: at }
  await db
    .insertInto('ai_agent_test_set')
    .values({ agent_id: agentId, company_id: companyId, ...changed })
    .onConflict((conflict) =>
      conflict.column('agent_id').doUpdateSet(changed).where('ai_agent_test_set.company_id', '=', companyId),
    )
    .execute()
}

/** Not stored if the text was changed during the run. */
export async function saveTestResults(
  db: Db,
  companyId: CompanyId,
  agentId: string,
  {
    source,
    results,
    version,
    at,
  }: { source: string; results: readonly AgentTestResult[]; version: number; at: number },
): Promise<void> {
  await db
    .updateTable('ai_agent_test_set')
    .set({ results: JSON.stringify(results), run_at: at, agent_version: version })
    .where('company_id', '=', companyId)
    .where('agent_id', '=', agentId)
    .where('source', '=', source)
    .execute()
}

export async function deleteTestSet(db: Db, companyId: CompanyId, agentId: string): Promise<void> {
  await db.deleteFrom('ai_agent_test_set').where('company_id', '=', companyId).where('agent_id', '=', agentId).execute()
}

export interface RecordedConversation {
  startedAt: number
  endReason: string | null
  escalationReason: string | null
  answers: Record<string, string | number | boolean>
  turns: VoiceAgentTurn[]
}

/** The first conversation of the AI agent on a call, once it has ended. */
export async function conversationOfCall(
  db: Db,
  companyId: CompanyId,
  agentId: string,
  callId: number,
): Promise<RecordedConversation | undefined> {
  const row = await db
    .selectFrom('ai_agent_session')
    .select(['started_at', 'end_reason', 'escalation_reason', 'answers', 'turns'])
    .where('company_id', '=', companyId)
    .where('call_id', '=', callId)
    .where('agent_id', '=', agentId)
    .where('ended_at', 'is not', null)
    .orderBy('started_at')
    .orderBy('id')
    .executeTakeFirst()
  return (
    row && {
      startedAt: row.started_at,
      endReason: row.end_reason,
      escalationReason: row.escalation_reason,
      answers: JSON.parse(row.answers),
      turns: JSON.parse(row.turns),
    }
  )
}
