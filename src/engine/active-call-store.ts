import type { Db } from '../db/database.ts'
import { claimRows } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId } from '../db/tables.ts'
import { ringingOn } from './ring-store.ts'

// Active calls, their owners, and the users on them.

interface LiveValues {
  key: string
  callId: number | null
  companyId: CompanyId
  owner: string
  state: string
  at: number
}

const insertLiveRow = hotQuery((db, v: LiveValues) =>
  db
    .insertInto('live_call')
    .values({
      key: v.key,
      call_id: v.callId,
      company_id: v.companyId,
      owner: v.owner,
      state: v.state,
      updated_at: v.at,
    })
    .compile(),
)

export async function insertLive(db: Db, companyId: CompanyId, live: Omit<LiveValues, 'companyId'>): Promise<void> {
  await insertLiveRow(db, { companyId, ...live })
}

const updateLiveRow = hotQuery(
  (db, v: { companyId: CompanyId; key: string; owner: string; state: string; at: number }) =>
    db
      .updateTable('live_call')
      .set({ state: v.state, updated_at: v.at })
      .where('company_id', '=', v.companyId)
      .where('key', '=', v.key)
      .where('owner', '=', v.owner)
      .returning('key')
      .compile(),
)

/** False when another process has taken over the call: this one must not write it any more. */
export async function saveLive(
  db: Db,
  companyId: CompanyId,
  live: { key: string; owner: string; state: string; at: number },
): Promise<boolean> {
  const rows = await updateLiveRow(db, { companyId, ...live })
  return rows.length > 0
}

const deleteOwnRow = hotQuery((db, v: { companyId: CompanyId; key: string; owner: string }) =>
  db
    .deleteFrom('live_call')
    .where('company_id', '=', v.companyId)
    .where('key', '=', v.key)
    .where('owner', '=', v.owner)
    .returning('key')
    .compile(),
)

/** False when another process has taken over the call. */
export async function deleteOwnLive(db: Db, companyId: CompanyId, key: string, owner: string): Promise<boolean> {
  const rows = await deleteOwnRow(db, { companyId, key, owner })
  return rows.length > 0
}

const deleteLiveRow = hotQuery((db, v: { companyId: CompanyId; key: string }) =>
  db.deleteFrom('live_call').where('company_id', '=', v.companyId).where('key', '=', v.key).compile(),
)

export async function deleteLive(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await deleteLiveRow(db, { companyId, key })
}

export interface OrphanedCall {
  key: string
  companyId: CompanyId
  callId: number | null
  owner: string
  state: string
  updatedAt: number
  /** Product time at which the process that carried it was last seen; null while that process is alive. */
  lostAt: number | null
}

/** Processes that have calls, or had. */
export async function owners(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('live_call').select('owner').distinct().execute()
  return rows.map(({ owner }) => owner)
}

/** Some calls of processes that are gone. */
export async function orphans(db: Db, gone: readonly string[]): Promise<OrphanedCall[]> {
  if (gone.length === 0) return []
  const rows = await claimRows(
    db,
    db
      .selectFrom('live_call')
      .select(['key', 'company_id', 'call_id', 'owner', 'state', 'updated_at', 'lost_at'])
      .where('owner', 'in', [...gone])
      .orderBy('key')
      .limit(200),
  ).execute()
  return rows.map((row) => ({
    key: row.key,
    companyId: row.company_id,
    callId: row.call_id,
    owner: row.owner,
    state: row.state,
    updatedAt: row.updated_at,
    lostAt: row.lost_at,
  }))
}

/** Calls of a process that has ended get another owner. `seen`: when that process was last seen, unless they were active later. */
export async function adopt(
  db: Db,
  companyId: CompanyId,
  { keys, owner, seen }: { keys: readonly string[]; owner: string; seen: number },
): Promise<void> {
  await db
    .updateTable('live_call')
    .set(({ fn, case: either, ref }) => ({
      owner,
      lost_at: fn.coalesce('lost_at', either().when('updated_at', '>', seen).then(ref('updated_at')).else(seen).end()),
    }))
    .where('company_id', '=', companyId)
    .where('key', 'in', [...keys])
    .execute()
}

/** The calls go on: the time at which their process was lost does not matter any more. */
export async function markResumed(db: Db, companyId: CompanyId, keys: readonly string[]): Promise<void> {
  await db
    .updateTable('live_call')
    .set({ lost_at: null })
    .where('company_id', '=', companyId)
    .where('key', 'in', [...keys])
    .execute()
}

/** Calls of a process that has ended were claimed, and are neither resumed nor ended yet. */
export async function isRecovering(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('live_call')
    .select('key')
    .where('lost_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function ownerOf(db: Db, key: string): Promise<{ owner: string; companyId: CompanyId } | undefined> {
  const row = await db.selectFrom('live_call').select(['owner', 'company_id']).where('key', '=', key).executeTakeFirst()
  return row && { owner: row.owner, companyId: row.company_id }
}

export async function liveKeysOf(db: Db, companyId: CompanyId): Promise<string[]> {
  const rows = await db.selectFrom('live_call').select('key').where('company_id', '=', companyId).execute()
  return rows.map(({ key }) => key)
}

const insertParty = hotQuery((db, v: { companyId: CompanyId; key: string; userId: number }) =>
  db
    .insertInto('live_party')
    .values({ key: v.key, user_id: v.userId, company_id: v.companyId })
    .onConflict((conflict) => conflict.columns(['user_id', 'key']).doNothing())
    .compile(),
)
const deleteParty = hotQuery((db, v: { companyId: CompanyId; key: string; userId: number }) =>
  db
    .deleteFrom('live_party')
    .where('company_id', '=', v.companyId)
    .where('user_id', '=', v.userId)
    .where('key', '=', v.key)
    .compile(),
)

export async function noteParty(
  db: Db,
  companyId: CompanyId,
  key: string,
  userId: number,
  isOn: boolean,
): Promise<void> {
  await (isOn ? insertParty : deleteParty)(db, { companyId, key, userId })
}

const callsOf = hotQuery((db, v: { companyId: CompanyId; userId: number }) =>
  db
    .selectFrom('live_party')
    .select('key')
    .where('company_id', '=', v.companyId)
    .where('user_id', '=', v.userId)
    .compile(),
)

/** The call the person is on; else the one that rings on them. */
export async function callOfUser(db: Db, companyId: CompanyId, userId: number): Promise<string | undefined> {
  const [on] = await callsOf(db, { companyId, userId })
  return on?.key ?? (await ringingOn(db, companyId, userId))
}

/** Every call the person is on or that rings on them. */
export async function callsOfUser(db: Db, companyId: CompanyId, userId: number): Promise<string[]> {
  const on = await callsOf(db, { companyId, userId })
  const rings = await ringingOn(db, companyId, userId)
  return [...on.map(({ key }) => key), ...(rings === undefined ? [] : [rings])]
}
