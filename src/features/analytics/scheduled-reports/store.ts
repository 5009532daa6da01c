import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { lockRow } from '../../../db/dialect.ts'
import type { CompanyId, ReportRecipientTable, ReportRunTable } from '../../../db/tables.ts'
import type { ScheduledReportSettings } from './settings.ts'

export interface ScheduledReport {
  id: number
  name: string
  settings: ScheduledReportSettings
  /** Null: paused. */
  nextRunAt: number | null
  createdAt: number
  createdBy: number | null
}

const columns = ['id', 'name', 'settings', 'next_run_at', 'created_at', 'created_by'] as const

interface Row {
  id: number
  name: string
  settings: string
  next_run_at: number | null
  created_at: number
  created_by: number | null
}

const toReport = (row: Row): ScheduledReport => ({
  id: row.id,
  name: row.name,
  settings: JSON.parse(row.settings),
  nextRunAt: row.next_run_at,
  createdAt: row.created_at,
  createdBy: row.created_by,
})

const reportsOf = (db: Db, companyId: CompanyId) =>
  db.selectFrom('scheduled_report').select(columns).where('company_id', '=', companyId)

export async function scheduledReports(db: Db, companyId: CompanyId): Promise<ScheduledReport[]> {
  return (await reportsOf(db, companyId).orderBy('id').execute()).map(toReport)
}

export async function findScheduledReport(
  db: Db,
  companyId: CompanyId,
  id: number,
): Promise<ScheduledReport | undefined> {
  const row = await reportsOf(db, companyId).where('id', '=', id).executeTakeFirst()
  return row && toReport(row)
}

/** Locked until the transaction ends. */
export async function lockScheduledReport(
  db: Db,
  companyId: CompanyId,
  id: number,
): Promise<ScheduledReport | undefined> {
  const row = await lockRow(db, reportsOf(db, companyId).where('id', '=', id)).executeTakeFirst()
  return row && toReport(row)
}

