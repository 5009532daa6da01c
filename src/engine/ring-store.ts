import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { idsFromJson, jsonArray, jsonRows, unindexed } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, RingAttemptTable } from '../db/tables.ts'
import type { AvailabilityStatus, Granular } from '../domain/availability.ts'

// Who can be rung, reservations of users for calls, and the result of each ring.

const reservation = hotQuery((db, v: { companyId: CompanyId; userId: number }) =>
  db
    .selectFrom('ring_reservation')
    .select('key')
    .where('company_id', '=', v.companyId)
    .where('user_id', '=', v.userId)
    .compile(),
)

export async function ringingOn(db: Db, companyId: CompanyId, userId: number): Promise<string | undefined> {
  const [row] = await reservation(db, { companyId, userId })
  return row?.key
}

const reserveUser = hotQuery((db, v: { companyId: CompanyId; key: string; userId: number; at: number }) =>
  db
    .insertInto('ring_reservation')
    .values({ user_id: v.userId, company_id: v.companyId, key: v.key, at: v.at })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .returning('user_id')
    .compile(),
)

/** One row per user: a call without the reservation continues with the next user. */
export async function reserve(db: Db, companyId: CompanyId, key: string, userId: number, at: number): Promise<boolean> {
  const rows = await reserveUser(db, { companyId, key, userId, at })
  return rows.length > 0
}

const releaseUser = hotQuery((db, v: { companyId: CompanyId; key: string; userId: number }) =>
  db
    .deleteFrom('ring_reservation')
    .where('company_id', '=', v.companyId)
    .where('user_id', '=', v.userId)
    .where('key', '=', v.key)
    .compile(),
)

export async function release(db: Db, companyId: CompanyId, key: string, userId: number): Promise<void> {
  await releaseUser(db, { companyId, key, userId })
}

