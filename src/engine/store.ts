import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { claimRows, idsFromJson, rowsFromJson, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, Flag, RingAttemptTable } from '../db/tables.ts'
import type { Granular } from '../domain/availability.ts'
import type { TraceEntry } from '../domain/call/events.ts'
import type { Target } from '../domain/flow/document.ts'

// What the engine writes down beside the calls themselves: who owns which, who waits, who is being rung.

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

/** False when another process has taken the call over: this one must not touch it any more. */
export async function saveLive(
  db: Db,
  companyId: CompanyId,
  live: { key: string; owner: string; state: string; at: number },
): Promise<boolean> {
  const rows = await updateLiveRow(db, { companyId, ...live })
  return rows.length > 0
}

const deleteLiveRow = hotQuery((db, v: { companyId: CompanyId; key: string }) =>
  db.deleteFrom('live_call').where('company_id', '=', v.companyId).where('key', '=', v.key).compile(),
)

export async function deleteLive(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await deleteLiveRow(db, { companyId, key })
}

export interface LiveCall {
  key: string
  companyId: CompanyId
  callId: number | null
  owner: string
  state: string
  updatedAt: number
}

/** Processes that have calls, or had. */
export async function owners(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('live_call').select('owner').distinct().execute()
  return rows.map(({ owner }) => owner)
}

/** Some calls of processes that are gone. */
export async function orphans(db: Db, gone: readonly string[]): Promise<LiveCall[]> {
  if (gone.length === 0) return []
  const rows = await claimRows(
    db,
    db
      .selectFrom('live_call')
      .select(['key', 'company_id', 'call_id', 'owner', 'state', 'updated_at'])
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
  }))
}

export async function adopt(db: Db, companyId: CompanyId, key: string, owner: string): Promise<void> {
  await db.updateTable('live_call').set({ owner }).where('company_id', '=', companyId).where('key', '=', key).execute()
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

/** The call the person is on; else the one that rings on them. */
export async function callOfUser(db: Db, companyId: CompanyId, userId: number): Promise<string | undefined> {
  const on = await db
    .selectFrom('live_party')
    .select('key')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return on?.key ?? (await ringingOn(db, companyId, userId))
}

/** Every call the person is on or that rings on them. */
export async function callsOfUser(db: Db, companyId: CompanyId, userId: number): Promise<string[]> {
  const on = await db
    .selectFrom('live_party')
    .select('key')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .execute()
  const rings = await ringingOn(db, companyId, userId)
  return [...on.map(({ key }) => key), ...(rings === undefined ? [] : [rings])]
}

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

const targetWord = ({ type, id }: Target) => `${type}:${id}`

interface Place {
  key: string
  callId: number
  rank: number
  enteredAt: number
}

const insertPlace = hotQuery((db, v: Place & { companyId: CompanyId; target: string }) =>
  db
    .insertInto('queue_place')
    .values({
      key: v.key,
      target: v.target,
      company_id: v.companyId,
      rank: v.rank,
      entered_at: v.enteredAt,
      call_id: v.callId,
      hungry: 1,
    })
    .onConflict((conflict) => conflict.columns(['key', 'target']).doNothing())
    .compile(),
)

export async function enterQueue(
  db: Db,
  companyId: CompanyId,
  { targets, ...place }: Place & { targets: readonly Target[] },
): Promise<void> {
  for (const target of targets) await insertPlace(db, { companyId, ...place, target: targetWord(target) })
}

const setHungry = hotQuery((db, v: { companyId: CompanyId; key: string; hungry: number }) =>
  db
    .updateTable('queue_place')
    .set({ hungry: v.hungry as Flag })
    .where('company_id', '=', v.companyId)
    .where('key', '=', v.key)
    .compile(),
)

export async function markHungry(db: Db, companyId: CompanyId, key: string, hungry: boolean): Promise<void> {
  await setHungry(db, { companyId, key, hungry: hungry ? 1 : 0 })
}

const deletePlaces = hotQuery((db, v: { companyId: CompanyId; key: string }) =>
  db.deleteFrom('queue_place').where('company_id', '=', v.companyId).where('key', '=', v.key).compile(),
)

export async function leaveQueue(db: Db, companyId: CompanyId, key: string): Promise<void> {
  await deletePlaces(db, { companyId, key })
}

const heads = hotQuery((db, v: { companyId: CompanyId; targets: string }) =>
  sql<{ key: string; target: string }>`
    select key, target from queue_place
    where company_id = ${v.companyId} and hungry = 1 and target in ${wordsFromJson(db, v.targets)}
    order by rank, entered_at, call_id, target limit 20`.compile(db),
)

/** Whoever waits longest for the person or one of their teams, top priority first. */
export async function headsFor(
  db: Db,
  companyId: CompanyId,
  userId: number,
): Promise<{ key: string; teamId: number | null }[]> {
  const teams = await db
    .selectFrom('team_member')
    .select('team_id')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .execute()
  const targets = [`user:${userId}`, ...teams.map(({ team_id }) => `team:${team_id}`)]
  const rows = await heads(db, { companyId, targets: JSON.stringify(targets) })
  return rows.map(({ key, target }) => ({ key, teamId: target.startsWith('team:') ? Number(target.slice(5)) : null }))
}

/** People who are free although somebody waits for them, in any company: a notice of theirs was lost. */
export async function overlooked(db: Db): Promise<{ companyId: CompanyId; userId: number }[]> {
  const rows = await db
    .selectFrom('user as u')
    .select(['u.id', 'u.company_id'])
    .where('u.granular', '=', 'available')
    .where('u.deleted_at', 'is', null)
    .where('u.company_id', 'in', (eb) => eb.selectFrom('queue_place').select('company_id').where('hungry', '=', 1))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('ring_reservation as r').select('r.key').whereRef('r.user_id', '=', 'u.id'))),
    )
    .limit(100)
    .execute()
  return rows.map(({ id, company_id }) => ({ userId: id, companyId: company_id }))
}