export async function insertScheduledReport(
  db: Db,
  companyId: CompanyId,
  report: Omit<ScheduledReport, 'id'>,
): Promise<number> {
  const { id } = await db
    .insertInto('scheduled_report')
    .values({
      company_id: companyId,
      name: report.name,
      settings: JSON.stringify(report.settings),
      next_run_at: report.nextRunAt,
      created_at: report.createdAt,
      created_by: report.createdBy,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function updateScheduledReport(
  db: Db,
  companyId: CompanyId,
  id: number,
  { name, settings, nextRunAt }: Partial<Pick<ScheduledReport, 'name' | 'settings' | 'nextRunAt'>>,
): Promise<void> {
  await db
    .updateTable('scheduled_report')
    .set({
      ...(name !== undefined && { name }),
      ...(settings && { settings: JSON.stringify(settings) }),
      ...(nextRunAt !== undefined && { next_run_at: nextRunAt }),
    })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function deleteScheduledReport(db: Db, companyId: CompanyId, id: number): Promise<void> {
  for (const table of ['scheduled_report_recipient', 'scheduled_report_run'] as const) {
    await db.deleteFrom(table).where('company_id', '=', companyId).where('report_id', '=', id).execute()
  }
  await db.deleteFrom('scheduled_report').where('company_id', '=', companyId).where('id', '=', id).execute()
}

/** Reports of all companies that are not paused, for the start of the process. */
export function activeScheduledReports(db: Db): Promise<{ id: number; company_id: CompanyId; next_run_at: number }[]> {
  return db
    .selectFrom('scheduled_report')
    .select(['id', 'company_id', 'next_run_at'])
    .where('next_run_at', 'is not', null)
    .orderBy('id')
    .$narrowType<{ next_run_at: number }>()
    .execute()
}

export type ReportRecipient = Omit<ReportRecipientTable, 'id' | 'company_id' | 'removed'> & { id: number }

const recipientColumns = ['id', 'report_id', 'user_id', 'email', 'unsubscribed_at'] as const

const recipientRows = (db: Db, companyId: CompanyId) =>
  db.selectFrom('scheduled_report_recipient').select(recipientColumns).where('company_id', '=', companyId)

/** Of one report, or of all. */
export function reportRecipients(db: Db, companyId: CompanyId, reportId?: number): Promise<ReportRecipient[]> {
  let query = recipientRows(db, companyId).where('removed', '=', 0)
  if (reportId !== undefined) query = query.where('report_id', '=', reportId)
  return query.orderBy('id').execute()
}

/** Also one that was removed: the link in an e-mail stays valid. */
export function findReportRecipient(db: Db, companyId: CompanyId, id: number): Promise<ReportRecipient | undefined> {
  return recipientRows(db, companyId).where('id', '=', id).executeTakeFirst()
}

/** Those who have unsubscribed stay so, even if they were removed and are added again. */
export async function replaceRecipients(
  db: Db,
  companyId: CompanyId,
  reportId: number,
  wanted: { userIds: readonly number[]; emails: readonly string[] },
): Promise<void> {
  const known = await recipientRows(db, companyId).where('report_id', '=', reportId).execute()
  const isWanted = ({ user_id, email }: ReportRecipient) =>
    user_id === null ? wanted.emails.includes(email ?? '') : wanted.userIds.includes(user_id)
  for (const recipient of known) {
    const removed = isWanted(recipient) ? 0 : 1
    await db
      .updateTable('scheduled_report_recipient')
      .set({ removed })
      .where('company_id', '=', companyId)
      .where('id', '=', recipient.id)
      .execute()
  }
  const rows = [
    ...wanted.userIds
      .filter((id) => !known.some((one) => one.user_id === id))
      .map((user_id) => ({ user_id, email: null })),
    ...wanted.emails
      .filter((email) => !known.some((one) => one.email === email))
      .map((email) => ({ user_id: null, email })),
  ].map((row) => ({ ...row, company_id: companyId, report_id: reportId, unsubscribed_at: null, removed: 0 as const }))
  if (rows.length > 0) await db.insertInto('scheduled_report_recipient').values(rows).execute()
}

export async function setUnsubscribed(db: Db, companyId: CompanyId, id: number, at: number | null): Promise<void> {
  await db
    .updateTable('scheduled_report_recipient')
    .set({ unsubscribed_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

export async function allowsExternalReports(db: Db, companyId: CompanyId): Promise<boolean> {
  const row = await db.selectFrom('company').select('external_reports').where('id', '=', companyId).executeTakeFirst()
  return row?.external_reports === 1
}

/** A run, with the state of its e-mails. */
export interface ReportRun extends Omit<ReportRunTable, 'id' | 'company_id'> {
  id: number
  sent: number
  /** The error of an e-mail that is not sent. */
  mail_error: string | null
}

const runColumns = [
  'id',
  'report_id',
  'cause',
  'user_id',
  'due_at',
  'created_at',
  'finished_at',
  'from_date',
  'to_date',
  'recipients',
  'error',
] as const

const runsOf = (db: Db, companyId: CompanyId) =>
  db
    .selectFrom('scheduled_report_run as run')
    .select(runColumns.map((column) => `run.${column}` as const))
    .select(({ selectFrom }) => [
      selectFrom('mail')
        .select(({ fn }) => fn.count<number>('mail.sent_at').as('n'))
        .whereRef('mail.report_run_id', '=', 'run.id')
        .as('sent'),
      selectFrom('mail')
        .select(({ fn }) => fn.min('mail.error').as('error'))
        .whereRef('mail.report_run_id', '=', 'run.id')
        .where('mail.sent_at', 'is', null)
        .as('mail_error'),
    ])
    .where('run.company_id', '=', companyId)

const toRun = <R extends { sent: number | null }>(row: R) => ({ ...row, sent: Number(row.sent ?? 0) })

/** The latest run of each report. */
export async function lastReportRuns(db: Db, companyId: CompanyId): Promise<ReportRun[]> {
  const latest = db
    .selectFrom('scheduled_report_run')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('company_id', '=', companyId)
    .groupBy('report_id')
  return (await runsOf(db, companyId).where('run.id', 'in', latest).execute()).map(toRun)
}

/** Newest first. */
export async function latestReportRuns(
  db: Db,
  companyId: CompanyId,
  reportId: number,
  limit: number,
): Promise<ReportRun[]> {
  const query = runsOf(db, companyId).where('run.report_id', '=', reportId).orderBy('run.id', 'desc').limit(limit)
  return (await query.execute()).map(toRun)
}

export async function insertReportRun(
  db: Db,
  companyId: CompanyId,
  run: Pick<ReportRunTable, 'report_id' | 'cause' | 'user_id' | 'due_at' | 'created_at'>,
): Promise<number> {
  const { id } = await db
    .insertInto('scheduled_report_run')
    .values({
      ...run,
      company_id: companyId,
      finished_at: null,
      from_date: null,
      to_date: null,
      recipients: 0,
      error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export type UnfinishedRun = Pick<ReportRunTable, 'report_id' | 'cause' | 'user_id' | 'due_at'>

/** Undefined once the e-mails are queued. In a transaction it is locked until the end: one process queues them. */
export function unfinishedRun(db: Db, companyId: CompanyId, id: number): Promise<UnfinishedRun | undefined> {
  const query = db
    .selectFrom('scheduled_report_run')
    .select(['report_id', 'cause', 'user_id', 'due_at'])
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .where('finished_at', 'is', null)
  return lockRow(db, query).executeTakeFirst()
}

export async function finishReportRun(
  db: Db,
  companyId: CompanyId,
  id: number,
  result: Pick<ReportRunTable, 'finished_at' | 'from_date' | 'to_date' | 'recipients' | 'error'>,
): Promise<void> {
  await db
    .updateTable('scheduled_report_run')
    .set(result)
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .execute()
}

/** Runs on request since an instant. */
export async function countManualRuns(db: Db, companyId: CompanyId, reportId: number, since: number): Promise<number> {
  const { n } = await db
    .selectFrom('scheduled_report_run')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('report_id', '=', reportId)
    .where('cause', '<>', 'schedule')
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Of all companies, for retention. */
export async function deleteOldReportRuns(db: Db, before: number): Promise<void> {
  await db.deleteFrom('scheduled_report_run').where('created_at', '<', before).execute()
}

/** The existing ones of these teams. */
export async function teamNames(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('team')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .where(sql<boolean>`id in (${sql.join(ids)})`)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
