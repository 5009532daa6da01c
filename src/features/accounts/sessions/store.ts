import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { maxSessionMs } from '../../../http/session-cookie.ts'
import { idleLimit } from '../credentials/store.ts'

export interface OpenSession {
  idHash: string
  createdAt: number
  seenAt: number
  address: string | null
  userAgent: string | null
}

/** The valid sessions of a user, last used first. */
export async function openSessionsOf(
  db: Db,
  companyId: CompanyId,
  userId: number,
  now: number,
): Promise<OpenSession[]> {
  const rows = await db
    .selectFrom('session')
    .select(['id_hash', 'created_at', 'seen_at', 'address', 'user_agent'])
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('seen_at', '>', now - idleLimit)
    .where('created_at', '>', now - maxSessionMs)
    .orderBy('seen_at', 'desc')
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map((row) => ({
    idHash: row.id_hash,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    address: row.address,
    userAgent: row.user_agent,
  }))
}
