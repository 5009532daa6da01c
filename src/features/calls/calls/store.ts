import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, jsonArray, jsonRows, lockRow, unindexed, wordsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CallTable, CompanyId } from '../../../db/tables.ts'
import type { CallRecord, CallStatus } from '../../../domain/call/record.ts'
import { statusOf } from '../../../domain/call/record.ts'
import { digitsOnly } from '../../../domain/phone-number.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import { countCall, deleteOldCounts } from './count-store.ts'
import { numbersOfUser } from './number-users-store.ts'
import { forgetParties, indexParty, partiesOfCalls } from './party-store.ts'

/** The call as the engine wrote it, with comments, tags and other later changes. */
export interface Call extends CallRecord {
  id: number
  companyId: CompanyId
  uuid: string
  /** The external party in display format, or `anonymous`. */
  externalDisplay: string
  archived: boolean
  /** Keys in the file store. */
  recording: string | null
  recordingMs: number | null
  voicemail: string | null
  voicemailMs: number | null
  publishedEvents: CallTable['told']
  tags: CallTag[]
  comments: CallComment[]
}

export interface CallTag {
  id: number
  name: string
  color: string
  taggedBy: number | null
  taggedAt: number
}

export interface CallComment {
  id: number
  content: string
  postedBy: number | null
  postedAt: number
}

/** Kinds of audio files of a call. */
export type CallAudioKind = 'recording' | 'voicemail'

/** A row of `call as c` with its related rows, in the order of Parts. */
const parts = (db: Db) =>
  jsonArray(
    db,
    sql`c.id, c.company_id, c.uuid, c.direction, c.number_id, c.external, c.external_display, c.missed_call_reason,
      c.hangup_cause, c.started_at, c.answered_at, c.ended_at, c.user_id, c.assigned_to, c.transferred_by,
      c.transferred_to, c.transferred_out, c.callback_of, c.team_ids, c.participants, c.ivr_options, c.archived,
      c.recording, c.recording_ms, c.voicemail, c.voicemail_ms, c.told, ${tagParts(db)}, ${commentParts(db)}`,
  )

const tagParts = (db: Db) => sql`(
  select ${jsonRows(db, jsonArray(db, sql`t.id, t.name, m.tagged_by, m.tagged_at, t.color`), sql`m.tagged_at, t.id`)}
  from call_tag as m join tag as t on t.id = m.tag_id where m.call_id = c.id and +m.company_id = c.company_id)`

const commentParts = (db: Db) => sql`(
  select ${jsonRows(db, jsonArray(db, sql`m.id, m.content, m.posted_by, m.posted_at`), sql`m.id`)}
  from call_comment as m where m.call_id = c.id and +m.company_id = c.company_id)`

type Id = number | null
type Text = string | null
type Parts = [
  ...[id: number, companyId: number, uuid: string, direction: Call['direction'], numberId: number],
  ...[external: string, display: string, missed: Call['missedReason'], cause: Call['hangupCause']],
  ...[startedAt: number, answeredAt: Id, endedAt: Id, userId: Id, assignedTo: Id],
  ...[transferredBy: Id, transferredTo: Id, transferredOut: number, callbackOf: Id],
  ...[teamIds: string, participants: string, ivrOptions: string, archived: number],
  ...[recording: Text, recordingMs: Id, voicemail: Text, voicemailMs: Id, publishedEvents: Call['publishedEvents']],
  tags: [id: number, name: string, by: Id, at: number, color: string][],
  comments: [id: number, content: string, by: Id, at: number][],
]

const toCall = (of: Parts): Call => ({
  id: of[0],
  companyId: of[1],
  uuid: of[2],
  direction: of[3],
  numberId: of[4],
  external: of[5],
  externalDisplay: of[6],
  missedReason: of[7],
  hangupCause: of[8],
  startedAt: of[9],
  answeredAt: of[10],
  endedAt: of[11],
  userId: of[12],
  assignedTo: of[13],
  transferredBy: of[14],
  transferredTo: of[15],
  transferredOut: of[16] === 1,
  callbackOf: of[17],
  teamIds: listFrom(of[18]),
  participants: listFrom(of[19]),
  ivrOptions: listFrom(of[20]),
  archived: of[21] === 1,
  recording: of[22],
  recordingMs: of[23],
  voicemail: of[24],
  voicemailMs: of[25],
  publishedEvents: of[26],
  tags: of[27].map(([id, name, taggedBy, taggedAt, color]) => ({ id, name, color, taggedBy, taggedAt })),
  comments: of[28].map(([id, content, postedBy, postedAt]) => ({ id, content, postedBy, postedAt })),
})

