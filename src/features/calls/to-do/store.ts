import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

// The to-do list of a user: unanswered calls of the Numbers and teams of the user, those assigned to the user, and answered
// calls with a voicemail. The latter only for users who may open the conversation: its agents, and admins of the Number. A
// call is done once it is archived.

export interface ToDoSearch {
  userId: number
  numberIds: readonly number[]
  /** Whether the user may open calls that other agents answered. */
  opensAll: boolean
  /** The start of the period that is listed. */
  since: number
  done: boolean
  voicemail: boolean | undefined
  mine: boolean
  numberId: number | undefined
}

export interface ToDoPlace {
  at: number
  id: number
}

export interface ToDoRow {
  id: number
  startedAt: number
  isUnread: boolean
}

/** A literal, so that both databases use the partial index. */
const isOpen = sql`missed_call_reason is not null and archived = 0`
const isDone = sql`missed_call_reason is not null and ${unindexed('archived')} = 1`

/** Each arm on its index: unanswered calls by Number and by assignee, and the few voicemails of answered calls. */
function rowsOf(db: Db, companyId: CompanyId, search: ToDoSearch): RawBuilder<unknown> {
  const { userId, numberIds, since, done, voicemail, numberId } = search
  const state = done ? isDone : isOpen
  const sound =
    voicemail === undefined ? sql`` : voicemail ? sql`and voicemail is not null` : sql`and voicemail is null`
  const line = numberId === undefined ? sql`` : sql`and ${unindexed('number_id')} = ${numberId}`
  const ended = sql`and started_at >= ${since} and ended_at is not null ${line}`
  const rest = sql`${ended} ${sound}`
  const numbers = idsFromJson(db, JSON.stringify(numberIds))
  const isMine = sql`${unindexed('assigned_to')} = ${userId}`
  const isAgent = sql`${userId} in (user_id, transferred_by, transferred_to)`
  const ofNumbers = search.opensAll ? sql`or ${unindexed('number_id')} in ${numbers}` : sql``
  const isTheirs = search.mine ? isMine : sql`(${isMine} or ${isAgent} ${ofNumbers})`
  const answered =
    voicemail === false
      ? sql``
      : sql`union all select id, started_at, voicemail from call
    where company_id = ${companyId} and voicemail is not null and missed_call_reason is null
      and ${unindexed('archived')} = ${done ? 1 : 0} and ${isTheirs} ${ended}`
  const assigned = sql`select id, started_at, voicemail from call
    where company_id = ${companyId} and assigned_to = ${userId} and ${state} ${rest}`
  if (search.mine) return sql`${assigned} ${answered}`
  return sql`${assigned} union all select id, started_at, voicemail from call
    where company_id = ${companyId} and number_id in ${numbers} and ${state} ${rest}
      and coalesce(${unindexed('assigned_to')}, 0) <> ${userId} ${answered}`
}

const isUnread = (companyId: CompanyId, userId: number) => sql`not exists (select 1 from call_read as r
  where r.user_id = ${userId} and r.call_id = c.id and ${unindexed('r.company_id')} = ${companyId})`

/** Newest first. */
export async function pageOfToDo(
  db: Db,
  companyId: CompanyId,
  search: ToDoSearch,
  { before, limit }: { before: ToDoPlace | undefined; limit: number },
): Promise<ToDoRow[]> {
  const place = before ? sql`where (started_at, id) < (${before.at}, ${before.id})` : sql``
  const { rows } = await sql<{ id: number; started_at: number; unread: number }>`
    select c.id as id, c.started_at as started_at,
      case when ${isUnread(companyId, search.userId)} then 1 else 0 end as unread
    from (select * from (${rowsOf(db, companyId, search)}) as found ${place}
      order by started_at desc, id desc limit ${limit}) as c
    order by c.started_at desc, c.id desc`.execute(db)
  return rows.map(({ id, started_at, unread }) => ({
    id: Number(id),
    startedAt: Number(started_at),
    isUnread: Number(unread) === 1,
  }))
}

export interface ToDoCounts {
  missed: number
  voicemails: number
  unread: number
}

/** Of all open calls of the period. */
export async function countToDo(
  db: Db,
  companyId: CompanyId,
  search: Pick<ToDoSearch, 'userId' | 'numberIds' | 'opensAll' | 'since'>,
): Promise<ToDoCounts> {
  const all = { ...search, done: false, voicemail: undefined, mine: false, numberId: undefined }
  const { rows } = await sql<{ total: number; voicemails: number; unread: number }>`
    select count(*) as total, count(c.voicemail) as voicemails,
      coalesce(sum(case when ${isUnread(companyId, search.userId)} then 1 else 0 end), 0) as unread
    from (${rowsOf(db, companyId, all)}) as c`.execute(db)
  const { total, voicemails, unread } = rows[0] ?? { total: 0, voicemails: 0, unread: 0 }
  return { missed: Number(total) - Number(voicemails), voicemails: Number(voicemails), unread: Number(unread) }
}

export async function markCallRead(
  db: Db,
  companyId: CompanyId,
  { userId, callId }: { userId: number; callId: number },
  at: number,
): Promise<void> {
  await db
    .insertInto('call_read')
    .values({ user_id: userId, call_id: callId, company_id: companyId, read_at: at })
    .onConflict((conflict) => conflict.columns(['user_id', 'call_id']).doNothing())
    .execute()
}

export async function markCallUnread(
  db: Db,
  companyId: CompanyId,
  { userId, callId }: { userId: number; callId: number },
): Promise<void> {
  await db
    .deleteFrom('call_read')
    .where('user_id', '=', userId)
    .where('call_id', '=', callId)
    .where(unindexed('company_id'), '=', companyId)
    .execute()
}
