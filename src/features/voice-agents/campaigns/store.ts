import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { AiCampaignTable, CompanyId } from '../../../db/tables.ts'
import type { CampaignStatus, RetryDelays } from '../../../domain/ai-agent/campaign.ts'
import type { Hours } from '../../../domain/opening-hours.ts'
import type { Window } from '../../../http/paging.ts'

// Outbound campaigns of AI agents; their recipients are in recipients-store.ts.

export interface CampaignSettings {
  name: string
  agentId: string
  numberIds: readonly number[]
  hours: Hours
  retryDelays: RetryDelays
  maxAttempts: number
  concurrency: number
  expiresAt: number | null
}

export interface AgentCampaign extends CampaignSettings {
  id: string
  status: CampaignStatus
  /** Null unless the service has paused it. */
  pausedReason: AiCampaignTable['paused_reason']
  /** When its last call was placed. */
  placedAt: number | null
  createdAt: number
  startedAt: number | null
  /** Set once its last call has ended. */
  endedAt: number | null
}

const toCampaign = (row: Selectable<AiCampaignTable>): AgentCampaign => ({
  id: row.id,
  name: row.name,
  agentId: row.agent_id,
  numberIds: JSON.parse(row.number_ids),
  hours: JSON.parse(row.hours),
  retryDelays: JSON.parse(row.retry_delays),
  maxAttempts: row.max_attempts,
  concurrency: row.concurrency,
  status: row.status,
  pausedReason: row.paused_reason,
  expiresAt: row.expires_at,
  placedAt: row.placed_at,
  createdAt: row.created_at,
  startedAt: row.started_at,
  endedAt: row.ended_at,
})

const rowOf = (settings: CampaignSettings) => ({
  name: settings.name,
  agent_id: settings.agentId,
  number_ids: JSON.stringify(settings.numberIds),
  hours: JSON.stringify(settings.hours),
  retry_delays: JSON.stringify(settings.retryDelays),
  max_attempts: settings.maxAttempts,
  concurrency: settings.concurrency,
  expires_at: settings.expiresAt,
})

const campaigns = (db: Db, companyId: CompanyId) => db.selectFrom('ai_campaign').where('company_id', '=', companyId)

export async function findAgentCampaign(db: Db, companyId: CompanyId, id: string): Promise<AgentCampaign | undefined> {
  const row = await campaigns(db, companyId).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toCampaign(row)
}

export async function countCampaigns(db: Db, companyId: CompanyId): Promise<number> {
  const { n } = await campaigns(db, companyId)
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

export async function pageOfCampaigns(
  db: Db,
  companyId: CompanyId,
  window: Window,
): Promise<{ campaigns: AgentCampaign[]; total: number }> {
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = window
  const within = campaigns(db, companyId).where('created_at', '>=', from).where('created_at', '<=', to)
  const { total } = await within.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = await within
    .selectAll()
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { campaigns: page.map(toCampaign), total: Number(total) }
}

/** Campaigns that have started and whose last call has not ended. */
export async function openCampaigns(db: Db, companyId: CompanyId): Promise<AgentCampaign[]> {
  const rows = await campaigns(db, companyId)
    .selectAll()
    .where('status', 'in', ['running', 'paused', 'cancelled'])
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toCampaign)
}

export async function insertAgentCampaign(
  db: Db,
  companyId: CompanyId,
  id: string,
  settings: CampaignSettings,
  at: number,
): Promise<AgentCampaign> {
  const row: Insertable<AiCampaignTable> = {
    ...rowOf(settings),
    id,
    company_id: companyId,
    status: 'draft',
    paused_reason: null,
    placed_at: null,
    created_at: at,
    started_at: null,
    ended_at: null,
  }
  return toCampaign(await db.insertInto('ai_campaign').values(row).returningAll().executeTakeFirstOrThrow())
}

export async function updateCampaign(
  db: Db,
  companyId: CompanyId,
  id: string,
  settings: CampaignSettings,
): Promise<AgentCampaign | undefined> {
  const row = await db
    .updateTable('ai_campaign')
    .set(rowOf(settings))
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return row && toCampaign(row)
}

interface CampaignState {
  status?: CampaignStatus
  pausedReason?: AgentCampaign['pausedReason']
  placedAt?: number
  startedAt?: number
  endedAt?: number
}

export async function setCampaignState(
  db: Db,
  companyId: CompanyId,
  id: string,
  state: CampaignState,
): Promise<AgentCampaign> {
  const row = await db
    .updateTable('ai_campaign')
    .set({
      ...(state.status !== undefined && { status: state.status }),
      ...(state.pausedReason !== undefined && { paused_reason: state.pausedReason }),
      ...(state.placedAt !== undefined && { placed_at: state.placedAt }),
      ...(state.startedAt !== undefined && { started_at: state.startedAt }),
      ...(state.endedAt !== undefined && { ended_at: state.endedAt }),
    })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toCampaign(row)
}

/** With its recipients; its calls stay. */
export async function deleteAgentCampaign(db: Db, companyId: CompanyId, id: string): Promise<void> {
  await db
    .deleteFrom('ai_campaign_recipient')
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', id)
    .execute()
  await db.deleteFrom('ai_campaign').where('company_id', '=', companyId).where('id', '=', id).execute()
}
