import type { Db } from '../../../db/database.ts'
import { idsFromJson, lockRow } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { emailKey } from '../../../domain/email.ts'
import { lockCompany } from '../companies/store.ts'
import { live, type NewUser, toUser, type User, userColumns } from './store.ts'

// Several users with one statement per table.

export interface ImportedUser extends NewUser {
  /** Null: the next free one. */
  extension: string | null
  teamIds: readonly number[]
}

/** Returns their ids in order. Throws a duplicate error if an address is taken in the company. */
export async function insertUsers(
  db: Db,
  companyId: CompanyId,
  users: readonly ImportedUser[],
  at: number,
): Promise<number[]> {
  const extensions = await freeExtensions(db, companyId, users)
  const inserted = await db
    .insertInto('user')
    .values(
      users.map((user, i) => ({
        company_id: companyId,
        email: user.email,
        email_key: emailKey(user.email),
        first_name: user.firstName,
        last_name: user.lastName,
        language: user.language,
        time_zone: user.timeZone,
        wrap_up_time: user.wrapUpTime,
        extension: extensions[i] ?? '',
        availability_status: user.status,
        reason: null,
        default_number_id: null,
        working_hours: null,
        confirmed_at: user.confirmedAt,
        created_at: at,
        deleted_at: null,
      })),
    )
    .returning('id')
    .execute()
  // Ids are assigned in the order of the rows; the order of returned rows is not defined.
  const ids = inserted.map(({ id }) => id).sort((a, b) => a - b)
  const roles = users.flatMap((user, i) =>
    [...new Set(user.roles)].map((role) => ({ user_id: ids[i] ?? 0, company_id: companyId, role })),
  )
  await db.insertInto('user_role').values(roles).execute()
  const members = users.flatMap((user, i) =>
    [...new Set(user.teamIds)].map((team_id) => ({
      team_id,
      user_id: ids[i] ?? 0,
      company_id: companyId,
      added_at: at,
    })),
  )
  if (members.length > 0) await db.insertInto('team_member').values(members).execute()
  return ids
}

/** Chosen ones stay; the others follow the highest of the company. Locking the company prevents duplicates. */
async function freeExtensions(
  db: Db,
  companyId: CompanyId,
  users: readonly { extension: string | null }[],
): Promise<string[]> {
  await lockCompany(db, companyId)
  const rows = await db.selectFrom('user').select('extension').where('company_id', '=', companyId).execute()
  const chosen = users.flatMap(({ extension }) => extension ?? [])
  let next = [...rows.map(({ extension }) => extension), ...chosen].reduce((max, one) => Math.max(max, Number(one)), 0)
  return users.map(({ extension }) => extension ?? String(++next).padStart(3, '0'))
}

/** Addresses and extensions in use, in lower case. */
export async function takenNames(db: Db, companyId: CompanyId) {
  const rows = await live(db, companyId).select(['id', 'email_key', 'extension']).execute()
  return {
    emails: new Map(rows.map(({ id, email_key }) => [email_key, id])),
    extensions: new Set(rows.map(({ extension }) => extension)),
  }
}

/** In the order of their ids, so that two transactions never wait for each other. Returns those that exist. */
export async function lockUsers(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<User[]> {
  const mine = live(db, companyId)
    .select(userColumns)
    .where('id', 'in', idsFromJson(db, JSON.stringify(ids)) as never)
    .orderBy('id')
  return (await lockRow(db, mine).execute()).map(toUser)
}

export async function teamsByName(db: Db, companyId: CompanyId): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('team')
    .select(['id', 'name_key', 'name'])
    .where('company_id', '=', companyId)
    .execute()
  return new Map(rows.map(({ id, name_key, name }) => [name_key ?? name.trim().toLowerCase(), id]))
}
