import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { AgentLanguage } from '../../../domain/ai-agent/plan.ts'

/** An AI agent whose documents are suggested to human agents during calls. */
export interface SuggestionSource {
  agentId: string
  /** Null: to all agents. */
  teamIds: number[] | null
}

export interface NamedSource extends SuggestionSource {
  name: string
  language: AgentLanguage
  /** Documents with text. */
  documents: number
}

/** By name. */
export async function suggestionSources(db: Db, companyId: CompanyId): Promise<NamedSource[]> {
  const rows = await db
    .selectFrom('suggestion_source as s')
    .innerJoin('ai_voice_agent as a', 'a.id', 's.agent_id')
    .select(['s.agent_id', 's.team_ids', 'a.name', 'a.language'])
    .select(
      sql<number>`(select cast(count(*) as bigint) from ai_agent_document as d
        where d.company_id = ${companyId} and d.agent_id = s.agent_id and d.passages > 0)`.as('documents'),
    )
    .where('s.company_id', '=', companyId)
    .where('a.company_id', '=', companyId)
    .orderBy('a.name')
    .orderBy('a.id')
    .execute()
  return rows.map(({ agent_id, team_ids, name, language, documents }) => ({
    agentId: agent_id,
    teamIds: team_ids === null ? null : JSON.parse(team_ids),
    name,
    language: language as AgentLanguage,
    documents,
  }))
}

export async function replaceSuggestionSources(
  db: Db,
  companyId: CompanyId,
  sources: readonly SuggestionSource[],
): Promise<void> {
  await db.deleteFrom('suggestion_source').where('company_id', '=', companyId).execute()
  const rows = sources.map(({ agentId, teamIds }) => ({
    company_id: companyId,
    agent_id: agentId,
    team_ids: teamIds && JSON.stringify(teamIds),
  }))
  if (rows.length > 0) await db.insertInto('suggestion_source').values(rows).execute()
}

export async function deleteSuggestionSource(db: Db, companyId: CompanyId, agentId: string): Promise<void> {
  await db.deleteFrom('suggestion_source').where('company_id', '=', companyId).where('agent_id', '=', agentId).execute()
}
