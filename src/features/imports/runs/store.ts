import type { Db } from '../../../db/database.ts'
import type { CompanyId, Flag, ImportProblemTable } from '../../../db/tables.ts'
import { type ImportCounts, type ImportKind, type ImportState, importKinds } from '../../../domain/import/kinds.ts'

export interface ImportRun {
  id: number
  companyId: CompanyId
  source: string
  credentialsSealed: string | null
  merges: boolean
  byOperator: boolean
  state: ImportState
  error: string | null
  createdBy: number | null
  createdAt: number
  finishedAt: number | null
}

const runColumns = [
  'id',
  'company_id',
  'source',
  'credentials_sealed',
  'merges',
  'by_operator',
  'state',
  'error',
  'created_by',
  'created_at',
  'finished_at',
] as const

const runs = (db: Db, companyId: CompanyId) =>
  db.selectFrom('import_run').select(runColumns).where('company_id', '=', companyId)

type RunRow = Awaited<ReturnType<ReturnType<typeof runs>['executeTakeFirstOrThrow']>>

const runOf = (row: RunRow): ImportRun => ({
  id: row.id,
  companyId: row.company_id,
  source: row.source,
  credentialsSealed: row.credentials_sealed,
  merges: row.merges === 1,
  byOperator: row.by_operator === 1,
  state: row.state,
  error: row.error,
  createdBy: row.created_by,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
})

export async function findImportRun(db: Db, companyId: CompanyId, id: number): Promise<ImportRun | undefined> {
  const row = await runs(db, companyId).where('id', '=', id).executeTakeFirst()
  return row && runOf(row)
}

/** The latest ones first. */
export async function latestImportRuns(db: Db, companyId: CompanyId, limit: number): Promise<ImportRun[]> {
  const rows = await runs(db, companyId).orderBy('id', 'desc').limit(limit).execute()
  return rows.map(runOf)
}

/** The latest run that is not done, of any source or of this one. */
export async function unfinishedImportRun(
  db: Db,
  companyId: CompanyId,
  source?: string,
): Promise<ImportRun | undefined> {
  const open = runs(db, companyId).where('state', '!=', 'done')
  const row = await (source === undefined ? open : open.where('source', '=', source))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && runOf(row)
}

export interface NewImportRun {
  source: string
  credentialsSealed: string
  merges: boolean
  byOperator: boolean
  createdBy: number | null
}

export async function insertImportRun(db: Db, companyId: CompanyId, run: NewImportRun, at: number): Promise<number> {
  const { id } = await db
    .insertInto('import_run')
    .values({
      company_id: companyId,
      source: run.source,
      credentials_sealed: run.credentialsSealed,
      merges: run.merges ? 1 : 0,
      by_operator: run.byOperator ? 1 : 0,
      state: 'running',
      created_by: run.createdBy,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const nothing = { total: null, created: 0, existing: 0, updated: 0, rejected: 0, finished: 0 as const }
  const progress = importKinds.map((kind) => ({ run_id: id, company_id: companyId, kind, position: null, ...nothing }))
  await db.insertInto('import_progress').values(progress).execute()
  return id
}

export interface ImportRunChange {
  state?: ImportState
  error?: string | null
  runner?: string | null
  credentials_sealed?: string | null
  merges?: Flag
  by_operator?: Flag
  finished_at?: number | null
}

export async function updateImportRun(
  db: Db,
  companyId: CompanyId,
  id: number,
  change: ImportRunChange,
): Promise<void> {
  await db.updateTable('import_run').set(change).where('company_id', '=', companyId).where('id', '=', id).execute()
}

/** Locks the run; false if another process continues it, or it was stopped. */
export async function holdImportRun(db: Db, companyId: CompanyId, id: number, runner: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('import_run')
    .set({ runner })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('runner', '=', runner)
    .where('state', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface ImportProgress extends ImportCounts {
  kind: ImportKind
  position: string | null
}

/** In the order of the kinds. */
export async function importProgressOf(db: Db, companyId: CompanyId, runId: number): Promise<ImportProgress[]> {
  const rows = await db
    .selectFrom('import_progress')
    .select(['kind', 'position', 'total', 'created', 'existing', 'updated', 'rejected', 'finished'])
    .where('company_id', '=', companyId)
    .where('run_id', '=', runId)
    .execute()
  return importKinds.flatMap((kind) =>
    rows.filter((row) => row.kind === kind).map((row) => ({ ...row, finished: row.finished === 1 })),
  )
}

export async function saveImportProgress(
  db: Db,
  companyId: CompanyId,
  runId: number,
  { kind, ...progress }: ImportProgress,
): Promise<void> {
  await db
    .updateTable('import_progress')
    .set({ ...progress, finished: progress.finished ? 1 : 0 })
    .where('company_id', '=', companyId)
    .where('run_id', '=', runId)
    .where('kind', '=', kind)
    .execute()
}

export type ImportRemark = Pick<ImportProblemTable, 'kind' | 'source_id' | 'severity' | 'reason'>

export async function insertImportRemarks(
  db: Db,
  companyId: CompanyId,
  runId: number,
  remarks: readonly ImportRemark[],
): Promise<void> {
  if (remarks.length === 0) return
  const rows = remarks.map((remark) => ({ ...remark, company_id: companyId, run_id: runId }))
  await db.insertInto('import_problem').values(rows).execute()
}

export function importRemarksOf(db: Db, companyId: CompanyId, runId: number, limit: number): Promise<ImportRemark[]> {
  return db
    .selectFrom('import_problem')
    .select(['kind', 'source_id', 'severity', 'reason'])
    .where('company_id', '=', companyId)
    .where('run_id', '=', runId)
    .orderBy('id')
    .limit(limit)
    .execute()
}
