// events/ is the event log: each change writes one row in its own transaction.
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { nextPosition, notifyAll, notifying, rowsFromJson, writesTogether } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import { isOneOfWords } from '../db/one-of.ts'
import type { CompanyId } from '../db/tables.ts'
import type { Clock } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import { deliverTo, fanOut, type Stream, type Taking, takingNumbers, takingOf } from './fan-out.ts'

/** Restricts the recipients: all webhooks except one · webhooks created with one token. */
export type Audience = { except: string } | { token: number }

export interface NewEvent {
  name: string
  resource: string
  /** For example `user:12`; delivery order is kept per resource. */
  resourceKey: string
  /**
   * The resource whose delivery order applies, if it is another one: call results are delivered after the events of the
   * call.
   */
  stream?: string
  /** A second resource whose later events wait for this one, in addition to its own order. */
  precedes?: string
  occurredAt: number
  /** JSON of the envelope's `data`, rendered once from the resource as it is now. */
  data: string
  /** The Number the event concerns, for integrations restricted to some Numbers. */
  numberId?: number
  audience?: Audience
  /** Placeholders in the data for URLs that are generated at delivery time. */
  assetRefs?: string
  /** A sample event requested by a user. */
  test?: boolean
}

export interface WrittenEvent extends NewEvent {
  rowId: number
  id: string
}

/**
 * Writes the rows and one delivery per subscribed webhook; listeners are notified on commit. The transaction must
 * already hold the lock on the row the events concern, so that event order is commit order.
 */
export async function appendEvents(
  tx: Tx,
  clock: Clock,
  companyId: CompanyId,
  events: NewEvent[],
  lateMs = 0,
): Promise<WrittenEvent[]> {
  if (events.length === 0) return []
  const [only] = events
  if (only && events.length === 1 && !only.test && writesTogether(tx)) {
    return [await appendOne(tx, clock, companyId, only, lateMs)]
  }
  const written = await insertEvents(tx, clock, companyId, events)
  const woken = await fanOut(tx, clock, companyId, written, lateMs)
  await notifyAll(tx, [
    ['events', String(companyId)],
    ['delivery', [...woken].join(',')],
  ])
  return written
}

const shape = {
  id: 'text',
  company_id: 'bigint',
  name: 'text',
  resource: 'text',
  resource_key: 'text',
  occurred_at: 'bigint',
  data: 'text',
  asset_refs: 'text',
  number_id: 'bigint',
  test: 'integer',
} as const
const columns = sql.join(Object.keys(shape).map((name) => sql.ref(name)))

type Inserted = { row_id: number; id: string }

/** Inserts any number of rows in one statement, in the given order. */
const insertInPlace = hotQuery<{ rows: string; position: number }, Inserted>((db, v) =>
  sql<Inserted>`
    insert into event (row_id, position, ${columns})
    select cast(${v.position} as integer) + place, cast(${v.position} as integer) + place, ${columns}
    from ${rowsFromJson(db, v.rows, { ...shape, place: 'integer' })} where 1 = 1
    returning row_id, id`.compile(db),
)
const insertUnplaced = hotQuery<{ rows: string }, Inserted>((db, v) =>
  sql<Inserted>`
    insert into event (${columns})
    select ${columns} from ${rowsFromJson(db, v.rows, { ...shape, place: 'integer' })} order by place
    returning row_id, id`.compile(db),
)

const withStreams = hotQuery<Taking & { rows: string; feed: string }, { row_id: number; streams: Stream[] | null }>(
  (db, v) =>
    sql<{ row_id: number; streams: Stream[] | null }>`
    with written as (
      insert into event (${columns}) select ${columns} from ${rowsFromJson(db, v.rows, shape)} returning row_id),
    streams as (${takingNumbers(v)})
    select row_id, (select json_agg(streams) from streams) as streams, ${notifying('events', v.feed)} from written`.compile(
      db,
    ),
  { keepsPlan: true },
)

/**
 * The common case on PostgreSQL: one statement for the event and the sequence numbers, a second one for the deliveries.
 */
async function appendOne(
  tx: Tx,
  clock: Clock,
  companyId: CompanyId,
  event: NewEvent,
  lateMs: number,
): Promise<WrittenEvent> {
  const id = `evt_${ulid(clock.machineNow())}`
  const rows = rowsOf(companyId, [{ ...event, id }])
  const [row] = await withStreams(tx, { ...takingOf(companyId, event), rows, feed: String(companyId) })
  if (!row) throw new Error('the insert returned no row')
  const written = { ...event, id, rowId: row.row_id }
  await deliverTo(tx, clock, companyId, written, row.streams ?? [], lateMs)
  return written
}

