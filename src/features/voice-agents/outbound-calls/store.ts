import type { Db } from '../../../db/database.ts'
import type { AiOutboundCallTable, CompanyId } from '../../../db/tables.ts'
import type { Context } from '../../../domain/ai-agent/variables.ts'
import type { Window } from '../../../http/paging.ts'

// Outbound calls of AI voice agents.

export interface OutboundAgentCall {
  id: string
  idempotencyKey: string
  agentId: string
  numberId: number
  phone: string
  context: Context
  status: AiOutboundCallTable['status']
  /** Null unless the call failed. */
  failureReason: AiOutboundCallTable['failure_reason']
  /** Null until the call has ended. */
  outcome: AiOutboundCallTable['outcome']
  /** Of the campaign that placed the call. */
  campaignId: string | null
  recipientId: number | null
  /** Null until the call is placed. */
  callId: number | null
  expiresAt: number
  createdAt: number
}

export type NewOutboundCall = Omit<OutboundAgentCall, 'outcome' | 'campaignId' | 'recipientId'> &
  Partial<Pick<OutboundAgentCall, 'campaignId' | 'recipientId'>>

const toCall = (row: AiOutboundCallTable): OutboundAgentCall => ({
  id: row.id,
  idempotencyKey: row.idempotency_key,
  agentId: row.agent_id,
  numberId: row.number_id,
  phone: row.phone,
  context: JSON.parse(row.context),
  status: row.status,
  failureReason: row.failure_reason,
  outcome: row.outcome ?? earlierOutcome(row),
  campaignId: row.campaign_id,
  recipientId: row.recipient_id,
  callId: row.call_id,
  expiresAt: row.expires_at,
  createdAt: row.created_at,
})

/** Of a call of an earlier release. */
function earlierOutcome({ status, failure_reason: reason }: AiOutboundCallTable): OutboundAgentCall['outcome'] {
  if (status === 'COMPLETED') return 'answered'
  if (status !== 'FAILED') return null
  if (reason === 'expired') return 'expired'
  return reason === 'not_answered' ? 'no_answer' : 'refused'
}

const calls = (db: Db, companyId: CompanyId) => db.selectFrom('ai_outbound_call').where('company_id', '=', companyId)

export async function findOutboundCall(
  db: Db,
  companyId: CompanyId,
  id: string,
): Promise<OutboundAgentCall | undefined> {
  const row = await calls(db, companyId).selectAll().where('id', '=', id).executeTakeFirst()
  return row && toCall(row)
}

export async function pageOfOutboundCalls(
  db: Db,
  companyId: CompanyId,
  window: Window,
): Promise<{ calls: OutboundAgentCall[]; total: number }> {
  let mine = calls(db, companyId)
  if (window.from !== undefined) mine = mine.where('created_at', '>=', window.from)
  if (window.to !== undefined) mine = mine.where('created_at', '<=', window.to)
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await mine
    .selectAll()
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { calls: rows.map(toCall), total: Number(total) }
}

/** False: the idempotency key was used before. */
export async function insertOutboundCall(db: Db, companyId: CompanyId, call: NewOutboundCall): Promise<boolean> {
  const done = await db
    .insertInto('ai_outbound_call')
    .values({
      id: call.id,
      company_id: companyId,
      idempotency_key: call.idempotencyKey,
      agent_id: call.agentId,
      number_id: call.numberId,
      phone: call.phone,
      context: JSON.stringify(call.context),
      status: call.status,
      failure_reason: null,
      outcome: null,
      campaign_id: call.campaignId ?? null,
      recipient_id: call.recipientId ?? null,
      call_id: null,
      expires_at: call.expiresAt,
      created_at: call.createdAt,
    })
    .onConflict((conflict) => conflict.columns(['company_id', 'idempotency_key']).doNothing())
    .executeTakeFirst()
  return (done.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Queued calls in order, and calls in progress. */
export async function openOutboundCalls(db: Db, companyId: CompanyId): Promise<OutboundAgentCall[]> {
  const rows = await db
    .selectFrom('ai_outbound_call')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('status', 'in', ['PENDING', 'INITIATED', 'IN_PROGRESS'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toCall)
}

export async function setOutboundStatus(
  db: Db,
  companyId: CompanyId,
  id: string,
  status: AiOutboundCallTable['status'],
  callId?: number,
): Promise<void> {
  await db
    .updateTable('ai_outbound_call')
    .set({ status, ...(callId !== undefined && { call_id: callId }) })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export interface OutboundFailure {
  reason: NonNullable<OutboundAgentCall['failureReason']>
  outcome: NonNullable<OutboundAgentCall['outcome']>
  callId: number | null
}

/** Undefined if the call had ended already. */
export async function markFailed(
  db: Db,
  companyId: CompanyId,
  id: string,
  failure: OutboundFailure,
): Promise<OutboundAgentCall | undefined> {
  const row = await db
    .updateTable('ai_outbound_call')
    .set({
      status: 'FAILED',
      failure_reason: failure.reason,
      outcome: failure.outcome,
      ...(failure.callId !== null && { call_id: failure.callId }),
    })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'INITIATED', 'IN_PROGRESS'])
    .returningAll()
    .executeTakeFirst()
  return row && toCall(row)
}

/** The call has ended: undefined if it had before. */
export async function markCompleted(
  db: Db,
  companyId: CompanyId,
  id: string,
  { callId, outcome }: { callId: number; outcome: 'answered' | 'voicemail' },
): Promise<OutboundAgentCall | undefined> {
  const row = await db
    .updateTable('ai_outbound_call')
    .set({ status: 'COMPLETED', call_id: callId, outcome })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'INITIATED', 'IN_PROGRESS'])
    .returningAll()
    .executeTakeFirst()
  return row && toCall(row)
}

/** Deletes the queued calls of a campaign; returns their ids. */
export async function withdrawQueuedCalls(db: Db, companyId: CompanyId, campaignId: string): Promise<string[]> {
  const rows = await db
    .deleteFrom('ai_outbound_call')
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', campaignId)
    .where('status', '=', 'PENDING')
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Queued calls past their expiry. */
export async function expiredOutboundCalls(db: Db, companyId: CompanyId, at: number): Promise<string[]> {
  const rows = await calls(db, companyId)
    .select('id')
    .where('status', '=', 'PENDING')
    .where('expires_at', '<=', at)
    .orderBy('created_at')
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes ended calls; their idempotency keys can be reused afterwards. */
export async function deleteOldOutboundCalls(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('ai_outbound_call')
    .where('created_at', '<', before)
    .where('status', 'in', ['COMPLETED', 'FAILED'])
    .execute()
}
