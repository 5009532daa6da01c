import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { rowsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { BulkChangeRowTable, BulkChangeTable, CompanyId } from '../../../db/tables.ts'

// Bulk changes of contacts and imports of users with their rows: what is to be written, and the object before. Kept for a
// day, so that they can be undone.

export type BulkChange = Pick<BulkChangeTable, 'kind' | 'state' | 'total' | 'done'> & { id: number; createdAt: number }

export interface BulkChangeRow<Input, Before> {
  position: number
  objectId: number | null
  /** Null: the object is deleted. */
  input: Input | null
  before: Before | null
  writtenAt: number | null
}

type Kind = BulkChangeTable['kind']

export async function insertBulkChange(
  db: Db,
  companyId: CompanyId,
  {
    kind,
    userId,
    rows,
    at,
  }: {
    kind: Kind
    userId: number | null
    rows: readonly { objectId: number | null; input: object | null }[]
    at: number
  },
): Promise<BulkChange> {
  const { id } = await db
    .insertInto('bulk_change')
    .values({
      company_id: companyId,
      user_id: userId,
      kind,
      state: 'running',
      total: rows.length,
      done: 0,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (let from = 0; from < rows.length; from += rowsPerInsert) {
    const some = rows.slice(from, from + rowsPerInsert).map(({ objectId, input }, i) => ({
      change_id: id,
      company_id: companyId,
      position: from + i,
      object_id: objectId,
      input: input && JSON.stringify(input),
      before: null,
      written_at: null,
    }))
    await db.insertInto('bulk_change_row').values(some).execute()
  }
  return { id, kind, state: 'running', total: rows.length, done: 0, createdAt: at }
}

const rowsPerInsert = 200

/** Of one of these kinds. */
export async function findBulkChange(
  db: Db,
  companyId: CompanyId,
  id: number,
  kinds: readonly Kind[],
): Promise<BulkChange | undefined> {
  const row = await db
    .selectFrom('bulk_change')
    .select(['id', 'kind', 'state', 'total', 'done', 'created_at'])
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('kind', 'in', kinds)
    .executeTakeFirst()
  return row && changeOf(row)
}

/** Those of one of these kinds that can still be undone or were undone, newest first. */
export async function recentBulkChanges(
  db: Db,
  companyId: CompanyId,
  kinds: readonly Kind[],
): Promise<(BulkChange & { userId: number | null })[]> {
  const rows = await db
    .selectFrom('bulk_change')
    .select(['id', 'kind', 'state', 'total', 'done', 'created_at', 'user_id'])
    .where('company_id', '=', companyId)
    .where('kind', 'in', kinds)
    .orderBy('id', 'desc')
    .limit(recentChanges)
    .execute()
  return rows.map((row) => ({ ...changeOf(row), userId: row.user_id }))
}

const recentChanges = 20

const changeOf = ({ id, kind, state, total, done, created_at }: BulkChangeColumns & { id: number }): BulkChange => ({
  id,
  kind,
  state,
  total,
  done,
  createdAt: created_at,
})

type BulkChangeColumns = Pick<BulkChangeTable, 'kind' | 'state' | 'total' | 'done' | 'created_at'>

/** Whether the state was `from`. */
export async function moveBulkChange(
  db: Db,
  companyId: CompanyId,
  id: number,
  { from, to }: { from: BulkChangeTable['state']; to: BulkChangeTable['state'] },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('bulk_change')
    .set({ state: to })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('state', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function addDone(db: Db, companyId: CompanyId, id: number, n: number): Promise<void> {
  await db
    .updateTable('bulk_change')
    .set({ done: sql`done + ${n}` })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

/** The next rows to write in order, or the next to undo in reverse. */
export async function nextRows<Input, Before>(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  { undo, limit }: { undo: boolean; limit: number },
): Promise<BulkChangeRow<Input, Before>[]> {
  const rows = await db
    .selectFrom('bulk_change_row')
    .select(['position', 'object_id', 'input', 'before', 'written_at'])
    .where('company_id', '=', companyId)
    .where('change_id', '=', changeId)
    .where('written_at', undo ? 'is not' : 'is', null)
    // Rows are written in order: those before are not read again.
    .$if(!undo, (query) =>
      query.where('position', '>=', (change) =>
        change.selectFrom('bulk_change').select('done').where('company_id', '=', companyId).where('id', '=', changeId),
      ),
    )
    .orderBy('position', undo ? 'desc' : 'asc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    position: row.position,
    objectId: row.object_id,
    input: row.input === null ? null : JSON.parse(row.input),
    before: row.before === null ? null : JSON.parse(row.before),
    writtenAt: row.written_at,
  }))
}

const textOf = (value: unknown) => (value === null ? null : JSON.stringify(value))

export async function markRow(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  { position, objectId, before, writtenAt }: Omit<BulkChangeRow<unknown, unknown>, 'input'>,
): Promise<void> {
  const set: Partial<BulkChangeRowTable> = {
    object_id: objectId,
    before: textOf(before),
    written_at: writtenAt,
  }
  await db
    .updateTable('bulk_change_row')
    .set(set)
    .where('company_id', '=', companyId)
    .where('change_id', '=', changeId)
    .where('position', '=', position)
    .execute()
}

interface MarkedRows {
  companyId: CompanyId
  changeId: number
  rows: string
  first: number
  last: number
  writtenAt: number
}

// The range lets both databases use the primary key instead of comparing every row of the change with every given one.
const markRows = hotQuery<MarkedRows, never>((db, v) =>
  sql<never>`update bulk_change_row set object_id = given.object_id, before = given.earlier,
      written_at = cast(${v.writtenAt} as bigint)
    from ${rowsFromJson(db, v.rows, { position: 'integer', object_id: 'bigint', earlier: 'text' })}
    where bulk_change_row.company_id = ${v.companyId} and bulk_change_row.change_id = ${v.changeId}
      and bulk_change_row.position between ${v.first} and ${v.last} and bulk_change_row.position = given.position`.compile(
    db,
  ),
)

/** Neighbouring rows that were written together. */
export async function markWritten(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  {
    rows: written,
    writtenAt,
  }: { rows: readonly Pick<BulkChangeRow<unknown, unknown>, 'position' | 'objectId' | 'before'>[]; writtenAt: number },
): Promise<void> {
  const rows = written.map(({ position, objectId, before }) => ({
    position,
    object_id: objectId,
    earlier: textOf(before),
  }))
  const first = written[0]?.position ?? 0
  const last = written.at(-1)?.position ?? 0
  await markRows(db, { companyId, changeId, rows: JSON.stringify(rows), first, last, writtenAt })
}

/** The rows of one batch of an undo: all that were written between its first and its last one. */
export async function markUndone(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  rows: readonly Pick<BulkChangeRow<unknown, unknown>, 'position'>[],
): Promise<void> {
  const positions = rows.map(({ position }) => position)
  if (positions.length === 0) return
  await db
    .updateTable('bulk_change_row')
    .set({ written_at: null })
    .where('company_id', '=', companyId)
    .where('change_id', '=', changeId)
    .where('position', '>=', Math.min(...positions))
    .where('position', '<=', Math.max(...positions))
    .execute()
}

/** All rows of a change that were written, after a position. */
export async function writtenRows<Input>(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  { after, limit }: { after: number; limit: number },
): Promise<{ position: number; objectId: number; input: Input }[]> {
  const rows = await db
    .selectFrom('bulk_change_row')
    .select(['position', 'object_id', 'input'])
    .where('company_id', '=', companyId)
    .where('change_id', '=', changeId)
    .where('written_at', 'is not', null)
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    position: row.position,
    objectId: row.object_id ?? 0,
    input: JSON.parse(row.input ?? 'null'),
  }))
}

/** For all companies; the rows go with it. */
export async function deleteOldBulkChanges(db: Db, before: number): Promise<void> {
  await db.deleteFrom('bulk_change').where('created_at', '<', before).execute()
}
