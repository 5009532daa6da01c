import type { Selectable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { AiCampaignRecipientTable, CompanyId } from '../../../db/tables.ts'
import type { CallOutcome, RecipientProgress, RecipientStatus, RetryDelays } from '../../../domain/ai-agent/campaign.ts'
import type { Context } from '../../../domain/ai-agent/variables.ts'
import type { Window } from '../../../http/paging.ts'

// Recipients of campaigns: their progress is their result.

export interface NewRecipient {
  phone: string
  name: string | null
  /** Null: derived from the country of the number. */
  timeZone: string | null
  /** Time zones in which the calling hours must be open. */
  zones: readonly string[]
  context: Context
}

export interface CampaignRecipient extends NewRecipient {
  id: number
  campaignId: string
  status: RecipientStatus
  attempts: number
  /** Calls that were refused, which are no attempts. */
  refusals: number
  lastOutcome: CallOutcome | null
  /** Of the last attempt. */
  outboundCallId: string | null
  callId: number | null
  dueAt: number
  updatedAt: number
}

const toRecipient = (row: Selectable<AiCampaignRecipientTable>): CampaignRecipient => ({
  id: row.id,
  campaignId: row.campaign_id,
  phone: row.phone,
  name: row.name,
  timeZone: row.time_zone,
  zones: JSON.parse(row.zones),
  context: JSON.parse(row.context),
  status: row.status,
  attempts: row.attempts,
  refusals: row.refusals,
  lastOutcome: row.last_outcome,
  outboundCallId: row.outbound_call_id,
  callId: row.call_id,
  dueAt: row.due_at,
  updatedAt: row.updated_at,
})

const recipients = (db: Db, companyId: CompanyId, campaignId: string) =>
  db.selectFrom('ai_campaign_recipient').where('company_id', '=', companyId).where('campaign_id', '=', campaignId)

const rowsAtOnce = 200

/** Skips phone numbers that the campaign has; returns how many were added. */
export async function insertRecipients(
  db: Db,
  companyId: CompanyId,
  campaignId: string,
  added: readonly NewRecipient[],
  at: number,
): Promise<number> {
  let n = 0
  for (let from = 0; from < added.length; from += rowsAtOnce) {
    const rows = added.slice(from, from + rowsAtOnce).map((one) => ({
      company_id: companyId,
      campaign_id: campaignId,
      phone: one.phone,
      name: one.name,
      time_zone: one.timeZone,
      zones: JSON.stringify(one.zones),
      context: JSON.stringify(one.context),
      status: 'pending' as const,
      attempts: 0,
      refusals: 0,
      last_outcome: null,
      outbound_call_id: null,
      call_id: null,
      due_at: at,
      updated_at: at,
    }))
    const done = await db
      .insertInto('ai_campaign_recipient')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['campaign_id', 'phone']).doNothing())
      .executeTakeFirst()
    n += Number(done.numInsertedOrUpdatedRows ?? 0n)
  }
  return n
}

export interface RecipientFilter {
  status?: RecipientStatus
  outcome?: CallOutcome
}

export async function pageOfRecipients(
  db: Db,
  companyId: CompanyId,
  campaignId: string,
  filter: RecipientFilter,
  window: Window,
): Promise<{ recipients: CampaignRecipient[]; total: number }> {
  let within = recipients(db, companyId, campaignId)
  if (filter.status !== undefined) within = within.where('status', '=', filter.status)
  if (filter.outcome !== undefined) within = within.where('last_outcome', '=', filter.outcome)
  const { total } = await within.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = await within.selectAll().orderBy('id', window.order).limit(window.limit).offset(window.offset).execute()
  return { recipients: page.map(toRecipient), total: Number(total) }
}

/** For the export, in the order in which they were added. */
export async function recipientsAfter(
  db: Db,
  companyId: CompanyId,
  campaignId: string,
  after: number,
  limit: number,
): Promise<CampaignRecipient[]> {
  const rows = await recipients(db, companyId, campaignId)
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toRecipient)
}

export interface RecipientCount {
  campaignId: string
  status: RecipientStatus
  outcome: CallOutcome | null
  n: number
}

export async function countRecipients(
  db: Db,
  companyId: CompanyId,
  campaignIds: readonly string[],
): Promise<RecipientCount[]> {
  if (campaignIds.length === 0) return []
  const rows = await db
    .selectFrom('ai_campaign_recipient')
    .select(({ fn }) => ['campaign_id', 'status', 'last_outcome', fn.countAll<number>().as('n')])
    .where('company_id', '=', companyId)
    .where('campaign_id', 'in', campaignIds)
    .groupBy(['campaign_id', 'status', 'last_outcome'])
    .execute()
  return rows.map((row) => ({
    campaignId: row.campaign_id,
    status: row.status,
    outcome: row.last_outcome,
    n: Number(row.n),
  }))
}

