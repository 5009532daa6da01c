import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { jsonArray, jsonRows } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId, RingAttemptTable } from '../../../db/tables.ts'
import type { ReportNames } from '../../../domain/analytics/calls.ts'
import type { CallFacts, RingFacts } from '../../../domain/analytics/filters.ts'
import { firstStatus, type UserStatusChange } from '../../../domain/analytics/statuses.ts'
import type { PartyFacts } from '../../../domain/analytics/tally.ts'
import type { Granular } from '../../../domain/availability.ts'
import type { IvrChoice } from '../../../domain/call/record.ts'
import { pastNumberNames, pastTeamNames } from '../../accounts/index.ts'

// Source rows of reports, read in batches along an index: only one batch is in memory.

/** `from` is inclusive, `to` exclusive. */
export interface Span {
  from: number
  to: number
}

/** Cursor: the end of a batch. */
export interface BatchCursor {
  at: number
  id: number
}

const begin = ({ from }: Span): BatchCursor => ({ at: from, id: 0 })

/** Yields all rows batch by batch. `read` returns at most `limit` rows after the cursor. */
async function* inTurn<T>(
  span: Span,
  limit: number,
  placeOf: (one: T) => BatchCursor,
  read: (after: BatchCursor) => Promise<T[]>,
): AsyncGenerator<T[]> {
  for (let after = begin(span); ; ) {
    const found = await read(after)
    const last = found.at(-1)
    if (last === undefined) return
    yield found
    if (found.length < limit) return
    after = placeOf(last)
  }
}

type Id = number | null
type CallParts = [
  ...[id: number, direction: CallFacts['direction'], numberId: number, digits: string],
  ...[startedAt: number, answeredAt: Id, endedAt: Id, userId: Id, missed: CallFacts['missedReason']],
  ...[voicemail: number, teamIds: string, ivrOptions: string, tagIds: number[], agentIds: string[]],
]

/** Columns of `call as c`. */
const callParts = (db: Db) => sql`c.id, c.direction, c.number_id, c.external_digits, c.started_at, c.answered_at,
  c.ended_at, c.user_id, c.missed_call_reason, case when c.voicemail is null then 0 else 1 end, c.team_ids, c.ivr_options,
  (select ${jsonRows(db, sql`m.tag_id`, sql`m.tagged_at, m.tag_id`)} from call_tag as m
    where m.call_id = c.id and +m.company_id = c.company_id),
  (select ${jsonRows(db, sql`s.agent_id`, sql`s.started_at, s.id`)} from ai_agent_session as s
    where s.call_id = c.id and +s.company_id = c.company_id)`

const toCallFacts = (of: CallParts): CallFacts => ({
  id: of[0],
  direction: of[1],
  numberId: of[2],
  externalDigits: of[3],
  startedAt: of[4],
  answeredAt: of[5],
  endedAt: of[6],
  userId: of[7],
  missedReason: of[8],
  voicemail: of[9] === 1,
  teamIds: of[10] === '[]' ? [] : JSON.parse(of[10]),
  branches: of[11] === '[]' ? [] : JSON.parse(of[11]).map(({ title }: IvrChoice) => title),
  tagIds: of[12],
  agentIds: [...new Set(of[13])],
})

type CallPage = { companyId: CompanyId; at: number; id: number; to: number; limit: number }

const someCalls = hotQuery<CallPage, { list: string }>((db, v) =>
  sql<{ list: string }>`
    select cast(${jsonRows(db, jsonArray(db, callParts(db)), sql`c.started_at, c.id`)} as text) as list
    from (select * from call where company_id = ${v.companyId} and (started_at, id) > (${v.at}, ${v.id})
      and started_at < ${v.to} order by started_at, id limit ${v.limit}) as c`.compile(db),
)

/** Calls that started in the period, by start time. */
export const callsStarted = (db: Db, companyId: CompanyId, span: Span, limit: number) =>
  inTurn(
    span,
    limit,
    ({ startedAt, id }: CallFacts) => ({ at: startedAt, id }),
    async ({ at, id }) => {
      const [row] = await someCalls(db, { companyId, at, id, to: span.to, limit })
      const found: CallParts[] = JSON.parse(row?.list ?? '[]')
      return found.map(toCallFacts)
    },
  )

