import type { Db } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import type { AuditTable, CompanyId } from '../../../db/tables.ts'
import { type AuditKind, auditKinds } from '../../../domain/audit-kinds.ts'
import type { Window } from '../../../http/paging.ts'

// Entries of the audit log are inserted and never updated; the oldest are deleted after their retention period. The head of a company holds the number of entries and the
// seal of the last one.

export type Entry = Omit<AuditTable, 'hash'>

const columns = [
  'company_id',
  'n',
  'at',
  'actor_kind',
  'actor_id',
  'action',
  'target',
  'details',
  'address',
  'hash',
] as const

/** The number of the next entry and the seal it is chained to; locked until the transaction ends. */
export async function nextLink(db: Db, companyId: CompanyId): Promise<{ n: number; before: string }> {
  const { n, hash } = await db
    .insertInto('audit_head')
    .values({ company_id: companyId, n: 1, hash: '' })
    .onConflict((conflict) =>
      conflict.column('company_id').doUpdateSet(({ ref, eb }) => ({ n: eb(ref('audit_head.n'), '+', 1) })),
    )
    .returning(['n', 'hash'])
    .executeTakeFirstOrThrow()
  return { n, before: hash }
}

export async function appendEntry(db: Db, companyId: CompanyId, entry: AuditTable, seal: string): Promise<void> {
  await db
    .insertInto('audit')
    .values({ ...entry, company_id: companyId })
    .execute()
  await db.updateTable('audit_head').set({ hash: seal }).where('company_id', '=', companyId).execute()
}

/** Where the log starts: the last entry that was deleted after its retention period. */
export interface LogStart {
  n: number
  seal: string
  /** Null: no entry was deleted. */
  mac: string | null
}

export async function headOf(db: Db, companyId: CompanyId): Promise<{ n: number; seal: string; start: LogStart }> {
  const head = await db
    .selectFrom('audit_head')
    .select(['n', 'hash', 'start_n', 'start_seal', 'start_mac'])
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  const start = { n: head?.start_n ?? 0, seal: head?.start_seal ?? '', mac: head?.start_mac ?? null }
  return { n: head?.n ?? 0, seal: head?.hash ?? '', start }
}

/** Locked until the transaction ends: no entry is written meanwhile. */
export async function lockHead(db: Db, companyId: CompanyId): Promise<void> {
  await lockRow(db, db.selectFrom('audit_head').select('n').where('company_id', '=', companyId)).execute()
}

export async function moveStart(db: Db, companyId: CompanyId, start: LogStart): Promise<void> {
  await db
    .updateTable('audit_head')
    .set({ start_n: start.n, start_seal: start.seal, start_mac: start.mac })
    .where('company_id', '=', companyId)
    .execute()
}

/** Moves the start of the log, and deletes the entries before it. */
export async function deleteEntriesThrough(db: Db, companyId: CompanyId, start: LogStart): Promise<void> {
  await moveStart(db, companyId, start)
  await db.deleteFrom('audit').where('company_id', '=', companyId).where('n', '<=', start.n).execute()
}

/** The entries after `after`, in order. */
export function entriesAfter(db: Db, companyId: CompanyId, after: number, limit: number): Promise<AuditTable[]> {
  return db
    .selectFrom('audit')
    .select(columns)
    .where('company_id', '=', companyId)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute()
}

export interface EntryFilter {
  userId?: number | undefined
  kind?: AuditKind | undefined
  /** Milliseconds, both included. */
  from?: number | undefined
  to?: number | undefined
}

function filtered(db: Db, companyId: CompanyId, { userId, kind, from, to }: EntryFilter) {
  let query = db.selectFrom('audit').where('company_id', '=', companyId)
  if (userId !== undefined) query = query.where('actor_kind', '=', 'user').where('actor_id', '=', userId)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<=', to)
  if (kind === undefined) return query
  return query.where(({ or, eb }) => or(auditKinds[kind].map((beginning) => eb('action', 'like', `${beginning}%`))))
}

/** For an export: the entries before `before`, newest first. */
export const entriesBefore = (db: Db, companyId: CompanyId, filter: EntryFilter, before: number, limit: number) =>
  filtered(db, companyId, filter).select(columns).where('n', '<', before).orderBy('n', 'desc').limit(limit).execute()

export async function pageOfEntries(db: Db, companyId: CompanyId, window: Window, filter: EntryFilter = {}) {
  const { total } = await filtered(db, companyId, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const entries = await filtered(db, companyId, filter)
    .select(columns)
    .orderBy('n', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { entries, total }
}
