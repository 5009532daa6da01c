import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, readApart, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { ParticipantMood } from '../../../domain/intelligence/sentiment.ts'
import type { Utterance } from '../../../domain/intelligence/transcript.ts'
import type { TranscriptSearch } from '../../../domain/intelligence/transcript-words.ts'
import { endOfRange } from '../../../domain/search-words.ts'
import { type Narrowing, narrowedBy } from '../../analytics/index.ts'

export interface CallsAsked extends Narrowing {
  from: number
  /** Exclusive. */
  to: number
}

const askedCalls = (db: Db, asked: CallsAsked) =>
  sql`c.started_at >= ${asked.from} and c.started_at < ${asked.to} ${narrowedBy(db, asked, 'c.')}`

/**
 * Calls whose transcript has all words, the latest first. The longest whole word is read from the index in the order of
 * calls, the others are looked up per call, so that no more is read than is returned.
 */
export async function callsSaying(
  db: Db,
  companyId: CompanyId,
  { whole, beginning }: TranscriptSearch,
  asked: CallsAsked,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<number[]> {
  const [lead, ...others] = [...whole].sort((a, b) => b.length - a.length)
  const isIn = (condition: RawBuilder<unknown>) => sql`and exists (select 1 from transcript_word as x
    where x.call_id = w.call_id and x.company_id = ${companyId} and ${condition})`
  const begins = (column: string, part: string) =>
    sql`${sql.ref(column)} >= ${part} and ${sql.ref(column)} < ${endOfRange(part)}`
  const leading = lead === undefined ? begins('w.word', beginning ?? '') : sql`w.word = ${lead}`
  const conditions = others.map((word) => isIn(sql`x.word = ${word}`))
  if (lead !== undefined && beginning !== undefined) conditions.push(isIn(begins('x.word', beginning)))
  const rows = await readApart(
    db,
    sql<{ id: number }>`select ${lead === undefined ? sql`distinct` : sql``} w.call_id as id
      from transcript_word as w join call as c on c.id = w.call_id
      where w.company_id = ${companyId} and ${leading} ${before === undefined ? sql`` : sql`and w.call_id < ${before}`}
        and ${askedCalls(db, asked)} ${sql.join(conditions, sql` `)}
      order by w.call_id desc limit ${limit}`.compile(db),
  )
  return rows.map(({ id }) => id)
}

export async function utterancesOfCalls(
  db: Db,
  companyId: CompanyId,
  callIds: readonly number[],
): Promise<Map<number, Utterance[]>> {
  const rows = await db
    .selectFrom('transcript')
    .select(['call_id', 'utterances'])
    .where('call_id', 'in', idsFromJson(db, JSON.stringify(callIds)) as never)
    .where(unindexed('company_id'), '=', companyId)
    .execute()
  return new Map(rows.map(({ call_id, utterances }) => [call_id, JSON.parse(utterances ?? '[]')]))
}

export interface ConversationFacts {
  id: number
  at: number
  userId: number | null
  internalMs: number | null
  externalMs: number | null
  topics: string[]
  moods: ParticipantMood[]
}

interface FactRow {
  id: number
  at: number
  user_id: number | null
  internal_ms: number | null
  external_ms: number | null
  topics: string | null
  moods: string | null
}

const batch = 2_000

/** Transcribed calls of the period, in batches along the index of their time. */
export async function* conversationsIn(
  db: Db,
  companyId: CompanyId,
  asked: CallsAsked,
): AsyncGenerator<ConversationFacts[]> {
  for (let after = { at: asked.from, id: 0 }; ; ) {
    const result = (kind: 'topics' | 'sentiment') =>
      sql`(select i.content from insight as i where i.call_id = c.id and i.kind = ${sql.lit(kind)})`
    const rows = await readApart(
      db,
      sql<FactRow>`select c.id as id, c.started_at as at, c.user_id as user_id, t.internal_ms as internal_ms,
          t.external_ms as external_ms, ${result('topics')} as topics, ${result('sentiment')} as moods
        from call as c join transcript as t on t.call_id = c.id
        where c.company_id = ${companyId} and (c.started_at, c.id) > (${after.at}, ${after.id})
          and ${askedCalls(db, asked)} and t.utterances is not null
        order by c.started_at, c.id limit ${batch}`.compile(db),
    )
    if (rows.length > 0) yield rows.map(toFacts)
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    after = { at: last.at, id: last.id }
  }
}

const toFacts = (row: FactRow): ConversationFacts => ({
  id: row.id,
  at: row.at,
  userId: row.user_id,
  internalMs: row.internal_ms,
  externalMs: row.external_ms,
  topics: JSON.parse(row.topics ?? '[]'),
  moods: JSON.parse(row.moods ?? '[]'),
})

export interface ListedItem {
  id: number
  callId: number
  content: string
  aiGenerated: boolean
  createdAt: number
  doneAt: number | null
}

interface ItemRow {
  id: number
  call_id: number
  content: string
  ai_generated: number
  created_at: number
  done_at: number | null
}

const toItem = (row: ItemRow): ListedItem => ({
  id: row.id,
  callId: row.call_id,
  content: row.content,
  aiGenerated: row.ai_generated === 1,
  createdAt: row.created_at,
  doneAt: row.done_at,
})

const itemsOf = (db: Db, companyId: CompanyId, isDone: boolean, asked: CallsAsked) => sql`
  action_item as i join call as c on c.id = i.call_id
  where i.company_id = ${companyId} and i.done_at ${isDone ? sql`is not null` : sql`is null`} and ${askedCalls(db, asked)}`

/** Action items of the period, the latest first. */
export async function itemsAcrossCalls(
  db: Db,
  companyId: CompanyId,
  asked: CallsAsked,
  { isDone, before, limit }: { isDone: boolean; before: number | undefined; limit: number },
): Promise<ListedItem[]> {
  const rows = await readApart(
    db,
    sql<ItemRow>`select i.id as id, i.call_id as call_id, i.content as content, i.ai_generated as ai_generated,
        i.created_at as created_at, i.done_at as done_at
      from ${itemsOf(db, companyId, isDone, asked)} ${before === undefined ? sql`` : sql`and i.id < ${before}`}
      order by i.id desc limit ${limit}`.compile(db),
  )
  return rows.map(toItem)
}

export async function countOpenItems(db: Db, companyId: CompanyId, asked: CallsAsked): Promise<number> {
  const query = sql<{ n: number }>`select cast(count(*) as bigint) as n
    from ${itemsOf(db, companyId, false, asked)}`.compile(db)
  const [row] = await readApart(db, query)
  return row?.n ?? 0
}

export async function findItem(db: Db, companyId: CompanyId, id: number): Promise<ListedItem | undefined> {
  const row = await db
    .selectFrom('action_item')
    .select(['id', 'call_id', 'content', 'ai_generated', 'created_at', 'done_at'])
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row && toItem(row)
}

export async function markItem(
  db: Db,
  companyId: CompanyId,
  id: number,
  done: { at: number; by: number | null } | null,
): Promise<void> {
  await db
    .updateTable('action_item')
    .set({ done_at: done?.at ?? null, done_by: done?.by ?? null })
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .execute()
}