export async function countCalls(db: Db, companyId: CompanyId, { from, to }: Span): Promise<number> {
  const { n } = await db
    .selectFrom('call')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('started_at', '>=', from)
    .where('started_at', '<', to)
    .executeTakeFirstOrThrow()
  return n
}

const ringColumns = [
  'r.id',
  'r.call_id',
  'r.number_id',
  'r.user_id',
  'r.started_at',
  'r.ended_at',
  'r.outcome',
  'r.origin',
  'c.external_digits',
] as const

type RingRow = Omit<RingAttemptTable, 'id' | 'company_id' | 'team_id'> & { id: number; external_digits: string | null }
export type ReportedRing = RingFacts & { id: number }

const toRing = (row: RingRow): ReportedRing => ({
  id: row.id,
  callId: row.call_id,
  numberId: row.number_id,
  userId: row.user_id,
  externalDigits: row.external_digits,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  outcome: row.outcome,
  origin: row.origin,
})

/** By start time; of one user, or of all. */
export const ringsStarted = (db: Db, companyId: CompanyId, span: Span, limit: number, userId?: number) =>
  inTurn(
    span,
    limit,
    ({ startedAt, id }: ReportedRing) => ({ at: startedAt, id }),
    async ({ at, id }) => {
      let query = db
        .selectFrom('ring_attempt as r')
        .leftJoin('call as c', 'c.id', 'r.call_id')
        .select(ringColumns)
        .where('r.company_id', '=', companyId)
        .where('r.started_at', '>=', at)
        .where(({ or, eb }) => or([eb('r.started_at', '>', at), eb('r.id', '>', id)]))
        .where('r.started_at', '<', span.to)
      if (userId !== undefined) query = query.where('r.user_id', '=', userId)
      const rows = await query.orderBy('r.started_at').orderBy('r.id').limit(limit).execute()
      return rows.map(toRing)
    },
  )

export async function countRings(db: Db, companyId: CompanyId, { from, to }: Span): Promise<number> {
  const { n } = await db
    .selectFrom('ring_attempt')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('started_at', '>=', from)
    .where('started_at', '<', to)
    .executeTakeFirstOrThrow()
  return n
}

type PartyParts = [id: number, way: PartyFacts['way'], joinedAt: number, leftAt: Id, gaveAt: Id, ...CallParts]
export type ReportedParty = PartyFacts & { id: number }
type PartyPage = CallPage & { userId: number }

const someParties = hotQuery<PartyPage, { list: string }>((db, v) => {
  const parts = sql`p.id, p.way, p.joined_at, p.left_at, p.gave_at, ${callParts(db)}`
  return sql<{ list: string }>`
    select cast(${jsonRows(db, jsonArray(db, parts), sql`p.joined_at, p.id`)} as text) as list
    from (select * from call_party where company_id = ${v.companyId} and user_id = ${v.userId}
      and (joined_at, id) > (${v.at}, ${v.id}) and joined_at < ${v.to} order by joined_at, id limit ${v.limit}) as p
      join call as c on c.id = p.call_id`.compile(db)
})

/** Calls that the user joined in the period. */
export const partiesOf = (db: Db, companyId: CompanyId, userId: number, span: Span, limit: number) =>
  inTurn(
    span,
    limit,
    ({ joinedAt, id }: ReportedParty) => ({ at: joinedAt, id }),
    async ({ at, id }) => {
      const [row] = await someParties(db, { companyId, userId, at, id, to: span.to, limit })
      const found: PartyParts[] = JSON.parse(row?.list ?? '[]')
      return found.map(([id, way, joinedAt, leftAt, gaveAt, ...call]): ReportedParty => {
        return { id, way, joinedAt, leftAt, gave: gaveAt !== null, call: toCallFacts(call) }
      })
    },
  )

export interface ReportUser {
  id: number
  name: string
  teamIds: number[]
  createdAt: number
  granular: Granular
  since: number
}

export async function findReportUser(db: Db, companyId: CompanyId, id: number): Promise<ReportUser | undefined> {
  const row = await userRows(db, companyId).where('id', '=', id).executeTakeFirst()
  return row && toReportUser(row, [])
}

