import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

export interface WrapUp {
  callId: number
  /** Null while only a tag can end it. */
  until: number | null
  needsTag: boolean
}

export async function wrapUpOf(db: Db, companyId: CompanyId, userId: number): Promise<WrapUp | null> {
  const row = await db
    .selectFrom('user')
    .select(['wrap_up_call_id', 'wrap_up_until', 'wrap_up_tag'])
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!row || row.wrap_up_call_id === null) return null
  return { callId: row.wrap_up_call_id, until: row.wrap_up_until, needsTag: row.wrap_up_tag === 1 }
}

export async function hasCallWaiting(db: Db, companyId: CompanyId, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('user')
    .select('call_waiting')
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.call_waiting === 1
}

export async function setCallWaiting(db: Db, companyId: CompanyId, userId: number, isOn: boolean): Promise<void> {
  await db
    .updateTable('user')
    .set({ call_waiting: isOn ? 1 : 0 })
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .execute()
}
