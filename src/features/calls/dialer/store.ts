import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { lockUser } from '../../accounts/index.ts'

export interface Campaign {
  id: number
  /** The default number of the user when the campaign was created. */
  numberId: number | null
  createdAt: number
}

export interface CampaignNumber {
  id: number
  number: string
  called: boolean
  createdAt: number
}

const campaignsOf = (db: Db, companyId: CompanyId, userId: number) =>
  db.selectFrom('dialer_campaign').where('company_id', '=', companyId).where('user_id', '=', userId)

/** The active campaign of a user. */
export async function findCampaign(db: Db, companyId: CompanyId, userId: number): Promise<Campaign | undefined> {
  const row = await campaignsOf(db, companyId, userId)
    .select(['id', 'number_id', 'created_at'])
    .where('active', '=', 1)
    .executeTakeFirst()
  return row && { id: row.id, numberId: row.number_id, createdAt: row.created_at }
}

/** The active campaign, otherwise the last finished one, which can be read until the next one or its deletion. */
export async function latestCampaign(db: Db, companyId: CompanyId, userId: number): Promise<Campaign | undefined> {
  const row = await campaignsOf(db, companyId, userId)
    .select(['id', 'number_id', 'created_at'])
    .orderBy('active', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { id: row.id, numberId: row.number_id, createdAt: row.created_at }
}

/** The next campaign replaces finished ones. */
export async function deleteFinishedCampaigns(db: Db, companyId: CompanyId, userId: number): Promise<void> {
  await db
    .deleteFrom('dialer_campaign')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('active', '=', 0)
    .execute()
}

const numbersOf = (db: Db, companyId: CompanyId, campaignId: number) =>
  db.selectFrom('dialer_number').where('company_id', '=', companyId).where('campaign_id', '=', campaignId)

/** In the order they were queued. */
export async function listNumbers(db: Db, companyId: CompanyId, campaignId: number): Promise<CampaignNumber[]> {
  const rows = await numbersOf(db, companyId, campaignId)
    .select(['id', 'number', 'called', 'created_at'])
    .orderBy('id')
    .execute()
  return rows.map(({ id, number, called, created_at }) => ({ id, number, called: called === 1, createdAt: created_at }))
}

/** The given numbers that are still queued. */
export async function queuedAmong(
  db: Db,
  companyId: CompanyId,
  campaignId: number,
  numbers: readonly string[],
): Promise<Set<string>> {
  const rows = await numbersOf(db, companyId, campaignId)
    .select('number')
    .where('called', '=', 0)
    .where('number', 'in', numbers)
    .execute()
  return new Set(rows.map(({ number }) => number))
}

/** Throws a duplicate error if the user has an active campaign. */
export async function insertCampaign(
  db: Db,
  companyId: CompanyId,
  user: { id: number; defaultNumberId: number | null },
  at: number,
): Promise<number> {
  const { id } = await db
    .insertInto('dialer_campaign')
    .values({
      company_id: companyId,
      user_id: user.id,
      number_id: user.defaultNumberId,
      active: 1,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function insertNumbers(
  db: Db,
  companyId: CompanyId,
  campaignId: number,
  numbers: readonly string[],
  at: number,
): Promise<void> {
  const rows = numbers.map((number) => ({
    campaign_id: campaignId,
    company_id: companyId,
    number,
    called: 0 as const,
    created_at: at,
  }))
  await db.insertInto('dialer_number').values(rows).execute()
}

/** Its numbers are deleted with it. */
export async function deleteCampaign(db: Db, companyId: CompanyId, campaignId: number): Promise<void> {
  await db.deleteFrom('dialer_campaign').where('company_id', '=', companyId).where('id', '=', campaignId).execute()
}

/** False if the number is not in this campaign. */
export async function deleteDialerNumber(
  db: Db,
  companyId: CompanyId,
  campaignId: number,
  id: number,
): Promise<boolean> {
  const result = await db
    .deleteFrom('dialer_number')
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', campaignId)
    .where('id', '=', id)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/**
 * Marks a number as called by the user. Requires a transaction. Returns true if it was queued, so that the phone app of
 * the user must be notified after the commit.
 */
export async function markCalled(db: Db, companyId: CompanyId, userId: number, number: string): Promise<boolean> {
  // Most calls belong to no campaign and need not lock the user.
  if (!(await findCampaign(db, companyId, userId))) return false
  await lockUser(db, companyId, userId)
  const campaign = await findCampaign(db, companyId, userId)
  if (!campaign) return false
  const result = await db
    .updateTable('dialer_number')
    .set({ called: 1 })
    .where('company_id', '=', companyId)
    .where('campaign_id', '=', campaign.id)
    .where('called', '=', 0)
    .where('number', '=', number)
    .executeTakeFirst()
  if (result.numUpdatedRows === 0n) return false
  await closeIfDone(db, companyId, campaign.id)
  return true
}

/** A campaign is finished when all its numbers were called; one without numbers stays active. */
export async function closeIfDone(db: Db, companyId: CompanyId, campaignId: number): Promise<void> {
  const next = await numbersOf(db, companyId, campaignId).select('called').orderBy('called').limit(1).executeTakeFirst()
  if (next?.called !== 1) return
  await db
    .updateTable('dialer_campaign')
    .set({ active: 0 })
    .where('company_id', '=', companyId)
    .where('id', '=', campaignId)
    .execute()
}

/** Deletes called numbers; the campaign stays. */
export async function deleteCalledNumbers(db: Db, before: number): Promise<void> {
  await db.deleteFrom('dialer_number').where('called', '=', 1).where('created_at', '<', before).execute()
}
