import type { Db } from '../../../db/database.ts'
import { unindexed } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId, MessageCallbackTable } from '../../../db/tables.ts'

// Callbacks about messages that bypass the inbox.

export type NewCallback = Pick<
  MessageCallbackTable,
  'number_id' | 'message_id' | 'event_name' | 'data' | 'asset_refs' | 'at'
>

export async function insertCallbacks(db: Db, companyId: CompanyId, callbacks: readonly NewCallback[]): Promise<void> {
  if (callbacks.length === 0) return
  const untried = { answer: null, problem: null, tried_at: null }
  await db
    .insertInto('message_callback')
    .values(callbacks.map((one) => ({ ...one, ...untried, company_id: companyId })))
    .execute()
}

const next = hotQuery((db, v: { companyId: CompanyId; numberId: number }) =>
  db
    .selectFrom('message_callback')
    .selectAll()
    .where(unindexed('company_id'), '=', v.companyId)
    .where('number_id', '=', v.numberId)
    .where('tried_at', 'is', null)
    .orderBy('id')
    .limit(1)
    .compile(),
)

export async function nextCallback(db: Db, companyId: CompanyId, numberId: number) {
  const [row] = await next(db, { companyId, numberId })
  return row
}

/** Across companies. */
export function linesWithCallbacks(db: Db) {
  return db
    .selectFrom('message_callback')
    .select(['company_id', 'number_id'])
    .where('tried_at', 'is', null)
    .groupBy(['company_id', 'number_id'])
    .execute()
}

/** False when another process claimed it first. */
export async function claimCallback(db: Db, companyId: CompanyId, id: number, at: number): Promise<boolean> {
  const done = await db
    .updateTable('message_callback')
    .set({ tried_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('tried_at', 'is', null)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

export async function recordResponse(
  db: Db,
  companyId: CompanyId,
  id: number,
  { answer, problem }: Pick<MessageCallbackTable, 'answer' | 'problem'>,
): Promise<void> {
  await db
    .updateTable('message_callback')
    .set({ answer, problem })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

/** Across companies: deletes callbacks past their retention. */
export async function deleteOldCallbacks(db: Db, before: number): Promise<void> {
  await db.deleteFrom('message_callback').where('tried_at', '<', before).execute()
}