/** All users reserved for the call, except the given ones. */
export async function releaseRings(
  db: Db,
  companyId: CompanyId,
  key: string,
  known: readonly number[] = [],
): Promise<number[]> {
  const rows = await db
    .deleteFrom('ring_reservation')
    .where('company_id', '=', companyId)
    .where('key', '=', key)
    .where('user_id', 'not in', known.length > 0 ? [...known] : [0])
    .returning('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/** Reservations of calls that have ended: a process was killed between the end and the release. */
export async function releaseStale(db: Db): Promise<{ companyId: CompanyId; userId: number }[]> {
  const rows = await db
    .deleteFrom('ring_reservation')
    .where('key', 'not in', db.selectFrom('live_call').select('live_call.key'))
    .returning(['company_id', 'user_id'])
    .execute()
  return rows.map(({ company_id, user_id }) => ({ companyId: company_id, userId: user_id }))
}

export async function releaseAll(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await releaseRings(db, companyId, key)
  await db.deleteFrom('live_party').where('company_id', '=', companyId).where('key', '=', key).execute()
  await db.deleteFrom('queue_place').where('company_id', '=', companyId).where('key', '=', key).execute()
}

// A team may have hundreds of members: each list is read as one text.

const members = hotQuery<{ companyId: CompanyId; teams: string }, { list: string }>((db, v) =>
  sql<{ list: string }>`
    select cast(${jsonRows(db, jsonArray(db, sql`m.team_id, m.user_id`), sql`m.added_at, m.user_id`)} as text) as list
    from team_member as m
    where m.company_id = ${v.companyId} and m.team_id in ${idsFromJson(db, v.teams)}`.compile(db),
)

export async function membersOf(
  db: Db,
  companyId: CompanyId,
  teams: readonly number[],
): Promise<Map<number, number[]>> {
  const byTeam = new Map<number, number[]>()
  if (teams.length === 0) return byTeam
  const [found] = await members(db, { companyId, teams: JSON.stringify(teams) })
  const pairs: [teamId: number, userId: number][] = JSON.parse(found?.list ?? '[]')
  for (const [teamId, userId] of pairs) {
    const known = byTeam.get(teamId)
    if (known) known.push(userId)
    else byTeam.set(teamId, [userId])
  }
  return byTeam
}

// Call waiting applies to the second call; null: it is off.
const callWaiting = sql`case when u.granular = 'in_call' and u.call_waiting = 1 and u.in_call = 1
  then u.availability_status end`
const stateColumns = sql`u.id, u.granular, u.granular_since, u.created_at, r.${sql.ref('key')}, ${callWaiting}`

const states = hotQuery<{ companyId: CompanyId; ids: string }, { list: string }>((db, v) =>
  sql<{ list: string }>`
    select cast(${jsonRows(db, jsonArray(db, stateColumns), sql`u.id`)} as text) as list
    from ${sql.table('user')} as u left join ring_reservation as r on r.user_id = u.id
    where +u.company_id = ${v.companyId} and u.deleted_at is null and u.id in ${idsFromJson(db, v.ids)}`.compile(db),
)

export interface PersonState {
  availability: Granular
  since: number
  reservedBy: string | null
  /** The status of a user on a call who has call waiting; null for all others. */
  callWaiting: AvailabilityStatus | null
}

type StateRow = [
  id: number,
  availability: Granular,
  since: number,
  createdAt: number,
  key: string | null,
  callWaiting: AvailabilityStatus | null,
]

export async function ringStates(
  db: Db,
  companyId: CompanyId,
  ids: readonly number[],
): Promise<Map<number, PersonState>> {
  if (ids.length === 0) return new Map()
  const [found] = await states(db, { companyId, ids: JSON.stringify(ids) })
  const rows: StateRow[] = JSON.parse(found?.list ?? '[]')
  return new Map(
    rows.map(([id, availability, since, createdAt, reservedBy, callWaiting]) => [
      id,
      // A user who has never connected has been offline since their creation.
      { availability, since: since || createdAt, reservedBy, callWaiting },
    ]),
  )
}

interface RingValues {
  companyId: CompanyId
  callId: number | null
  numberId: number | null
  userId: number
  teamId: number | null
  origin: RingAttemptTable['origin']
  at: number
}

const insertRing = hotQuery((db, v: RingValues) =>
  db
    .insertInto('ring_attempt')
    .values({
      company_id: v.companyId,
      call_id: v.callId,
      number_id: v.numberId,
      user_id: v.userId,
      team_id: v.teamId,
      started_at: v.at,
      ended_at: null,
      outcome: null,
      origin: v.origin,
    })
    .compile(),
)

export async function ringStarted(db: Db, companyId: CompanyId, ring: Omit<RingValues, 'companyId'>): Promise<void> {
  await insertRing(db, { companyId, ...ring })
}

type Outcome = NonNullable<RingAttemptTable['outcome']>

const endRing = hotQuery(
  (db, v: { companyId: CompanyId; callId: number; userId: number; at: number; outcome: string }) =>
    db
      .updateTable('ring_attempt')
      .set({ ended_at: v.at, outcome: v.outcome as Outcome })
      .where(unindexed('company_id'), '=', v.companyId)
      .where('call_id', '=', v.callId)
      .where('user_id', '=', v.userId)
      .where('ended_at', 'is', null)
      .compile(),
)

export async function ringOver(
  db: Db,
  companyId: CompanyId,
  ring: { callId: number | null; userId: number; at: number; outcome: Outcome },
): Promise<void> {
  const { callId, userId, at, outcome } = ring
  if (callId !== null) return void (await endRing(db, { companyId, ...ring, callId }))
  // Internal calls and callbacks have no id; no user is rung by two calls at once.
  await db
    .updateTable('ring_attempt')
    .set({ ended_at: at, outcome })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('call_id', 'is', null)
    .where('ended_at', 'is', null)
    .execute()
}

/** Users on whose phones the call has rung. */
export async function usersRungBy(db: Db, companyId: CompanyId, callId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('ring_attempt')
    .select('user_id')
    .distinct()
    .where('company_id', '=', companyId)
    .where('call_id', '=', callId)
    .orderBy('user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}