const rowsOf = (companyId: CompanyId, named: readonly (NewEvent & { id: string })[]): string =>
  JSON.stringify(
    named.map((event, place) => ({
      id: event.id,
      company_id: companyId,
      name: event.name,
      resource: event.resource,
      resource_key: event.resourceKey,
      occurred_at: event.occurredAt,
      data: event.data,
      asset_refs: event.assetRefs ?? null,
      number_id: event.numberId ?? null,
      test: event.test ? 1 : 0,
      place,
    })),
  )
async function insertEvents(
  tx: Tx,
  clock: Clock,
  companyId: CompanyId,
  events: readonly NewEvent[],
): Promise<WrittenEvent[]> {
  const named = events.map((event) => ({ ...event, id: `evt_${ulid(clock.machineNow())}` }))
  const rows = rowsOf(companyId, named)
  const position = await nextPosition(tx)
  const inserted = await (position === null ? insertUnplaced(tx, { rows }) : insertInPlace(tx, { rows, position }))
  const rowIds = new Map(inserted.map(({ id, row_id }) => [id, row_id]))
  return named.map((event) => {
    const rowId = rowIds.get(event.id)
    if (rowId === undefined) throw new Error('the insert returned no row')
    return { ...event, rowId }
  })
}

/** Events of the company in log order. */
export function readEvents(db: Db, companyId: CompanyId, afterRow = 0) {
  return db
    .selectFrom('event')
    .select(['row_id', 'id', 'name', 'resource', 'resource_key', 'occurred_at', 'data', 'redacted_at'])
    .where('company_id', '=', companyId)
    .where('row_id', '>', afterRow)
    .orderBy('row_id')
    .execute()
}

export interface Redaction {
  resourceKeys: readonly string[]
  /** Names of events that keep their payload until it is delivered. */
  except: readonly string[]
  limit: number
}

/**
 * Redacts a batch of payloads of these resources and returns their number. Receiver responses to redacted events are not
 * stored.
 */
export async function redactSomeEvents(
  tx: Tx,
  companyId: CompanyId,
  at: number,
  { resourceKeys, except, limit }: Redaction,
  rewrite: (data: string, resourceKey: string) => string,
): Promise<number> {
  const rows = await tx
    .selectFrom('event')
    .select(['row_id', 'resource_key', 'data'])
    .where('company_id', '=', companyId)
    .where(isOneOfWords(tx, 'resource_key', resourceKeys))
    .where('name', 'not in', except.length > 0 ? [...except] : [''])
    .where('redacted_at', 'is', null)
    .limit(limit)
    .execute()
  for (const { row_id, resource_key, data } of rows) await setPayload(tx, row_id, rewrite(data, resource_key), at)
  return rows.length
}

export interface Rewriting {
  /** The last resource of the previous batch; empty at the start. */
  after: string
  /** Only payloads containing one of these strings are read; null: all. */
  holding: readonly string[] | null
  /** Events of these resources are redacted, not rewritten. */
  except: ReadonlySet<string>
  limit: number
}

/**
 * Rewrites payloads of other resources that mention a person, a batch of resources at a time. Returns where to continue
 * while there is more.
 */
export async function rewriteSomeEvents(
  tx: Tx,
  companyId: CompanyId,
  at: number,
  { after, holding, except, limit }: Rewriting,
  rewrite: (data: string) => string | undefined,
): Promise<{ next: string | undefined; rewritten: string[] }> {
  const ofCompany = tx.selectFrom('event').where('company_id', '=', companyId)
  const resources = await ofCompany
    .select('resource_key')
    .distinct()
    .where('resource_key', '>', after)
    .orderBy('resource_key')
    .limit(limit)
    .execute()
  const all = resources.map(({ resource_key }) => resource_key)
  if (all.length === 0) return { next: undefined, rewritten: [] }
  const keys = all.filter((key) => !except.has(key))
  const rows = await ofCompany
    .select(['row_id', 'resource_key', 'data'])
    .where(isOneOfWords(tx, 'resource_key', keys))
    .$if(holding !== null, (query) =>
      query.where(({ or, eb }) => or((holding ?? []).map((text) => eb('data', 'like', `%${text}%`)))),
    )
    .execute()
  const rewritten = new Set<string>()
  for (const { row_id, resource_key, data } of rows) {
    const changed = rewrite(data)
    if (changed === undefined) continue
    await setPayload(tx, row_id, changed, at)
    rewritten.add(resource_key)
  }
  return { next: all.at(-1), rewritten: [...rewritten] }
}

const setPayload = (tx: Tx, rowId: number, data: string, at: number) =>
  tx.updateTable('event').set({ data, redacted_at: at }).where('row_id', '=', rowId).execute()
