import type { Db } from '../../../db/database.ts'
import type { BlockedCallerTable, CompanyId } from '../../../db/tables.ts'
import type { Window } from '../../../http/paging.ts'

export type BlockedCaller = Pick<
  BlockedCallerTable,
  'phone' | 'note' | 'rejected' | 'last_rejected_at' | 'created_at'
> & {
  id: number
}

const columns = ['id', 'phone', 'note', 'rejected', 'last_rejected_at', 'created_at'] as const

export async function pageOfBlockedCallers(db: Db, companyId: CompanyId, window: Window) {
  const { total } = await db
    .selectFrom('blocked_caller')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  const callers = await db
    .selectFrom('blocked_caller')
    .select(columns)
    .where('company_id', '=', companyId)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { callers, total: Number(total) }
}

export function findBlockedCaller(db: Db, companyId: CompanyId, id: number): Promise<BlockedCaller | undefined> {
  return db
    .selectFrom('blocked_caller')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export function insertBlockedCaller(
  db: Db,
  companyId: CompanyId,
  { phone, note, at }: { phone: string; note: string; at: number },
): Promise<BlockedCaller> {
  return db
    .insertInto('blocked_caller')
    .values({ company_id: companyId, phone, note, rejected: 0, last_rejected_at: null, created_at: at })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export async function updateBlockedNote(db: Db, companyId: CompanyId, id: number, note: string): Promise<void> {
  await db
    .updateTable('blocked_caller')
    .set({ note })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function deleteBlockedCaller(db: Db, companyId: CompanyId, id: number): Promise<void> {
  await db.deleteFrom('blocked_caller').where('company_id', '=', companyId).where('id', '=', id).execute()
}

/** Whether the company rejects the caller; counts the rejected call. */
export async function isBlockedCaller(db: Db, companyId: CompanyId, phone: string, at: number): Promise<boolean> {
  const row = await db
    .selectFrom('blocked_caller')
    .select('id')
    .where('company_id', '=', companyId)
    .where('phone', '=', phone)
    .executeTakeFirst()
  if (!row) return false
  await db
    .updateTable('blocked_caller')
    .set(({ eb }) => ({ rejected: eb('rejected', '+', 1), last_rejected_at: at }))
    .where('company_id', '=', companyId)
    .where('id', '=', row.id)
    .execute()
  return true
}
