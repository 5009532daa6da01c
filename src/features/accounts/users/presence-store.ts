import type { Db } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId, Flag } from '../../../db/tables.ts'
import type { Granular } from '../../../domain/availability.ts'
import { live, toUser, type User, userColumns } from './store.ts'

/** Presence of a user; `granular` is the last recorded state. */
export interface UserPresence {
  user: User
  sessions: number
  calls: number
  wrapUp: { callId: number; until: number | null; needsTag: boolean } | null
  /** Calls that ended while the user was on another one, in that order: their wrap-up follows. */
  pendingWrapUps: readonly number[]
  granular: Granular
  since: number
}

const presenceColumns = [
  ...userColumns,
  'wrap_up_until',
  'wrap_up_tag',
  'wrap_up_pending',
  'granular',
  'granular_since',
] as const

const presenceById = hotQuery((db, { companyId, id }: { companyId: CompanyId; id: number }) =>
  lockRow(db, live(db, companyId).select(presenceColumns).where('id', '=', id)).compile(),
)

/** Locked until the transaction ends. */
export async function lockPresence(db: Db, companyId: CompanyId, id: number): Promise<UserPresence | undefined> {
  const [row] = await presenceById(db, { companyId, id })
  if (!row) return undefined
  const { wrap_up_call_id: callId, wrap_up_until: until, wrap_up_tag } = row
  return {
    user: toUser(row),
    sessions: row.sessions,
    calls: row.in_call,
    wrapUp: callId === null ? null : { callId, until, needsTag: wrap_up_tag === 1 },
    pendingWrapUps: row.wrap_up_pending === null ? [] : (JSON.parse(row.wrap_up_pending) as number[]),
    granular: row.granular as Granular,
    since: row.granular_since,
  }
}

interface PresenceValues {
  companyId: CompanyId
  id: number
  sessions: number
  calls: number
  callId: number | null
  until: number | null
  tag: number
  pending: string | null
  granular: string
  since: number
}

const writePresence = hotQuery((db, v: PresenceValues) =>
  db
    .updateTable('user')
    .set({
      sessions: v.sessions,
      in_call: v.calls,
      wrap_up_call_id: v.callId,
      wrap_up_until: v.until,
      wrap_up_tag: v.tag as Flag,
      wrap_up_pending: v.pending,
      granular: v.granular,
      granular_since: v.since,
    })
    .where('company_id', '=', v.companyId)
    .where('id', '=', v.id)
    .compile(),
)

export async function savePresence(db: Db, companyId: CompanyId, presence: UserPresence): Promise<void> {
  const { user, sessions, calls, wrapUp, pendingWrapUps, granular, since } = presence
  const wut = { callId: wrapUp?.callId ?? null, until: wrapUp?.until ?? null, tag: wrapUp?.needsTag ? 1 : 0 }
  const pending = pendingWrapUps.length === 0 ? null : JSON.stringify(pendingWrapUps)
  await writePresence(db, { companyId, id: user.id, sessions, calls, ...wut, pending, granular, since })
}

const insertStatus = hotQuery(
  (db, v: { companyId: CompanyId; id: number; at: number; granular: string; status: string; reason: string | null }) =>
    db
      .insertInto('user_status')
      .values({
        company_id: v.companyId,
        user_id: v.id,
        at: v.at,
        granular: v.granular,
        availability_status: v.status,
        reason: v.reason,
      })
      .compile(),
)

/** Records for analytics the state of the user from this moment on. */
export async function noteStatus(
  db: Db,
  companyId: CompanyId,
  user: User,
  granular: Granular,
  at: number,
): Promise<void> {
  await insertStatus(db, { companyId, id: user.id, at, granular, status: user.status, reason: user.reason })
}

/** Records a change of reason within the same status, unless it was recorded last. */
export async function noteReason(db: Db, companyId: CompanyId, user: User, at: number): Promise<void> {
  const last = await db
    .selectFrom('user_status')
    .select(['granular', 'availability_status', 'reason'])
    .where('company_id', '=', companyId)
    .where('user_id', '=', user.id)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (last?.granular !== 'do_not_disturb') return
  if (last.availability_status === user.status && last.reason === user.reason) return
  await noteStatus(db, companyId, user, 'do_not_disturb', at)
}

/** Users in wrap-up of the call. */
export async function wrappingUp(db: Db, companyId: CompanyId, callId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('user')
    .select('id')
    .where('company_id', '=', companyId)
    .where('wrap_up_call_id', '=', callId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Calls whose wrap-up waits for a tag. */
export async function callsWaitingForTags(db: Db, companyId: CompanyId): Promise<number[]> {
  const rows = await db
    .selectFrom('user')
    .select('wrap_up_call_id')
    .distinct()
    .where('company_id', '=', companyId)
    .where('wrap_up_tag', '=', 1)
    .execute()
  return rows.flatMap(({ wrap_up_call_id }) => wrap_up_call_id ?? [])
}
