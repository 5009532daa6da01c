import type { Db } from '../../../db/database.ts'
import type { AiAgentSessionTable, CompanyId } from '../../../db/tables.ts'
import type { SessionFigures } from '../../../domain/ai-agent/session-figures.ts'

export interface MeasuredSession {
  callId: number
  agentId: string
  agentName: string
  startedAt: number
  endReason: AiAgentSessionTable['end_reason']
  escalationReason: string | null
  /** Null: recorded by an earlier release. */
  figures: SessionFigures | null
}

/** Ended conversations since then, latest first. */
export async function sessionsSince(
  db: Db,
  companyId: CompanyId,
  { since, agentId, limit }: { since: number; agentId: string | undefined; limit: number },
): Promise<MeasuredSession[]> {
  let query = db
    .selectFrom('ai_agent_session')
    .select(['call_id', 'agent_id', 'agent_name', 'started_at', 'end_reason', 'escalation_reason', 'figures'])
    .where('company_id', '=', companyId)
    .where('started_at', '>=', since)
    .where('ended_at', 'is not', null)
  if (agentId !== undefined) query = query.where('agent_id', '=', agentId)
  const rows = await query.orderBy('started_at', 'desc').limit(limit).execute()
  return rows.map((row) => ({
    callId: row.call_id,
    agentId: row.agent_id,
    agentName: row.agent_name,
    startedAt: row.started_at,
    endReason: row.end_reason,
    escalationReason: row.escalation_reason,
    figures: row.figures === null ? null : JSON.parse(row.figures),
  }))
}

export const namesOfAgents = (db: Db, companyId: CompanyId) =>
  db.selectFrom('ai_voice_agent').select(['id', 'name']).where('company_id', '=', companyId).execute()
