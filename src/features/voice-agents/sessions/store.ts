import type { Db } from '../../../db/database.ts'
import { idsFromJson } from '../../../db/dialect.ts'
import type { AiAgentSessionTable, CompanyId } from '../../../db/tables.ts'
import type { VoiceAgentSession } from '../../../domain/call/state.ts'

// Parts of calls handled by AI voice agents.

export interface AgentSession {
  callId: number
  agentId: string
  agentName: string
  startedAt: number
  endedAt: number | null
  endReason: AiAgentSessionTable['end_reason']
  escalationReason: string | null
  escalationTarget: NonNullable<VoiceAgentSession['escalation']>['target'] | null
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
      started_at: part.startedAt,
      ended_at: null,
      end_reason: null,
      escalation_reason: null,
      escalation_target: null,
      answers: '{}',
      turns: '[]',
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
    })
    .where('company_id', '=', companyId)
    .where('id', '=', part.session)
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
    .select(['call_id', 'agent_id', 'agent_name', 'started_at', 'ended_at', 'end_reason'])
    .select(['escalation_reason', 'escalation_target'])
    .where('company_id', '=', companyId)
    .where('call_id', 'in', idsFromJson(db, JSON.stringify(callIds)))
    .orderBy('started_at')
    .orderBy('id')
    .execute()
  for (const row of rows) sessions.set(row.call_id, [...(sessions.get(row.call_id) ?? []), toSession(row)])
  return sessions
}

const toSession = (row: Omit<AiAgentSessionTable, 'id' | 'company_id' | 'answers' | 'turns'>): AgentSession => ({
  callId: row.call_id,
  agentId: row.agent_id,
  agentName: row.agent_name,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  endReason: row.end_reason,
  escalationReason: row.escalation_reason,
  escalationTarget: row.escalation_target === null ? null : JSON.parse(row.escalation_target),
})
