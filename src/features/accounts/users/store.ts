import { type Selectable, sql, type Updateable } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, jsonObject, jsonRows, lockRow } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { JsonSubquery } from '../../../db/piece.ts'
import type { CompanyId, Role, UserTable } from '../../../db/tables.ts'
import type { AvailabilityStatus, AwayReason } from '../../../domain/availability.ts'
import { emailKey } from '../../../domain/email.ts'
import type { Schedule } from '../../../domain/opening-hours.ts'
import type { Window } from '../../../http/paging.ts'
import { lockCompany } from '../companies/store.ts'

export const callSounds = ['standard', 'robust'] as const

export type CallSound = (typeof callSounds)[number]

/** Of an invited user, until it is set or the user signs in. */
export const initialTimeZone = 'Etc/UTC'

export interface User {
  id: number
  companyId: CompanyId
  email: string
  firstName: string
  lastName: string
  language: string
  timeZone: string
  wrapUpTime: number
  extension: string
  status: AvailabilityStatus
  reason: AwayReason | null
  /** When do not disturb ends by itself; null without an end. */
  unavailableUntil: number | null
  /** The status that follows. */
  resumeStatus: 'available' | 'custom' | null
  defaultNumberId: number | null
  workingHours: Schedule | null
  callSound: CallSound
  confirmed: boolean
  /** False: deactivated, neither signs in nor is called. */
  active: boolean
  /** Whether the phone app is open. */
  connected: boolean
  inCall: boolean
  afterCallWork: boolean
  createdAt: number
}

export const userColumns = [
  'id',
  'company_id',
  'email',
  'first_name',
  'last_name',
  'language',
  'time_zone',
  'wrap_up_time',
  'extension',
  'availability_status',
  'reason',
  'unavailable_until',
  'resume_status',
  'default_number_id',
  'working_hours',
  'call_sound',
  'confirmed_at',
  'deactivated_at',
  'created_at',
  'sessions',
  'in_call',
  'wrap_up_call_id',
] as const

type Row = Selectable<Pick<UserTable, (typeof userColumns)[number]>>

export function toUser(row: Row): User {
  return {
    id: row.id,
    companyId: row.company_id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    language: row.language,
    timeZone: row.time_zone,
    wrapUpTime: row.wrap_up_time,
    extension: row.extension,
    status: row.availability_status,
    reason: row.reason as AwayReason | null,
    unavailableUntil: row.unavailable_until,
    resumeStatus: row.resume_status,
    defaultNumberId: row.default_number_id,
    workingHours: row.working_hours === null ? null : JSON.parse(row.working_hours),
    callSound: row.call_sound,
    confirmed: row.confirmed_at !== null,
    active: row.deactivated_at === null,
    connected: row.sessions > 0,
    inCall: row.in_call > 0,
    afterCallWork: row.wrap_up_call_id !== null,
    createdAt: row.created_at,
  }
}

export const live = (db: Db, companyId: CompanyId) =>
  db.selectFrom('user').where('company_id', '=', companyId).where('deleted_at', 'is', null)

/** By id or email address, as in paths. */
export async function findUser(db: Db, companyId: CompanyId, ref: number | string): Promise<User | undefined> {
  const wanted = live(db, companyId).select(userColumns)
  const row = await (typeof ref === 'number'
    ? wanted.where('id', '=', ref)
    : wanted.where('email_key', '=', emailKey(ref))
  ).executeTakeFirst()
  return row && toUser(row)
}

export async function userByExtension(db: Db, companyId: CompanyId, extension: string): Promise<number | undefined> {
  const row = await live(db, companyId).select('id').where('extension', '=', extension).executeTakeFirst()
  return row?.id
}

/** Locked until the transaction ends, so that changes to a user are serialized. */
export async function lockUser(db: Db, companyId: CompanyId, id: number): Promise<User | undefined> {
  const row = await lockRow(db, live(db, companyId).select(userColumns).where('id', '=', id)).executeTakeFirst()
  return row && toUser(row)
}