const listFrom = (text: string) => (text === '[]' ? [] : JSON.parse(text))

/** `call as c` rows for statements elsewhere, and how to read them. */
export const callRows = {
  each: parts,
  read(list: string): Call[] {
    const found: Parts[] = JSON.parse(list)
    return found.map(toCall)
  },
}

const byIds = hotQuery((db, { companyId, ids }: { companyId: CompanyId; ids: string }) =>
  sql<{ calls: string }>`select cast(${jsonRows(db, parts(db), sql`c.id`)} as text) as calls
    from call as c where c.id in ${idsFromJson(db, ids)} and +c.company_id = ${companyId}`.compile(db),
)

export async function callsById(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Map<number, Call>> {
  if (ids.length === 0) return new Map()
  const [row] = await byIds(db, { companyId, ids: JSON.stringify(ids) })
  return new Map(callRows.read(row?.calls ?? '[]').map((call) => [call.id, call]))
}

export async function findCall(db: Db, companyId: CompanyId, id: number): Promise<Call | undefined> {
  return (await callsById(db, companyId, [id])).get(id)
}

/** By start time, after a position; `numberIds` null: of all numbers. */
export async function callsAfter(
  db: Db,
  companyId: CompanyId,
  {
    after,
    since,
    numberIds,
  }: { after: { at: number; id: number }; since: number; numberIds: readonly number[] | null },
  limit: number,
): Promise<Call[]> {
  const mine = numberIds ? sql`and ${unindexed('number_id')} in ${idsFromJson(db, JSON.stringify(numberIds))}` : sql``
  const { rows } = await sql<{ calls: string }>`
    select cast(${jsonRows(db, parts(db), sql`c.started_at, c.id`)} as text) as calls
    from (select * from call where company_id = ${companyId} and (started_at, id) > (${after.at}, ${after.id})
      and started_at >= ${since} ${mine} order by started_at, id limit ${limit}) as c`.execute(db)
  return callRows.read(rows[0]?.calls ?? '[]')
}

const locked = hotQuery((db, { companyId, id }: { companyId: CompanyId; id: number }) =>
  lockRow(
    db,
    db.selectFrom('call').select('id').where('id', '=', id).where(unindexed('company_id'), '=', companyId),
  ).compile(),
)

/** Locked until the transaction ends, so that the events of a call have one order. */
export async function lockCall(db: Db, companyId: CompanyId, id: number): Promise<Call | undefined> {
  const [row] = await locked(db, { companyId, id })
  return row && findCall(db, companyId, id)
}

const lockedAll = hotQuery((db, { companyId, ids }: { companyId: CompanyId; ids: string }) =>
  lockRow(
    db,
    db
      .selectFrom('call')
      .select('id')
      .where('id', 'in', idsFromJson(db, ids))
      .where(unindexed('company_id'), '=', companyId)
      .orderBy('id'),
  ).compile(),
)

/** Several calls, locked in the order of their ids to prevent deadlocks. */
export async function lockCalls(db: Db, companyId: CompanyId, wanted: ReadonlySet<number>): Promise<Map<number, Call>> {
  const rows = await lockedAll(db, { companyId, ids: JSON.stringify([...wanted]) })
  return callsById(
    db,
    companyId,
    rows.map(({ id }) => id),
  )
}

const setPublished = hotQuery(
  (db, v: { companyId: CompanyId; ids: string; publishedEvents: Call['publishedEvents'] }) =>
    db
      .updateTable('call')
      .set({ told: v.publishedEvents })
      .where('id', 'in', idsFromJson(db, v.ids))
      .where(unindexed('company_id'), '=', v.companyId)
      .compile(),
)

export async function markPublished(
  db: Db,
  companyId: CompanyId,
  ids: readonly number[],
  publishedEvents: Call['publishedEvents'],
): Promise<void> {
  if (ids.length > 0) await setPublished(db, { companyId, ids: JSON.stringify(ids), publishedEvents })
}

/** Columns that only the engine changes during a call. */
const recordColumns = (record: CallRecord, status: CallStatus) => ({
  numberId: record.numberId,
  status,
  missed: record.missedReason,
  cause: record.hangupCause,
  answeredAt: record.answeredAt,
  endedAt: record.endedAt,
  userId: record.userId,
  assignedTo: record.assignedTo,
  transferredBy: record.transferredBy,
  transferredTo: record.transferredTo,
  transferredOut: record.transferredOut ? 1 : 0,
  teamIds: JSON.stringify(record.teamIds),
  participants: JSON.stringify(record.participants),
  ivrOptions: JSON.stringify(record.ivrOptions),
})

type RecordColumns = ReturnType<typeof recordColumns>
type NewRow = RecordColumns & {
  companyId: CompanyId
  uuid: string
  direction: string
  external: string
  display: string
  digits: string
  startedAt: number
  callbackOf: number | null
}

const insertRow = hotQuery<NewRow, { id: number }>((db, v) =>
  sql<{ id: number }>`
    insert into call (company_id, uuid, direction, number_id, external, external_display, external_digits, status,
      missed_call_reason, hangup_cause, started_at, answered_at, ended_at, user_id, assigned_to, transferred_by,
      transferred_to, transferred_out, callback_of, team_ids, participants, ivr_options, archived, told)
    values (${v.companyId}, ${v.uuid}, ${v.direction}, ${v.numberId}, ${v.external}, ${v.display}, ${v.digits},
      ${v.status}, ${v.missed}, ${v.cause}, ${v.startedAt}, ${v.answeredAt}, ${v.endedAt}, ${v.userId}, ${v.assignedTo},
      ${v.transferredBy}, ${v.transferredTo}, ${v.transferredOut}, ${v.callbackOf}, ${v.teamIds}, ${v.participants},
      ${v.ivrOptions}, 0, 'nothing')
    returning id`.compile(db),
)

export async function insertCall(
  db: Db,
  companyId: CompanyId,
  { uuid, record }: { uuid: string; record: CallRecord },
): Promise<number> {
  const { direction, external, startedAt, callbackOf } = record
  const isAnonymous = external === 'anonymous'
  const digits = isAnonymous ? '' : digitsOnly(external)
  const [row] = await insertRow(db, {
    ...recordColumns(record, statusOf(record)),
    companyId,
    uuid,
    direction,
    external,
    display: isAnonymous ? external : (await describeNumber(external)).display,
    digits,
    startedAt,
    callbackOf,
  })
  if (!row) throw new Error('an insert must return its row')
  await indexParty(db, companyId, digits)
  await countCall(db, companyId, record)
  return row.id
}

const updateRow = hotQuery<RecordColumns & { companyId: CompanyId; id: number }, never>((db, v) =>
  sql<never>`
    update call set number_id = ${v.numberId}, status = ${v.status}, missed_call_reason = ${v.missed},
      hangup_cause = ${v.cause}, answered_at = ${v.answeredAt}, ended_at = ${v.endedAt}, user_id = ${v.userId},
      assigned_to = ${v.assignedTo}, transferred_by = ${v.transferredBy}, transferred_to = ${v.transferredTo},
      transferred_out = ${v.transferredOut}, team_ids = ${v.teamIds}, participants = ${v.participants},
      ivr_options = ${v.ivrOptions}
    where id = ${v.id} and +company_id = ${v.companyId}`.compile(db),
)

/** Only the columns of the engine: changes by users and files stay. */
export async function updateRecord(
  db: Db,
  companyId: CompanyId,
  id: number,
  record: CallRecord,
  status: CallStatus,
): Promise<void> {
  await updateRow(db, { ...recordColumns(record, status), companyId, id })
}

export type CallChange = Partial<
  Pick<CallTable, 'archived' | 'assigned_to' | 'told' | 'recording' | 'recording_ms' | 'voicemail' | 'voicemail_ms'>
>

export async function updateCall(db: Db, companyId: CompanyId, id: number, change: CallChange): Promise<void> {
  await db.updateTable('call').set(change).where('id', '=', id).where(unindexed('company_id'), '=', companyId).execute()
}

/** Users whose phone rings for the call, or who are on it. */
export async function usersOnCall(db: Db, companyId: CompanyId, uuid: string): Promise<number[]> {
  const rung = db.selectFrom('ring_reservation').select('user_id').where('key', '=', uuid)
  const parties = db.selectFrom('live_party').select('user_id').where('key', '=', uuid)
  const rows = await rung
    .where('company_id', '=', companyId)
    .union(parties.where('company_id', '=', companyId))
    .execute()
  return rows.map(({ user_id }) => user_id)
}

/**
 * Whether it is a call of the user: answered, assigned, transferred, joined, ringing now, missed along with all others,
 * or missed on a Number of the user.
 */
export async function isCallOfUser(db: Db, companyId: CompanyId, call: Call, userId: number): Promise<boolean> {
  const { userId: taker, assignedTo, transferredBy, transferredTo, participants, uuid } = call
  if ([taker, assignedTo, transferredBy, transferredTo].includes(userId)) return true
  if (participants.some((party) => party.kind === 'user' && party.userId === userId)) return true
  if (call.endedAt === null && (await usersOnCall(db, companyId, uuid)).includes(userId)) return true
  if (call.missedReason !== null && (await numbersOfUser(db, companyId, userId)).includes(call.numberId)) return true
  return hasRungOn(db, companyId, call, userId)
}

/** An answered call no longer belongs to the other agents it rang. */
async function hasRungOn(db: Db, companyId: CompanyId, call: Call, userId: number): Promise<boolean> {
  const rings = await db
    .selectFrom('ring_attempt')
    .select('outcome')
    .where('call_id', '=', call.id)
    .where('user_id', '=', userId)
    .where(unindexed('company_id'), '=', companyId)
    .execute()
  return rings.some(({ outcome }) => call.answeredAt === null || outcome === 'answered')
}

/** The routing trace of the call, in order. */
export async function traceOf(db: Db, companyId: CompanyId, id: number): Promise<{ at: number; entry: string }[]> {
  return db
    .selectFrom('call_trace')
    .select(['at', 'entry'])
    .where('call_id', '=', id)
    .where(unindexed('company_id'), '=', companyId)
    .orderBy('id')
    .execute()
}

/** The oldest calls before a time, with their files. */
export async function oldCalls(db: Db, companyId: CompanyId, before: number, limit: number) {
  return db
    .selectFrom('call')
    .select(['id', 'recording', 'voicemail'])
    .where('company_id', '=', companyId)
    .where('started_at', '<', before)
    .orderBy('started_at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Comments, tags and traces are deleted with the row. */
export async function deleteCalls(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<void> {
  const these = idsFromJson(db, JSON.stringify(ids)) as never
  const mine = unindexed('company_id')
  await db.deleteFrom('ring_attempt').where('call_id', 'in', these).where(mine, '=', companyId).execute()
  await db.deleteFrom('ai_agent_session').where('call_id', 'in', these).where(mine, '=', companyId).execute()
  await db.deleteFrom('short_url').where('call_id', 'in', these).where(mine, '=', companyId).execute()
  const keys = JSON.stringify(ids.flatMap((id) => [`call:${id}`, `insight:${id}`]))
  const webhooks = db.selectFrom('webhook').select('id').where('company_id', '=', companyId)
  await db
    .deleteFrom('stream')
    .where('webhook_id', 'in', webhooks)
    .where('resource_key', 'in', wordsFromJson(db, keys) as never)
    .where(mine, '=', companyId)
    .execute()
  const parties = await partiesOfCalls(db, companyId, ids)
  await db.deleteFrom('call').where('id', 'in', these).where(mine, '=', companyId).execute()
  await forgetParties(db, companyId, parties)
}

/** Analytics rows of unreadable calls: ring attempts without a call, and daily counts. */
export async function deleteOldFacts(db: Db, companyId: CompanyId, before: number): Promise<void> {
  await db.deleteFrom('ring_attempt').where('company_id', '=', companyId).where('started_at', '<', before).execute()
  await deleteOldCounts(db, companyId, before)
  // The last one stays: it holds the status of the user at the start of the remaining period.
  await sql`delete from user_status where company_id = ${companyId} and at < ${before} and exists (
    select 1 from user_status as later where later.company_id = ${companyId} and later.user_id = user_status.user_id
      and later.at < ${before} and (later.at, later.id) > (user_status.at, user_status.id))`.execute(db)
}
