// events/ is the spine: whatever happened is one row, written in the transaction that made it happen.
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { nextPosition, notifyAll } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId } from '../db/tables.ts'
import type { Clock } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import { fanOut } from './fan-out.ts'

/** Who gets it, when that is not whoever subscribed: all but one webhook · those made with one token. */
export type Audience = { except: string } | { token: number }

export interface NewEvent {
  name: string
  resource: string
  /** `user:12`: order is kept per resource. */
  resourceKey: string
  occurredAt: number
  /** The JSON text of the envelope's `data`, rendered once, as the resource is at this moment. */
  data: string
  /** The Number it is about, for integrations that may see some Numbers only. */
  numberId?: number
  audience?: Audience
  /** What stands for addresses in the data that are made when it is sent. */
  assetRefs?: string
  /** Nothing happened: somebody asked for a sample. */
  test?: boolean
}

export interface WrittenEvent extends NewEvent {
  rowId: number
  id: string
}

/**
 * Writes the rows and one delivery for each webhook that wants them; whoever waits is woken when the transaction commits.
 * The row the events are about must be locked by this transaction already: that makes their order the order of commits.
 */
export async function appendEvents(
  tx: Tx,
  clock: Clock,
  companyId: CompanyId,
  events: NewEvent[],
): Promise<WrittenEvent[]> {
  const written: WrittenEvent[] = []
  for (const event of events) {
    const id = `evt_${ulid(clock.machineNow())}`
    const position = await nextPosition(tx)
    const rowId = await insertEvent(tx, companyId, event, id, position)
    written.push({ ...event, rowId, id })
  }
  if (events.length === 0) return written
  const woken = await fanOut(tx, clock, companyId, written)
  await notifyAll(tx, [
    ['events', String(companyId)],
    ['delivery', [...woken].join(',')],
  ])
  return written
}

interface EventRow {
  position: number
  id: string
  companyId: CompanyId
  name: string
  resource: string
  resourceKey: string
  occurredAt: number
  data: string
  assetRefs: string | null
  numberId: number | null
  test: number
}

const columns = sql`id, company_id, name, resource, resource_key, occurred_at, data, asset_refs, number_id, test`
const values = (v: EventRow) =>
  sql`${v.id}, ${v.companyId}, ${v.name}, ${v.resource}, ${v.resourceKey}, ${v.occurredAt}, ${v.data}, ${v.assetRefs},
    ${v.numberId}, ${v.test}`

const insertInPlace = hotQuery<EventRow, { row_id: number }>((db, v) =>
  sql<{ row_id: number }>`
    insert into event (row_id, position, ${columns}) values (${v.position}, ${v.position}, ${values(v)})
    returning row_id`.compile(db),
)
const insertUnplaced = hotQuery<EventRow, { row_id: number }>((db, v) =>
  sql<{ row_id: number }>`insert into event (${columns}) values (${values(v)}) returning row_id`.compile(db),
)

async function insertEvent(
  tx: Tx,
  companyId: CompanyId,
  { name, resource, resourceKey, occurredAt, data, assetRefs, numberId, test }: NewEvent,
  id: string,
  position: number | null,
): Promise<number> {
  const told = { id, companyId, name, resource, resourceKey, occurredAt, data }
  const row = { ...told, assetRefs: assetRefs ?? null, numberId: numberId ?? null, test: test ? 1 : 0 }
  const [inserted] = await (position === null ? insertUnplaced(tx, row) : insertInPlace(tx, { ...row, position }))
  if (!inserted) throw new Error('an insert gives its row')
  return inserted.row_id
}

/** The company's events in the order they were written. */
export function readEvents(db: Db, companyId: CompanyId, afterRow = 0) {
  return db
    .selectFrom('event')
    .select(['row_id', 'id', 'name', 'resource', 'resource_key', 'occurred_at', 'data', 'redacted_at'])
    .where('company_id', '=', companyId)
    .where('row_id', '>', afterRow)
    .orderBy('row_id')
    .execute()
}

/** A person was deleted: what was said about them earlier keeps ids only; the farewell itself stays until it is due. */
export async function redactEvents(
  tx: Tx,
  companyId: CompanyId,
  at: number,
  about: { resourceKey: string; except: readonly string[]; data: string },
): Promise<void> {
  await tx
    .updateTable('event')
    .set({ data: about.data, redacted_at: at })
    .where('company_id', '=', companyId)
    .where('resource_key', '=', about.resourceKey)
    .where('name', 'not in', about.except.length > 0 ? [...about.except] : [''])
    .where('redacted_at', 'is', null)
    .execute()
}

/** Rewrites payloads of one kind of resource, for the people named inside them; says whose were changed. */
export async function rewriteEvents(
  tx: Tx,
  companyId: CompanyId,
  resource: string,
  rewrite: (data: string) => string | undefined,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('event')
    .select(['row_id', 'resource_key', 'data'])
    .where('company_id', '=', companyId)
    .where('resource', '=', resource)
    .execute()
  const rewritten = new Set<string>()
  for (const { row_id, resource_key, data } of rows) {
    const changed = rewrite(data)
    if (changed === undefined) continue
    await tx.updateTable('event').set({ data: changed }).where('row_id', '=', row_id).execute()
    rewritten.add(resource_key)
  }
  return [...rewritten]
}

export interface Rewriting {
  resource: string
  /** Only payloads with one of these texts are looked at. */
  holding: readonly string[]
  afterRow: number
  limit: number
}

/** The same for resources with very many events: some at a time. `lastRow` is where to go on, 0 when none is left. */
export async function rewriteSomeEvents(
  tx: Tx,
  companyId: CompanyId,
  at: number,
  { resource, holding, afterRow, limit }: Rewriting,
  rewrite: (data: string) => string | undefined,
): Promise<{ lastRow: number; rewritten: string[] }> {
  const rows = await tx
    .selectFrom('event')
    .select(['row_id', 'resource_key', 'data'])
    .where('company_id', '=', companyId)
    .where('resource', '=', resource)
    .where('row_id', '>', afterRow)
    .where(({ or, eb }) => or(holding.map((text) => eb('data', 'like', `%${text}%`))))
    .orderBy('row_id')
    .limit(limit)
    .execute()
  const rewritten = new Set<string>()
  for (const { row_id, resource_key, data } of rows) {
    const changed = rewrite(data)
    if (changed === undefined) continue
    await tx.updateTable('event').set({ data: changed, redacted_at: at }).where('row_id', '=', row_id).execute()
    rewritten.add(resource_key)
  }
  return { lastRow: rows.at(-1)?.row_id ?? 0, rewritten: [...rewritten] }
}