/** Whether a call to a recipient is in progress, or may follow. */
export async function hasOpenRecipients(db: Db, companyId: CompanyId, campaignId: string): Promise<boolean> {
  const row = await recipients(db, companyId, campaignId)
    .select('id')
    .where('status', 'in', ['pending', 'calling'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The recipient who has been due for the longest time. */
export async function nextDueRecipient(
  db: Db,
  companyId: CompanyId,
  campaignId: string,
  at: number,
): Promise<CampaignRecipient | undefined> {
  const row = await recipients(db, companyId, campaignId)
    .selectAll()
    .where('status', '=', 'pending')
    .where('due_at', '<=', at)
    .orderBy('due_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row && toRecipient(row)
}

/** When the next pending recipient is due after this time. */
export async function nextDueAt(db: Db, companyId: CompanyId, campaignId: string, after: number) {
  const row = await recipients(db, companyId, campaignId)
    .select('due_at')
    .where('status', '=', 'pending')
    .where('due_at', '>', after)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return row?.due_at
}

/** All pending recipients with these time zones that are due before `until`. */
export async function postpone(
  db: Db,
  companyId: CompanyId,
  campaignId: string,
  { zones, until }: { zones: readonly string[]; until: number },
): Promise<void> {
  await db
    .updateTable('ai_campaign_recipient')
    .set({ due_at: until })
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', campaignId)
    .where('status', '=', 'pending')
    .where('due_at', '<', until)
    .where('zones', '=', JSON.stringify(zones))
    .execute()
}

/** Calling hours or delays have changed: pending recipients are due when they would have been with the new ones. */
export async function rescheduleRecipients(
  db: Db,
  companyId: CompanyId,
  campaignId: string,
  { no_answer, busy, voicemail }: RetryDelays,
  at: number,
): Promise<void> {
  const pending = db
    .updateTable('ai_campaign_recipient')
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', campaignId)
    .where('status', '=', 'pending')
  await pending.set({ due_at: at }).where('attempts', '=', 0).where('refusals', '=', 0).execute()
  const delays: [CallOutcome[], number | null][] = [
    [['no_answer', 'failed'], no_answer],
    [['busy'], busy],
    [['voicemail'], voicemail],
  ]
  for (const [outcomes, seconds] of delays) {
    if (seconds === null) continue
    await pending
      .set(({ eb }) => ({ due_at: eb('updated_at', '+', seconds * 1_000) }))
      .where('attempts', '>', 0)
      .where('last_outcome', 'in', outcomes)
      .execute()
  }
}

/** A call to the recipient has been queued. */
export async function startAttempt(
  db: Db,
  companyId: CompanyId,
  { id, attempts }: CampaignRecipient,
  outboundCallId: string,
  at: number,
): Promise<void> {
  await db
    .updateTable('ai_campaign_recipient')
    .set({ status: 'calling', attempts: attempts + 1, outbound_call_id: outboundCallId, updated_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

/** Undefined if the call is not the last attempt of the recipient. */
export async function recipientOfCall(
  db: Db,
  companyId: CompanyId,
  recipientId: number,
  outboundCallId: string,
): Promise<CampaignRecipient | undefined> {
  const row = await db
    .selectFrom('ai_campaign_recipient')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', recipientId)
    .where('outbound_call_id', '=', outboundCallId)
    .where('status', '=', 'calling')
    .executeTakeFirst()
  return row && toRecipient(row)
}

export async function setProgress(
  db: Db,
  companyId: CompanyId,
  id: number,
  progress: RecipientProgress & { outcome?: CallOutcome; callId?: number | null },
  at: number,
): Promise<CampaignRecipient> {
  const { status, attempts, dueAt, refusals, outcome, callId } = progress
  const row = await db
    .updateTable('ai_campaign_recipient')
    .set({
      status,
      attempts,
      due_at: dueAt,
      updated_at: at,
      ...(refusals !== undefined && { refusals }),
      ...(outcome !== undefined && { last_outcome: outcome }),
      ...(callId !== undefined && callId !== null && { call_id: callId }),
    })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRecipient(row)
}

/** Pending recipients of a campaign that is cancelled or has expired. */
export async function closePending(
  db: Db,
  companyId: CompanyId,
  campaignId: string,
  status: 'cancelled' | 'expired',
  at: number,
): Promise<void> {
  await db
    .updateTable('ai_campaign_recipient')
    .set({ status, updated_at: at })
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', campaignId)
    .where('status', '=', 'pending')
    .execute()
}

/** Recipients whose queued calls were withdrawn are pending again, as if the attempt had not been started. */
export async function withdrawAttempts(
  db: Db,
  companyId: CompanyId,
  outboundCallIds: readonly string[],
  at: number,
): Promise<void> {
  if (outboundCallIds.length === 0) return
  await db
    .updateTable('ai_campaign_recipient')
    .set(({ eb }) => ({ status: 'pending', attempts: eb('attempts', '-', 1), due_at: at, updated_at: at }))
    .where('company_id', '=', companyId)
    .where('outbound_call_id', 'in', outboundCallIds)
    .where('status', '=', 'calling')
    .execute()
}

/**
 * The people of these numbers were erased: those who are waiting are not called, and only the number is kept, as in
 * calls. Without time zones, a recipient who is being called now gets no further attempt. Returns how many waited.
 */
export async function eraseRecipients(
  db: Db,
  companyId: CompanyId,
  phones: readonly string[],
  at: number,
): Promise<number> {
  const ids = db.selectFrom('ai_campaign').select('id').where('company_id', '=', companyId)
  const theirs = db
    .updateTable('ai_campaign_recipient')
    .where('company_id', '=', companyId)
    .where('campaign_id', 'in', ids)
    .where('phone', 'in', phones)
  const cancelled = await theirs
    .set({ status: 'cancelled', updated_at: at })
    .where('status', '=', 'pending')
    .executeTakeFirst()
  await theirs.set({ name: null, time_zone: null, zones: '[]', context: '{}' }).execute()
  return Number(cancelled.numUpdatedRows)
}
