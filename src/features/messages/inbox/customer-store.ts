import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Call, callsById } from '../../calls/index.ts'
import { type Conversation, conversationRows } from './conversations-store.ts'
import type { Visibility } from './store.ts'

// Everything with one external number: its conversations with the Numbers of the company, and its calls.

export async function conversationsWith(
  db: Db,
  companyId: CompanyId,
  external: string,
  visibility: Visibility,
): Promise<Conversation[]> {
  const numbers = db.selectFrom('number').select('id').where('company_id', '=', companyId)
  let query = db
    .selectFrom('conversation')
    .selectAll()
    .where(unindexed('company_id'), '=', companyId)
    .where('number_id', 'in', numbers)
    .where('who', '=', external)
  if (visibility !== 'all') {
    const own = idsFromJson(db, JSON.stringify(visibility.numberIds))
    query = query.where(sql<boolean>`(${unindexed('number_id')} in ${own} or assigned_user_id = ${visibility.userId})`)
  }
  return (await query.execute()).map(conversationRows.read)
}

/** Newest first: calls on Numbers of the user, and calls of the user. */
export async function callsWith(
  db: Db,
  companyId: CompanyId,
  digits: string,
  visibility: Visibility,
  { before, since, limit }: { before: { at: number; id: number } | undefined; since: number; limit: number },
): Promise<Call[]> {
  let query = db
    .selectFrom('call')
    .select('id')
    .where('company_id', '=', companyId)
    .where('external_digits', '=', digits)
    .where('started_at', '>=', since)
  if (visibility !== 'all') {
    const own = idsFromJson(db, JSON.stringify(visibility.numberIds))
    const { userId } = visibility
    query = query.where(
      sql<boolean>`(${unindexed('number_id')} in ${own} or ${unindexed('user_id')} = ${userId}
        or ${unindexed('assigned_to')} = ${userId} or ${unindexed('transferred_by')} = ${userId}
        or ${unindexed('transferred_to')} = ${userId})`,
    )
  }
  if (before) query = query.where(sql<boolean>`(started_at, id) < (${before.at}, ${before.id})`)
  const rows = await query.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute()
  const ids = rows.map(({ id }) => id)
  const calls = await callsById(db, companyId, ids)
  return ids.flatMap((id) => calls.get(id) ?? [])
}
