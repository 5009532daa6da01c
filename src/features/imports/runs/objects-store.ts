import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { ImportKind } from '../../../domain/import/kinds.ts'

// Which object came from which object of a source.

/** Own ids by the ids at the source, of all objects of a kind. */
export async function importedIds(
  db: Db,
  companyId: CompanyId,
  source: string,
  kind: ImportKind,
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('imported_object')
    .select(['source_id', 'own_id'])
    .where('company_id', '=', companyId)
    .where('source', '=', source)
    .where('kind', '=', kind)
    .execute()
  return new Map(rows.map(({ source_id, own_id }) => [source_id, Number(own_id)]))
}

/** Own ids of those that were imported. */
export async function importedAmong(
  db: Db,
  companyId: CompanyId,
  source: string,
  kind: ImportKind,
  sourceIds: readonly string[],
): Promise<Map<string, string>> {
  if (sourceIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('imported_object')
    .select(['source_id', 'own_id'])
    .where('company_id', '=', companyId)
    .where('source', '=', source)
    .where('kind', '=', kind)
    .where('source_id', 'in', sourceIds)
    .execute()
  return new Map(rows.map(({ source_id, own_id }) => [source_id, own_id]))
}

/** Whether an object here came from any source. */
export async function isImported(db: Db, companyId: CompanyId, kind: ImportKind, ownId: string): Promise<boolean> {
  const row = await db
    .selectFrom('imported_object')
    .select('own_id')
    .where('company_id', '=', companyId)
    .where('kind', '=', kind)
    .where('own_id', '=', ownId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export interface ImportedObject {
  kind: ImportKind
  sourceId: string
  ownId: string
  pending?: boolean
}

export async function insertImported(
  db: Db,
  companyId: CompanyId,
  source: string,
  { kind, sourceId, ownId, pending = false }: ImportedObject,
): Promise<void> {
  await db
    .insertInto('imported_object')
    .values({
      company_id: companyId,
      source,
      kind,
      source_id: sourceId,
      own_id: ownId,
      pending: pending ? 1 : 0,
    })
    .execute()
}

const pendingCalls = (db: Db, companyId: CompanyId, source: string) =>
  db
    .selectFrom('imported_object')
    .where('company_id', '=', companyId)
    .where('source', '=', source)
    .where('pending', '=', 1)

/** Calls whose results are not imported yet. */
export async function nextPendingCalls(db: Db, companyId: CompanyId, source: string, limit: number) {
  const rows = await pendingCalls(db, companyId, source).select(['source_id', 'own_id']).limit(limit).execute()
  return rows.map(({ source_id, own_id }) => ({ sourceId: source_id, callId: Number(own_id) }))
}

export async function countPendingCalls(db: Db, companyId: CompanyId, source: string): Promise<number> {
  const { n } = await pendingCalls(db, companyId, source)
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return n
}

export async function markNotPending(
  db: Db,
  companyId: CompanyId,
  source: string,
  sourceIds: readonly string[],
): Promise<void> {
  if (sourceIds.length === 0) return
  await db
    .updateTable('imported_object')
    .set({ pending: 0 })
    .where('company_id', '=', companyId)
    .where('source', '=', source)
    .where('kind', '=', 'calls')
    .where('source_id', 'in', sourceIds)
    .execute()
}