/** How many are served before this one, counted once each, and one more. */
export async function placeInQueue(db: Db, companyId: CompanyId, key: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct o.key) as n from queue_place m
    join queue_place o on o.company_id = m.company_id and o.target = m.target
      and (o.rank < m.rank or (o.rank = m.rank and (o.entered_at < m.entered_at or (o.entered_at = m.entered_at and o.call_id < m.call_id))))
    where m.company_id = ${companyId} and m.key = ${key}`.execute(db)
  return Number(rows[0]?.n ?? 0) + 1
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

export interface TraceLine {
  callId: number
  at: number
  entry: TraceEntry
}

const traceShape = { call_id: 'bigint', at: 'bigint', entry: 'text', n: 'integer' } as const

const insertTrace = hotQuery((db, v: { companyId: CompanyId; rows: string }) =>
  sql`insert into call_trace (call_id, company_id, at, entry)
    select call_id, ${v.companyId}, at, entry from ${rowsFromJson(db, v.rows, traceShape)} order by n`.compile(db),
)

/** Why calls went where they went: all of a batch in one statement. */
export async function addTrace(db: Db, companyId: CompanyId, lines: readonly TraceLine[]): Promise<void> {
  if (lines.length === 0) return
  const rows = lines.map(({ callId, at, entry }, n) => ({ call_id: callId, at, entry: JSON.stringify(entry), n }))
  await insertTrace(db, { companyId, rows: JSON.stringify(rows) })
}

const anyTag = hotQuery((db, v: { companyId: CompanyId; callId: number }) =>
  db
    .selectFrom('call_tag')
    .select('tag_id')
    .where('company_id', '=', v.companyId)
    .where('call_id', '=', v.callId)
    .limit(1)
    .compile(),
)

export async function isTagged(db: Db, companyId: CompanyId, callId: number): Promise<boolean> {
  return (await anyTag(db, { companyId, callId })).length > 0
}

/** An outside party dials digits and knows no company. */
export async function numberByDigits(
  db: Db,
  digits: string,
): Promise<{ id: number; companyId: CompanyId } | undefined> {
  const row = await db.selectFrom('number').select(['id', 'company_id']).where('digits', '=', digits).executeTakeFirst()
  return row && { id: row.id, companyId: row.company_id }
}

export async function flowOf(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  version: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('flow_version')
    .select('document')
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.document
}

export interface CommandRow {
  id: string
  companyId: CompanyId
  owner: string
  key: string
  command: string
}

/** A command for a call that another process owns. */
export async function leaveCommand(
  db: Db,
  companyId: CompanyId,
  row: Omit<CommandRow, 'companyId'>,
  at: number,
): Promise<void> {
  await db
    .insertInto('call_command')
    .values({ ...row, company_id: companyId, answer: null, created_at: at })
    .execute()
}

export async function commandsFor(db: Db, owner: string): Promise<CommandRow[]> {
  const rows = await db
    .selectFrom('call_command')
    .select(['id', 'company_id', 'owner', 'key', 'command'])
    .where('owner', '=', owner)
    .where('answer', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ company_id, ...row }) => ({ ...row, companyId: company_id }))
}

export async function answerCommand(db: Db, companyId: CompanyId, id: string, answer: string): Promise<void> {
  await db
    .updateTable('call_command')
    .set({ answer })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function takeAnswer(db: Db, companyId: CompanyId, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('call_command')
    .select('answer')
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.answer ?? null
}

export async function forgetCommand(db: Db, companyId: CompanyId, id: string): Promise<void> {
  await db.deleteFrom('call_command').where('company_id', '=', companyId).where('id', '=', id).execute()
}
