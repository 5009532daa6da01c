import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { rowsFromJson, wordsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { BulkChangeRowTable, BulkChangeTable, CompanyId } from '../../../db/tables.ts'
import type { Contact } from '../contacts/store.ts'
import type { NewContact } from '../contacts/write-store.ts'

// Bulk changes and their rows: what is to be written, and the contact before. Kept for a day, so that they can be undone.

export type BulkChange = Pick<BulkChangeTable, 'kind' | 'state' | 'total' | 'done'> & { id: number; createdAt: number }

export interface BulkChangeRow {
  position: number
  contactId: number | null
  /** Null: the contact is deleted. */
  input: NewContact | null
  before: Contact | null
  writtenAt: number | null
}

export type NewRow = Pick<BulkChangeRow, 'contactId' | 'input'>

export async function insertBulkChange(
  db: Db,
  companyId: CompanyId,
  {
    kind,
    userId,
    rows,
    at,
  }: { kind: BulkChangeTable['kind']; userId: number | null; rows: readonly NewRow[]; at: number },
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
    const some = rows.slice(from, from + rowsPerInsert).map(({ contactId, input }, i) => ({
      change_id: id,
      company_id: companyId,
      position: from + i,
      object_id: contactId,
      input: input && JSON.stringify(input),
      before: null,
      written_at: null,
    }))
    await db.insertInto('bulk_change_row').values(some).execute()
  }
  return { id, kind, state: 'running', total: rows.length, done: 0, createdAt: at }
}

const rowsPerInsert = 200

export async function findBulkChange(db: Db, companyId: CompanyId, id: number): Promise<BulkChange | undefined> {
  const row = await db
    .selectFrom('bulk_change')
    .select(['id', 'kind', 'state', 'total', 'done', 'created_at'])
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    row && { id: row.id, kind: row.kind, state: row.state, total: row.total, done: row.done, createdAt: row.created_at }
  )
}

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
export async function nextRows(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  { undo, limit }: { undo: boolean; limit: number },
): Promise<BulkChangeRow[]> {
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
    contactId: row.object_id,
    input: row.input === null ? null : JSON.parse(row.input),
    before: row.before === null ? null : JSON.parse(row.before),
    writtenAt: row.written_at,
  }))
}

export async function markRow(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  { position, contactId, before, writtenAt }: Omit<BulkChangeRow, 'input'>,
): Promise<void> {
  const set: Partial<BulkChangeRowTable> = {
    object_id: contactId,
    before: before && JSON.stringify(before),
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
const markCreatedRows = hotQuery<MarkedRows, never>((db, v) =>
  sql<never>`update bulk_change_row set object_id = given.contact_id, written_at = cast(${v.writtenAt} as bigint)
    from ${rowsFromJson(db, v.rows, { position: 'integer', contact_id: 'bigint' })}
    where bulk_change_row.company_id = ${v.companyId} and bulk_change_row.change_id = ${v.changeId}
      and bulk_change_row.position between ${v.first} and ${v.last} and bulk_change_row.position = given.position`.compile(
    db,
  ),
)

/** Rows of contacts that the change has created. */
export async function markCreated(
  db: Db,
  companyId: CompanyId,
  changeId: number,
  { created, writtenAt }: { created: readonly { position: number; contactId: number }[]; writtenAt: number },
): Promise<void> {
  const rows = created.map(({ position, contactId }) => ({ position, contact_id: contactId }))
  const first = created[0]?.position ?? 0
  const last = created.at(-1)?.position ?? 0
  await markCreatedRows(db, { companyId, changeId, rows: JSON.stringify(rows), first, last, writtenAt })
}

export interface KnownPhone {
  digits: string
  value: string
  contactId: number
}

/** Contacts with these digits, in international or national form; the oldest contact comes first. */
export async function phonesWith(db: Db, companyId: CompanyId, digits: readonly string[]): Promise<KnownPhone[]> {
  const rows = await db
    .selectFrom('contact_phone')
    .select(['digits', 'value', 'contact_id'])
    .where('company_id', '=', companyId)
    .where('digits', 'in', wordsFromJson(db, JSON.stringify(digits)) as never)
    .orderBy('contact_id')
    .execute()
  return rows.map((row) => ({ digits: row.digits, value: row.value, contactId: row.contact_id }))
}

/** For all companies; the rows go with it. */
export async function deleteOldBulkChanges(db: Db, before: number): Promise<void> {
  await db.deleteFrom('bulk_change').where('created_at', '<', before).execute()
}
