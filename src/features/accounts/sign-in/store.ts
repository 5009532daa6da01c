import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { notify } from '../../../db/dialect.ts'
import type { CompanyId, SignInMethod } from '../../../db/tables.ts'
import { emailKey } from '../../../domain/email.ts'

// Passwords, browser sessions, and the links sent by email.

/** Payload `<company>:<user>` when sessions of a user have ended: their sockets are checked. */
export const sessionsChannel = 'sessions_ended'

export interface Account {
  companyId: CompanyId
  userId: number
  passwordHash: string | null
  /** False: deactivated. */
  active: boolean
}

/** One address can have an account in several companies. */
export async function accountsOf(db: Db, email: string): Promise<Account[]> {
  const rows = await db
    .selectFrom('user')
    .innerJoin('company', 'company.id', 'user.company_id')
    .select(['user.id', 'user.company_id', 'user.password_hash', 'user.deactivated_at'])
    .where('user.email_key', '=', emailKey(email))
    .where('user.deleted_at', 'is', null)
    .where('company.active', '=', 1)
    .orderBy('user.id')
    .execute()
  return rows.map((row) => ({
    companyId: row.company_id,
    userId: row.id,
    passwordHash: row.password_hash,
    active: row.deactivated_at === null,
  }))
}

export async function passwordHashOf(db: Db, companyId: CompanyId, userId: number): Promise<string | null> {
  const row = await db
    .selectFrom('user')
    .select('password_hash')
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.password_hash ?? null
}

export async function setPassword(db: Db, companyId: CompanyId, userId: number, hash: string): Promise<void> {
  await db
    .updateTable('user')
    .set({ password_hash: hash })
    .where('company_id', '=', companyId)
    .where('id', '=', userId)
    .execute()
}

export interface NewSessionRow {
  idHash: string
  userId: number
  csrfHash: string
  at: number
  address?: string
  userAgent?: string
  method?: SignInMethod
}

export async function insertSession(db: Db, companyId: CompanyId, session: NewSessionRow): Promise<void> {
  await db
    .insertInto('session')
    .values({
      id_hash: session.idHash,
      company_id: companyId,
      user_id: session.userId,
      csrf_hash: session.csrfHash,
      created_at: session.at,
      seen_at: session.at,
      address: session.address ?? null,
      user_agent: session.userAgent?.slice(0, 400) ?? null,
      method: session.method ?? 'password',
    })
    .execute()
}

/** The company of a session, before it is known. */
export async function companyOfSession(db: Db, idHash: string): Promise<CompanyId | undefined> {
  const row = await db.selectFrom('session').select('company_id').where('id_hash', '=', idHash).executeTakeFirst()
  return row?.company_id
}

/** Deletes the session and returns its user. */
export async function deleteSession(db: Db, companyId: CompanyId, idHash: string): Promise<number | undefined> {
  const row = await db
    .deleteFrom('session')
    .where('company_id', '=', companyId)
    .where('id_hash', '=', idHash)
    .returning('user_id')
    .executeTakeFirst()
  if (row) await notify(db, sessionsChannel, `${companyId}:${row.user_id}`)
  return row?.user_id
}

/** All sessions of a user except the current one. */
export async function deleteSessionsOf(db: Db, companyId: CompanyId, userId: number, but = ''): Promise<void> {
  await db
    .deleteFrom('session')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('id_hash', '<>', but)
    .execute()
  await notify(db, sessionsChannel, `${companyId}:${userId}`)
}

export interface AccountLink {
  companyId: CompanyId
  userId: number
  kind: 'invitation' | 'reset'
}

const link = (row: { company_id: number; user_id: number; kind: AccountLink['kind'] }): AccountLink => ({
  companyId: row.company_id,
  userId: row.user_id,
  kind: row.kind,
})

/** A link that is still valid. */
export async function findLink(db: Db, tokenHash: string, now: number): Promise<AccountLink | undefined> {
  const row = await db
    .selectFrom('invitation')
    .select(['company_id', 'user_id', 'kind'])
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && link(row)
}

/** In one statement, so that only one of two concurrent uses succeeds. */
export async function useLink(db: Db, tokenHash: string, now: number): Promise<AccountLink | undefined> {
  const row = await db
    .updateTable('invitation')
    .set({ used_at: now })
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(['company_id', 'user_id', 'kind'])
    .executeTakeFirst()
  return row && link(row)
}

/** A new password invalidates all links sent before. */
export async function spendLinksOf(db: Db, companyId: CompanyId, userId: number, now: number): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ used_at: now })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

export interface Tries {
  tries: number
  endsAt: number
}

/** Attempts whose window has not ended. */
export async function signInAttempts(db: Db, who: readonly string[], now: number): Promise<Map<string, Tries>> {
  const rows = await db
    .selectFrom('sign_in_try')
    .select(['who', 'tries', 'ends_at'])
    .where('who', 'in', who)
    .where('ends_at', '>', now)
    .execute()
  return new Map(rows.map(({ who, tries, ends_at }) => [who, { tries, endsAt: ends_at }]))
}

/** Counts an attempt; the first one starts a window. */
export async function countAttempt(db: Db, who: string, now: number, windowMs: number): Promise<Tries> {
  const { rows } = await sql<{ tries: number; ends_at: number }>`
    insert into sign_in_try as t (who, tries, ends_at) values (${who}, 1, ${now + windowMs})
    on conflict (who) do update set
      tries = case when t.ends_at > ${now} then t.tries + 1 else 1 end,
      ends_at = case when t.ends_at > ${now} then t.ends_at else excluded.ends_at end
    returning tries, ends_at`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a counted attempt must exist')
  return { tries: row.tries, endsAt: row.ends_at }
}

export async function deleteAttempts(db: Db, who: string): Promise<void> {
  await db.deleteFrom('sign_in_try').where('who', '=', who).execute()
}

export async function uncountAttempt(db: Db, who: string): Promise<void> {
  await db
    .updateTable('sign_in_try')
    .set(({ eb }) => ({ tries: eb('tries', '-', 1) }))
    .where('who', '=', who)
    .where('tries', '>', 0)
    .execute()
}

export async function deleteOldAttempts(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sign_in_try').where('ends_at', '<=', now).execute()
}
