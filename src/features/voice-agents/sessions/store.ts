import type { Db } from '../../../db/database.ts'
import { idsFromJson } from '../../../db/dialect.ts'
import type { AiAgentSessionTable, CompanyId } from '../../../db/tables.ts'
import type { Answers } from '../../../domain/ai-agent/plan.ts'
import { sessionFigures } from '../../../domain/ai-agent/session-figures.ts'
import type { StructuredData } from '../../../domain/ai-agent/structured-data.ts'
import type { VoiceAgentSession } from '../../../domain/call/state.ts'

// Parts of calls handled by AI voice agents.

export interface AgentSession {
  callId: number
  agentId: string
  agentName: string
  /** Of the settings; null before versions existed. */
  agentVersion: number | null
  startedAt: number
  endedAt: number | null
  endReason: AiAgentSessionTable['end_reason']
  escalationReason: string | null
  escalationTarget: NonNullable<VoiceAgentSession['escalation']>['target'] | null
  structuredData: Record<string, unknown> | null
  /** Why there is none. */
  structuredDataProblem: string | null
}

export async function insertVoiceAgentSession(
  db: Db,
  companyId: CompanyId,
  callId: number,
  part: VoiceAgentSession,
): Promise<void> {
  await db
    .insertInto('ai_agent_session')
    .values({
      id: part.session,
      company_id: companyId,
      call_id: callId,
      agent_id: part.plan.id,
      agent_name: part.plan.name,
      agent_version: part.plan.version ?? null,
      started_at: part.startedAt,
      ended_at: null,
      end_reason: null,
      escalation_reason: null,
      escalation_target: null,
      answers: '{}',
      turns: '[]',
      structured_data: null,
      structured_data_problem: null,
      figures: null,
    })
    .execute()
}

export async function endSession(db: Db, companyId: CompanyId, part: VoiceAgentSession): Promise<void> {
  await db
    .updateTable('ai_agent_session')
    .set({
      ended_at: part.endedAt,
      end_reason: part.endReason,
      escalation_reason: part.escalation?.reason ?? null,
      escalation_target: part.escalation ? JSON.stringify(part.escalation.target) : null,
      answers: JSON.stringify(part.talk.answers),
      turns: JSON.stringify(part.turns),
      figures: JSON.stringify(sessionFigures(part.turns)),
    })
    .where('company_id', '=', companyId)
    .where('id', '=', part.session)
    .execute()
}

/** What was said and collected; undefined once the call was deleted. */
export async function conversationOfSession(
  db: Db,
  companyId: CompanyId,
  session: string,
): Promise<(Pick<VoiceAgentSession, 'turns'> & { answers: Answers }) | undefined> {
  const row = await db
    .selectFrom('ai_agent_session')
    .select(['turns', 'answers'])
    .where('company_id', '=', companyId)
    .where('id', '=', session)
    .executeTakeFirst()
  return row && { turns: JSON.parse(row.turns), answers: JSON.parse(row.answers) }
}

export async function saveStructuredData(
  db: Db,
  companyId: CompanyId,
  session: string,
  result: StructuredData,
): Promise<void> {
  await db
    .updateTable('ai_agent_session')
    .set({
      structured_data: 'data' in result ? JSON.stringify(result.data) : null,
      structured_data_problem: 'problem' in result ? result.problem.slice(0, 500) : null,
    })
    .where('company_id', '=', companyId)
    .where('id', '=', session)
    .execute()
}

/** By call, in the order of their start. */
export async function sessionsOf(
  db: Db,
  companyId: CompanyId,
  callIds: readonly number[],
): Promise<Map<number, AgentSession[]>> {
  const sessions = new Map<number, AgentSession[]>()
  if (callIds.length === 0) return sessions
  const rows = await db
    .selectFrom('ai_agent_session')
    .select(['call_id', 'agent_id', 'agent_name', 'agent_version', 'started_at', 'ended_at', 'end_reason'])
    .select(['escalation_reason', 'escalation_target', 'structured_data', 'structured_data_problem'])
    .where('company_id', '=', companyId)
    .where('call_id', 'in', idsFromJson(db, JSON.stringify(callIds)))
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  for (const row of rows) sessions.set(row.call_id, [...(sessions.get(row.call_id) ?? []), toSession(row)])
  return sessions
}

/** Answers collected on each of the calls. */
export async function collectedAnswers(
  db: Db,
  companyId: CompanyId,
  callIds: readonly number[],
): Promise<Map<number, Answers>> {
  if (callIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('ai_agent_session')
    .select(['call_id', 'answers'])
    .where('company_id', '=', companyId)
    .where('call_id', 'in', idsFromJson(db, JSON.stringify(callIds)))
    .execute()
  return new Map(rows.map(({ call_id, answers }) => [call_id, JSON.parse(answers)]))
}

const toSession = (
  row: Omit<AiAgentSessionTable, 'id' | 'company_id' | 'answers' | 'turns' | 'figures'>,
): AgentSession => ({
  callId: row.call_id,
  agentId: row.agent_id,
  agentName: row.agent_name,
  agentVersion: row.agent_version,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  endReason: row.end_reason,
  escalationReason: row.escalation_reason,
  escalationTarget: row.escalation_target === null ? null : JSON.parse(row.escalation_target),
  structuredData: row.structured_data === null ? null : JSON.parse(row.structured_data),
  structuredDataProblem: row.structured_data_problem,
})