export async function usersById(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Map<number, User>> {
  if (ids.length === 0) return new Map()
  const [found] = await byIds(db, { companyId, ids: JSON.stringify([...new Set(ids)]) })
  return new Map(usersAmong.read(found?.users ?? '[]').map((user) => [user.id, user]))
}

const byIds = hotQuery((db, { companyId, ids }: { companyId: CompanyId; ids: string }) =>
  sql<{ users: string }>`select ${usersAmong.value(db, companyId, ids)} as users`.compile(db),
)

/** By ids. */
export const usersAmong: JsonSubquery<User[]> = {
  value: (db, companyId, ids) => sql`(
    select cast(${jsonRows(db, jsonObject(db, 'u', userColumns), sql`u.id`)} as text) from ${sql.table('user')} as u
    where u.id in ${idsFromJson(db, ids)} and +u.company_id = ${companyId} and u.deleted_at is null)`,
  read(value) {
    const rows: Row[] = JSON.parse(value)
    return rows.map(toUser)
  },
}

export async function allUsers(db: Db, companyId: CompanyId): Promise<User[]> {
  const rows = await live(db, companyId).select(userColumns).orderBy('created_at').orderBy('id').execute()
  return rows.map(toUser)
}

export async function pageOfUsers(db: Db, companyId: CompanyId, window: Window) {
  let mine = live(db, companyId)
  if (window.from !== undefined) mine = mine.where('created_at', '>=', window.from)
  if (window.to !== undefined) mine = mine.where('created_at', '<=', window.to)
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await mine
    .select(userColumns)
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { users: rows.map(toUser), total }
}

export interface NewUser {
  email: string
  firstName: string
  lastName: string
  language: string
  timeZone: string
  status: AvailabilityStatus
  wrapUpTime: number
  roles: readonly Role[]
  confirmedAt: number | null
}

/** Throws a duplicate error if the address is taken in the company. */
export async function insertUser(db: Db, companyId: CompanyId, user: NewUser, at: number): Promise<number> {
  const { id } = await db
    .insertInto('user')
    .values({
      company_id: companyId,
      email: user.email,
      email_key: emailKey(user.email),
      first_name: user.firstName,
      last_name: user.lastName,
      language: user.language,
      time_zone: user.timeZone,
      wrap_up_time: user.wrapUpTime,
      extension: await nextExtension(db, companyId),
      availability_status: user.status,
      reason: null,
      default_number_id: null,
      working_hours: null,
      confirmed_at: user.confirmedAt,
      created_at: at,
      deleted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await replaceRoles(db, companyId, id, user.roles)
  return id
}

/** Sequential per company; locking the company prevents duplicates. */
async function nextExtension(db: Db, companyId: CompanyId): Promise<string> {
  await lockCompany(db, companyId)
  const rows = await db.selectFrom('user').select('extension').where('company_id', '=', companyId).execute()
  const highest = rows.reduce((max, { extension }) => Math.max(max, Number(extension)), 0)
  return String(highest + 1).padStart(3, '0')
}

export async function isEmailTaken(db: Db, companyId: CompanyId, email: string): Promise<boolean> {
  const row = await live(db, companyId).select('id').where('email_key', '=', emailKey(email)).executeTakeFirst()
  return row !== undefined
}

export type UserChange = Partial<
  Pick<
    Updateable<UserTable>,
    | 'first_name'
    | 'last_name'
    | 'wrap_up_time'
    | 'availability_status'
    | 'unavailable_until'
    | 'resume_status'
    | 'reason'
    | 'default_number_id'
    | 'working_hours'
    | 'call_sound'
    | 'time_zone'
    | 'language'
    | 'confirmed_at'
    | 'deactivated_at'
    | 'extension'
  >
>

export async function updateUser(db: Db, companyId: CompanyId, id: number, change: UserChange): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db.updateTable('user').set(change).where('company_id', '=', companyId).where('id', '=', id).execute()
}

export async function rolesOf(db: Db, companyId: CompanyId, id: number): Promise<Role[]> {
  const rows = await db
    .selectFrom('user_role')
    .select('role')
    .where('company_id', '=', companyId)
    .where('user_id', '=', id)
    .execute()
  return rows.map(({ role }) => role)
}

/** For a whole page at once. */
export async function rolesOfUsers(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Map<number, Role[]>> {
  const roles = new Map<number, Role[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return roles
  const rows = await db
    .selectFrom('user_role')
    .select(['user_id', 'role'])
    .where('company_id', '=', companyId)
    .where('user_id', 'in', ids)
    .execute()
  for (const { user_id, role } of rows) roles.get(user_id)?.push(role)
  return roles
}

export async function replaceRoles(db: Db, companyId: CompanyId, id: number, roles: readonly Role[]): Promise<void> {
  await db.deleteFrom('user_role').where('company_id', '=', companyId).where('user_id', '=', id).execute()
  const rows = [...new Set(roles)].map((role) => ({ user_id: id, company_id: companyId, role }))
  if (rows.length > 0) await db.insertInto('user_role').values(rows).execute()
}

/** Owners and admins, and the given user: the recipients of emails about an object. */
export async function adminsAndCreator(db: Db, companyId: CompanyId, alsoUserId: number | null): Promise<User[]> {
  const rows = await db
    .selectFrom('user_role')
    .select('user_id')
    .where('company_id', '=', companyId)
    .where('role', 'in', ['owner', 'admin'])
    .execute()
  const ids = new Set([...rows.map(({ user_id }) => user_id), ...(alsoUserId === null ? [] : [alsoUserId])])
  return [...(await usersById(db, companyId, [...ids])).values()].filter(({ active }) => active)
}

/** Deactivated owners do not count. Locks the company first, so that two owners cannot demote each other concurrently. */
export async function isLastOwner(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  await lockCompany(db, companyId)
  const owners = await db
    .selectFrom('user_role')
    .innerJoin('user', 'user.id', 'user_role.user_id')
    .select('user_role.user_id')
    .where('user_role.company_id', '=', companyId)
    .where('user_role.role', '=', 'owner')
    .where('user.deleted_at', 'is', null)
    .where('user.deactivated_at', 'is', null)
    .execute()
  return owners.length === 1 && owners[0]?.user_id === id
}

export async function insertInvitation(
  db: Db,
  companyId: CompanyId,
  invitation: {
    kind?: 'invitation' | 'reset'
    userId: number
    tokenHash: string
    createdAt: number
    expiresAt: number
  },
): Promise<void> {
  await db
    .insertInto('invitation')
    .values({
      kind: invitation.kind ?? 'invitation',
      company_id: companyId,
      user_id: invitation.userId,
      token_hash: invitation.tokenHash,
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
      used_at: null,
    })
    .execute()
}

const tablesOfUser = [
  'session',
  'phone_session',
  'device',
  'call_forwarding',
  'team_member',
  'number_user',
  'dialer_campaign',
] as const

/** The users can no longer be found; the erasing job deletes the data. */
export async function markUsersDeleted(
  db: Db,
  companyId: CompanyId,
  ids: readonly number[],
  at: number,
): Promise<void> {
  const wanted = idsFromJson(db, JSON.stringify(ids)) as never
  for (const table of tablesOfUser) {
    await db.deleteFrom(table).where('company_id', '=', companyId).where('user_id', 'in', wanted).execute()
  }
  await db
    .updateTable('user')
    .set({ deleted_at: at })
    .where('company_id', '=', companyId)
    .where('id', 'in', wanted)
    .execute()
}

/** Deletes every row about the users; other rows keep only the ids. */
export async function eraseUsers(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<void> {
  const wanted = idsFromJson(db, JSON.stringify(ids)) as never
  for (const table of ['mail', 'scheduled_report_recipient'] as const) {
    await db.deleteFrom(table).where('company_id', '=', companyId).where('user_id', 'in', wanted).execute()
  }
  await db
    .deleteFrom('user')
    .where('company_id', '=', companyId)
    .where('id', 'in', wanted)
    .where('deleted_at', 'is not', null)
    .execute()
}
