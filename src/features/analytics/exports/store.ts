import type { Db } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import type { AnalyticsExportTable, CompanyId } from '../../../db/tables.ts'
import type { ReportParams } from '../../../domain/analytics/report-params.ts'

export interface Export {
  id: string
  companyId: CompanyId
  status: AnalyticsExportTable['status']
  name: string
  report: string
  params: ReportParams
  createdAt: number
  createdBy: number | null
  finishedAt: number | null
  tries: number
  file: string | null
  bytes: number | null
  rows: number
  lookedAt: number
  toLookAt: number | null
  error: string | null
}

const columns = [
  'id',
  'company_id',
  'status',
  'name',
  'report',
  'wish',
  'created_at',
  'created_by',
  'finished_at',
  'tries',
  'file',
  'bytes',
  'rows',
  'looked_at',
  'to_look_at',
  'error',
] as const

const toExport = (row: AnalyticsExportTable): Export => ({
  id: row.id,
  companyId: row.company_id,
  status: row.status,
  name: row.name,
  report: row.report,
  params: JSON.parse(row.wish),
  createdAt: row.created_at,
  createdBy: row.created_by,
  finishedAt: row.finished_at,
  tries: row.tries,
  file: row.file,
  bytes: row.bytes,
  rows: row.rows,
  lookedAt: row.looked_at,
  toLookAt: row.to_look_at,
  error: row.error,
})

const exportsOf = (db: Db, companyId: CompanyId) =>
  db.selectFrom('analytics_export').select(columns).where('company_id', '=', companyId)

export async function insertExport(
  db: Db,
  companyId: CompanyId,
  made: { id: string; params: ReportParams; at: number; by: number | null },
): Promise<Export> {
  const { id, params, at, by } = made
  const row: AnalyticsExportTable = {
    id,
    company_id: companyId,
    status: 'PENDING',
    name: params.exportName,
    report: params.reportName,
    wish: JSON.stringify(params),
    created_at: at,
    created_by: by,
    finished_at: null,
    tries: 0,
    file: null,
    bytes: null,
    rows: 0,
    looked_at: 0,
    to_look_at: null,
    error: null,
  }
  await db.insertInto('analytics_export').values(row).execute()
  return toExport(row)
}

/** `since`: older exports count as deleted, even before the clean-up. */
export async function findExport(db: Db, companyId: CompanyId, id: string, since: number): Promise<Export | undefined> {
  const row = await exportsOf(db, companyId).where('id', '=', id).where('created_at', '>', since).executeTakeFirst()
  return row && toExport(row)
}

/** Locked until the transaction ends. */
export async function lockExport(db: Db, companyId: CompanyId, id: string): Promise<Export | undefined> {
  const row = await lockRow(db, exportsOf(db, companyId).where('id', '=', id)).executeTakeFirst()
  return row && toExport(row)
}

export async function latestExports(db: Db, companyId: CompanyId, since: number, limit: number): Promise<Export[]> {
  const rows = await exportsOf(db, companyId)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(toExport)
}

export async function countPending(db: Db, companyId: CompanyId): Promise<number> {
  const { n } = await db
    .selectFrom('analytics_export')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('status', '=', 'PENDING')
    .executeTakeFirstOrThrow()
  return n
}

export type ExportChange = Partial<
  Pick<
    AnalyticsExportTable,
    'status' | 'finished_at' | 'tries' | 'file' | 'bytes' | 'rows' | 'looked_at' | 'to_look_at' | 'error'
  >
>

/** Updates a pending export only for the run that writes this file; a superseded run changes nothing. */
export async function changeRun(
  db: Db,
  companyId: CompanyId,
  { id, file }: { id: string; file: string | null },
  change: ExportChange,
): Promise<boolean> {
  const result = await db
    .updateTable('analytics_export')
    .set(change)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('status', '=', 'PENDING')
    .where('file', file === null ? 'is' : '=', file)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export async function oldExports(db: Db, companyId: CompanyId, before: number, limit: number) {
  return db
    .selectFrom('analytics_export')
    .select(['id', 'file'])
    .where('company_id', '=', companyId)
    .where('created_at', '<=', before)
    .orderBy('created_at')
    .limit(limit)
    .execute()
}

export async function deleteExport(db: Db, companyId: CompanyId, id: string): Promise<void> {
  await db.deleteFrom('analytics_export').where('company_id', '=', companyId).where('id', '=', id).execute()
}
