import { randomUUID } from 'node:crypto'
import type { Db } from '../../../db/database.ts'
import type { CompanyId, NumberTable } from '../../../db/tables.ts'
import type { Flow } from '../../../domain/flow/document.ts'
import { flowOf, publishFlow, withFlow } from '../../accounts/index.ts'

/** Whether an active call is on the Number now. */
export async function hasActiveCall(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  const call = await db
    .selectFrom('live_call')
    .innerJoin('call', 'call.id', 'live_call.call_id')
    .select('call.id')
    .where('live_call.company_id', '=', companyId)
    .where('call.number_id', '=', id)
    .where('call.ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return call !== undefined
}

export type NewNumber = Omit<NumberTable, 'id' | 'company_id' | 'flow_version'>

/** Throws a duplicate error when the digits are in use. */
export async function insertNumber(db: Db, companyId: CompanyId, number: NewNumber, flow: Flow): Promise<number> {
  const { id } = await db
    .insertInto('number')
    .values({ ...number, company_id: companyId, flow_version: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await publishFlow(db, companyId, id, flow, 1, number.created_at)
  return id
}

/** Past calls go on showing it, so it is kept as it was. */
export async function deleteNumber(db: Db, companyId: CompanyId, id: number, at: number): Promise<void> {
  const row = await withFlow(db, companyId).where('number.id', '=', id).executeTakeFirst()
  if (row) {
    const { document, ...columns } = row
    const data = JSON.stringify([columns, document])
    await db.insertInto('past_number').values({ id, company_id: companyId, data, deleted_at: at }).execute()
  }
  await db.deleteFrom('number').where('company_id', '=', companyId).where('id', '=', id).execute()
  await db
    .updateTable('user')
    .set({ default_number_id: null })
    .where('company_id', '=', companyId)
    .where('default_number_id', '=', id)
    .execute()
}

/** A Number that only past calls show. Its digits may be in use. */
export async function insertPastNumber(
  db: Db,
  companyId: CompanyId,
  number: NewNumber,
  flow: Flow,
  at: number,
): Promise<number> {
  const id = await insertNumber(db, companyId, { ...number, digits: `past:${randomUUID()}` }, flow)
  const row = await withFlow(db, companyId).where('number.id', '=', id).executeTakeFirstOrThrow()
  const { document, ...columns } = row
  const data = JSON.stringify([{ ...columns, digits: number.digits }, document])
  await db.insertInto('past_number').values({ id, company_id: companyId, data, deleted_at: at }).execute()
  await db.deleteFrom('number').where('company_id', '=', companyId).where('id', '=', id).execute()
  return id
}

export function flowVersions(db: Db, companyId: CompanyId, numberId: number) {
  return db
    .selectFrom('flow_version')
    .select(['version', 'created_at', 'document'])
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .orderBy('version', 'desc')
    .limit(200)
    .execute()
}

/** What the Number said before this version, the newest first. */
export async function earlierFlows(db: Db, companyId: CompanyId, numberId: number, version: number): Promise<Flow[]> {
  const rows = await db
    .selectFrom('flow_version')
    .select('document')
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .where('version', '<', version)
    .orderBy('version', 'desc')
    .limit(20)
    .execute()
  return rows.map(({ document }) => flowOf(document))
}

export function findDraft(db: Db, companyId: CompanyId, numberId: number) {
  return db
    .selectFrom('flow_draft')
    .select(['document', 'updated_at'])
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .executeTakeFirst()
}

export async function saveDraft(db: Db, companyId: CompanyId, numberId: number, document: string, at: number) {
  await db
    .insertInto('flow_draft')
    .values({ number_id: numberId, company_id: companyId, document, updated_at: at })
    .onConflict((conflict) => conflict.column('number_id').doUpdateSet({ document, updated_at: at }))
    .execute()
}

export async function deleteDraft(db: Db, companyId: CompanyId, numberId: number): Promise<void> {
  await db.deleteFrom('flow_draft').where('company_id', '=', companyId).where('number_id', '=', numberId).execute()
}

export async function replaceLinkedUsers(db: Db, companyId: CompanyId, numberId: number, userIds: readonly number[]) {
  await db.deleteFrom('number_user').where('company_id', '=', companyId).where('number_id', '=', numberId).execute()
  const rows = [...new Set(userIds)].map((user_id) => ({ number_id: numberId, user_id, company_id: companyId }))
  if (rows.length > 0) await db.insertInto('number_user').values(rows).execute()
}

export async function explicitUserIds(db: Db, companyId: CompanyId, numberId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('number_user')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