const userRows = (db: Db, companyId: CompanyId) =>
  db
    .selectFrom('user')
    .select(['id', 'first_name', 'last_name', 'created_at', 'granular', 'granular_since'])
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)

type UserRow = Awaited<ReturnType<ReturnType<typeof userRows>['execute']>>[number]

const toReportUser = (row: UserRow, teamIds: number[]): ReportUser => ({
  id: row.id,
  name: `${row.first_name} ${row.last_name}`,
  teamIds,
  createdAt: row.created_at,
  granular: row.granular as Granular,
  since: row.granular_since,
})

/** All users of the company, by ID. */
export async function reportUsers(db: Db, companyId: CompanyId): Promise<ReportUser[]> {
  const users = await userRows(db, companyId).orderBy('id').execute()
  const members = await db
    .selectFrom('team_member')
    .select(['team_id', 'user_id'])
    .where('company_id', '=', companyId)
    .orderBy('team_id')
    .execute()
  const teams = new Map<number, number[]>()
  for (const { team_id, user_id } of members) teams.set(user_id, [...(teams.get(user_id) ?? []), team_id])
  return users.map((user) => toReportUser(user, teams.get(user.id) ?? []))
}

/** Names by ID; a company has some hundred users, teams, Numbers and tags. */
export async function namesFor(db: Db, companyId: CompanyId, users: readonly ReportUser[]): Promise<ReportNames> {
  const named = async (table: 'team' | 'number' | 'tag') => {
    const rows = await db.selectFrom(table).select(['id', 'name']).where('company_id', '=', companyId).execute()
    return new Map(rows.map(({ id, name }) => [id, name]))
  }
  const [teams, numbers, tags] = [await named('team'), await named('number'), await named('tag')]
  const [pastTeams, pastNumbers] = [await pastTeamNames(db, companyId), await pastNumberNames(db, companyId)]
  const people = new Map(users.map((user) => [user.id, user]))
  return {
    user: (id) => people.get(id)?.name,
    teamsOf: (id) => people.get(id)?.teamIds ?? [],
    team: (id) => teams.get(id) ?? pastTeams.get(id),
    number: (id) => numbers.get(id) ?? pastNumbers.get(id),
    tag: (id) => tags.get(id),
  }
}

const statusColumns = ['id', 'at', 'granular', 'availability_status', 'reason'] as const

interface StatusRow {
  id: number
  at: number
  granular: string
  availability_status: string
  reason: string | null
}

const toChange = (row: StatusRow): UserStatusChange & { id: number } => ({
  id: row.id,
  at: row.at,
  granular: row.granular as Granular,
  availabilityStatus: row.availability_status as UserStatusChange['availabilityStatus'],
  reason: row.reason as UserStatusChange['reason'],
})

/** The user's status at the start of the period, every change in it, and the first change after it. */
export async function* statusesOf(
  db: Db,
  companyId: CompanyId,
  user: ReportUser,
  span: Span,
  limit: number,
): AsyncGenerator<UserStatusChange[]> {
  const rows = db
    .selectFrom('user_status')
    .select(statusColumns)
    .where('company_id', '=', companyId)
    .where('user_id', '=', user.id)
  const before = await rows.where('at', '<', span.from).orderBy('at', 'desc').orderBy('id', 'desc').limit(1).execute()
  let last: UserStatusChange = before[0] ? toChange(before[0]) : firstStatus(user.createdAt)
  yield [last]
  const batches = inTurn(
    span,
    limit,
    ({ at, id }: UserStatusChange & { id: number }) => ({ at, id }),
    async ({ at, id }) => {
      const found = await rows
        .where('at', '>=', at)
        .where(({ or, eb }) => or([eb('at', '>', at), eb('id', '>', id)]))
        .where('at', '<', span.to)
        .orderBy('at')
        .orderBy('id')
        .limit(limit)
        .execute()
      return found.map(toChange)
    },
  )
  for await (const batch of batches) {
    yield batch
    last = batch.at(-1) ?? last
  }
  const [after] = await rows.where('at', '>=', span.to).orderBy('at').orderBy('id').limit(1).execute()
  if (after) yield [toChange(after)]
  // Demo users have status changes without a reason.
  else if (last.granular !== user.granular)
    yield [{ ...last, granular: user.granular, at: Math.max(last.at, user.since) }]
}
