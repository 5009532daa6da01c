import type { Db } from '../../../db/database.ts'
import type { CompanyId, PhoneSessionTable } from '../../../db/tables.ts'

// Open phone apps, one row per window or tab, and registered devices.

export interface PhoneSession {
  id: string
  userId: number
  name: string
  kind: PhoneSessionTable['kind']
  owner: string
  at: number
}

/** Returns false if a session with this name is already open. */
export async function openSession(db: Db, companyId: CompanyId, session: PhoneSession): Promise<boolean> {
  const { id, userId, name, kind, owner, at } = session
  const row = { id, company_id: companyId, user_id: userId, name, kind, owner, opened_at: at, active_at: at }
  const made = await db
    .insertInto('phone_session')
    .values(row)
    .onConflict((conflict) => conflict.columns(['company_id', 'user_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

/** The kind of the session that was open. With `owner`, only while that process owns it. */
export async function closeSession(
  db: Db,
  companyId: CompanyId,
  userId: number,
  name: string,
  owner?: string,
): Promise<PhoneSession['kind'] | undefined> {
  let session = db
    .deleteFrom('phone_session')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('name', '=', name)
  if (owner !== undefined) session = session.where('owner', '=', owner)
  return (await session.returning('kind').executeTakeFirst())?.kind
}

/** Phone apps, devices and forwarding of a user; true if one was open. */
export async function closeSessionsOf(db: Db, companyId: CompanyId, userId: number): Promise<boolean> {
  const rows = await db
    .deleteFrom('phone_session')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .returning('id')
    .execute()
  return rows.length > 0
}

/** Sessions of all companies by what they stand for: phone apps, registered SIP devices, forwarding to mobile numbers. */
export async function countPhoneSessions(db: Db): Promise<{ phone: number; device: number; mobile: number }> {
  const rows = await db
    .selectFrom('phone_session')
    .select(({ fn }) => ['kind', fn.countAll<number>().as('n')])
    .groupBy('kind')
    .execute()
  const counts = { phone: 0, device: 0, mobile: 0 }
  for (const { kind, n } of rows) counts[kind === 'device' || kind === 'mobile' ? kind : 'phone'] += Number(n)
  return counts
}

/** Sessions of phone apps and of supervision windows in all processes. */
export async function socketSessions(db: Db) {
  return db
    .selectFrom('phone_session')
    .select(['company_id', 'user_id', 'name', 'owner'])
    .where('kind', 'in', ['socket', 'supervision'])
    .execute()
}
