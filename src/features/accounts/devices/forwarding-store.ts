import type { Db } from '../../../db/database.ts'
import type { CallForwardingTable, CompanyId } from '../../../db/tables.ts'

/** The mobile number to which calls of a user are forwarded: when nothing of the user is online, or always. */
export interface CallForwarding {
  mode: CallForwardingTable['mode']
  phone: string
}

export async function findForwarding(
  db: Db,
  companyId: CompanyId,
  userId: number,
): Promise<CallForwarding | undefined> {
  return db
    .selectFrom('call_forwarding')
    .select(['mode', 'phone'])
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

export async function saveForwarding(
  db: Db,
  companyId: CompanyId,
  userId: number,
  { mode, phone }: CallForwarding,
  at: number,
): Promise<void> {
  const change = { mode, phone, changed_at: at }
  await db
    .insertInto('call_forwarding')
    .values({ user_id: userId, company_id: companyId, ...change })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(change))
    .execute()
}

export async function deleteForwarding(db: Db, companyId: CompanyId, userId: number): Promise<void> {
  await db.deleteFrom('call_forwarding').where('company_id', '=', companyId).where('user_id', '=', userId).execute()
}
