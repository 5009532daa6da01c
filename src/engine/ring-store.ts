import type { Db } from '../db/database.ts'
import { idsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, RingAttemptTable } from '../db/tables.ts'
import type { Granular } from '../domain/availability.ts'

// Who can be rung, who is kept for which call, and what became of each ring.

export async function ringingOn(db: Db, companyId: CompanyId, userId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('ring_reservation')
    .select('key')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
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

/** One row per person: whoever does not get it goes on to the next. */
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

/** Everybody who was kept for the call, but for those it knows of. */
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

export async function releaseAll(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await releaseRings(db, companyId, key)
  await db.deleteFrom('live_party').where('company_id', '=', companyId).where('key', '=', key).execute()
  await db.deleteFrom('queue_place').where('company_id', '=', companyId).where('key', '=', key).execute()
}

const members = hotQuery((db, v: { companyId: CompanyId; teams: string }) =>
  db
    .selectFrom('team_member')
    .select(['team_id', 'user_id'])
    .where('company_id', '=', v.companyId)
    .where('team_id', 'in', idsFromJson(db, v.teams))
    .orderBy('added_at')
    .orderBy('user_id')
    .compile(),
)

export async function membersOf(
  db: Db,
  companyId: CompanyId,
  teams: readonly number[],
): Promise<Map<number, number[]>> {
  const byTeam = new Map<number, number[]>()
  if (teams.length === 0) return byTeam
  for (const { team_id, user_id } of await members(db, { companyId, teams: JSON.stringify(teams) })) {
    byTeam.set(team_id, [...(byTeam.get(team_id) ?? []), user_id])
  }
  return byTeam
}

const states = hotQuery((db, v: { companyId: CompanyId; ids: string }) =>
  db
    .selectFrom('user as u')
    .leftJoin('ring_reservation as r', 'r.user_id', 'u.id')
    .select(['u.id', 'u.granular', 'u.granular_since', 'u.created_at', 'r.key'])
    .where('u.company_id', '=', v.companyId)
    .where('u.deleted_at', 'is', null)
    .where('u.id', 'in', idsFromJson(db, v.ids))
    .compile(),
)

export interface PersonState {
  availability: Granular
  since: number
  reservedBy: string | null
}

export async function statesOf(
  db: Db,
  companyId: CompanyId,
  ids: readonly number[],
): Promise<Map<number, PersonState>> {
  if (ids.length === 0) return new Map()
  const rows = await states(db, { companyId, ids: JSON.stringify(ids) })
  return new Map(
    rows.map((row) => [
      row.id,
      // Who has never been connected has been offline since they are here.
      { availability: row.granular as Granular, since: row.granular_since || row.created_at, reservedBy: row.key },
    ]),
  )
}

interface RingValues {
  companyId: CompanyId
  callId: number | null
  numberId: number | null
  userId: number
  teamId: number | null
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
    })
    .compile(),
)

export async function ringBegun(db: Db, companyId: CompanyId, ring: Omit<RingValues, 'companyId'>): Promise<void> {
  await insertRing(db, { companyId, ...ring })
}

type Outcome = NonNullable<RingAttemptTable['outcome']>

const endRing = hotQuery(
  (db, v: { companyId: CompanyId; callId: number; userId: number; at: number; outcome: string }) =>
    db
      .updateTable('ring_attempt')
      .set({ ended_at: v.at, outcome: v.outcome as Outcome })
      .where('company_id', '=', v.companyId)
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
  // Internal calls and callbacks have no id; nobody is rung by two at once.
  await db
    .updateTable('ring_attempt')
    .set({ ended_at: at, outcome })
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .where('call_id', 'is', null)
    .where('ended_at', 'is', null)
    .execute()
}
