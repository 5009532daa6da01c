import type { Db } from '../../../db/database.ts'
import type { AiAgentVersionTable, CompanyId } from '../../../db/tables.ts'
import { type AgentSettings, rowOf, settingsOfRow } from '../agents/settings-row.ts'
import type { VoiceAgent } from '../agents/store.ts'

// Versions of AI agents. A version is never changed; it has all settings but `active`, which is no part of a release.

/** Older versions are removed. */
export const maxAgentVersions = 200

export interface AgentVersion {
  version: number
  note: string | null
  createdBy: number | null
  createdAt: number
}

export interface NewAgentVersion {
  note: string | null
  /** Null: an API key or the service. */
  createdBy: number | null
  at: number
}

export async function insertAgentVersion(
  db: Db,
  companyId: CompanyId,
  { id, version, createdAt: _made, updatedAt: _changed, ...settings }: VoiceAgent,
  { note, createdBy, at }: NewAgentVersion,
): Promise<void> {
  const { active: _active, ...columns } = rowOf(settings)
  const row = { agent_id: id, version, company_id: companyId, ...columns, note, created_by: createdBy, created_at: at }
  await db.insertInto('ai_agent_version').values(row).execute()
  await db
    .deleteFrom('ai_agent_version')
    .where('company_id', '=', companyId)
    .where('agent_id', '=', id)
    .where('version', '<=', version - maxAgentVersions)
    .execute()
}

/** Newest first. */
export async function agentVersions(db: Db, companyId: CompanyId, agentId: string): Promise<AgentVersion[]> {
  const rows = await db
    .selectFrom('ai_agent_version')
    .select(['version', 'note', 'created_by', 'created_at'])
    .where('company_id', '=', companyId)
    .where('agent_id', '=', agentId)
    .orderBy('version', 'desc')
    .execute()
  return rows.map(toVersion)
}

/** With its settings; `active` is the current one of the AI agent. */
export async function findAgentVersion(
  db: Db,
  companyId: CompanyId,
  { id, active }: VoiceAgent,
  version: number,
): Promise<(AgentVersion & { settings: AgentSettings }) | undefined> {
  const row = await db
    .selectFrom('ai_agent_version')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('agent_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return row && { ...toVersion(row), settings: { ...settingsOfRow(row), active } }
}

const toVersion = (row: Pick<AiAgentVersionTable, 'version' | 'note' | 'created_by' | 'created_at'>): AgentVersion => ({
  version: row.version,
  note: row.note,
  createdBy: row.created_by,
  createdAt: row.created_at,
})

export async function deleteAgentVersions(db: Db, companyId: CompanyId, agentId: string): Promise<void> {
  await db.deleteFrom('ai_agent_version').where('company_id', '=', companyId).where('agent_id', '=', agentId).execute()
}
