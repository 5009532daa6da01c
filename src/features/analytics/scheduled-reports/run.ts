import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { latestRun, nextRun } from '../../../domain/analytics/report-schedule.ts'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import { cancelJob, enqueue, enqueueOnce } from '../../../jobs/queue.ts'
import { minute } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import { findCompany, queueMail, usersById } from '../../accounts/index.ts'
import { reportContent } from './content.ts'
import { reportCsv } from './csv.ts'
import { reportEmail } from './email.ts'
import { filterWords, type ReportFigures, reportFigures } from './figures.ts'
import { unsubscribeUrl } from './links.ts'
import { reportScheduleOf } from './settings.ts'
import {
  activeScheduledReports,
  allowsExternalReports,
  findScheduledReport,
  finishReportRun,
  insertReportRun,
  lockScheduledReport,
  type ReportRecipient,
  reportRecipients,
  type ScheduledReport,
  type UnfinishedRun,
  unfinishedRun,
  updateScheduledReport,
} from './store.ts'
import { addressOf } from './view.ts'

// A report that is due becomes a run, in one transaction with the next due time: several processes create one run. The
// run becomes e-mails, in one transaction with its end: they are queued once.

const dueKey = (reportId: number) => `report.due:${reportId}`

/** `at` null: paused or deleted. */
export async function scheduleRun(tx: Tx, companyId: CompanyId, reportId: number, at: number | null): Promise<void> {
  if (at === null) return cancelJob(tx, dueKey(reportId))
  await enqueue(tx, 'report.due', { companyId, reportId }, at, dueKey(reportId))
}

/** At the start of the process, for jobs that have failed for good. */
export async function scheduleReports({ db }: Services): Promise<void> {
  for (const { id, company_id, next_run_at } of await activeScheduledReports(db)) {
    await enqueueOnce(db, 'report.due', { companyId: company_id, reportId: id }, next_run_at, dueKey(id))
  }
}

/** Without a mail server e-mails are written in a sandbox only, for the email log. */
export const canSendReports = ({ rules }: Services) => rules.hasMailServer || rules.sandbox

/** The job at the due time. Of several runs that were missed, only the latest is created. */
export function reportDueJob(services: Services) {
  return ({ companyId, reportId }: { companyId: CompanyId; reportId: number }): Promise<void> =>
    transaction(services.db, async (tx) => {
      const report = await lockScheduledReport(tx, companyId, reportId)
      if (!report || report.nextRunAt === null) return
      const now = services.clock.now()
      if (report.nextRunAt > now) return scheduleRun(tx, companyId, reportId, report.nextRunAt)
      const zone = zoneOf(report.settings.time_zone)
      const schedule = reportScheduleOf(report.settings)
      const dueAt = Math.max(report.nextRunAt, latestRun(schedule, zone, now))
      await startRun(services, tx, companyId, { report_id: reportId, cause: 'schedule', user_id: null, due_at: dueAt })
      const nextRunAt = nextRun(schedule, zone, now)
      await updateScheduledReport(tx, companyId, reportId, { nextRunAt })
      await scheduleRun(tx, companyId, reportId, nextRunAt)
    })
}

export async function startRun({ clock }: Services, tx: Tx, companyId: CompanyId, run: UnfinishedRun): Promise<void> {
  const now = clock.now()
  const runId = await insertReportRun(tx, companyId, { ...run, created_at: now })
  await enqueue(tx, 'report.send', { companyId, runId, tries: 0 }, now)
}

interface SendJob {
  companyId: CompanyId
  runId: number
  tries: number
}

const retryAfterMs = [minute, 5 * minute, 15 * minute, 60 * minute]

/** Reads the figures and queues the e-mails of a run. */
export function reportSendJob(services: Services) {
  const { db, clock, log } = services
  return async (job: SendJob): Promise<void> => {
    const { companyId, runId, tries } = job
    const run = await unfinishedRun(db, companyId, runId)
    const report = run && (await findScheduledReport(db, companyId, run.report_id))
    if (!report) return
    let figures: ReportFigures
    try {
      figures = await reportFigures(db, companyId, report.settings, run.due_at)
    } catch (error) {
      log.warn(
        { event: 'report.failed', companyId, reportId: report.id, error },
        'scheduled report could not be created',
      )
      const wait = retryAfterMs[tries]
      if (wait !== undefined) return enqueue(db, 'report.send', { ...job, tries: tries + 1 }, clock.now() + wait)
      return failRun(services, companyId, runId, 'The figures could not be read')
    }
    await transaction(db, (tx) => queueEmails(services, tx, companyId, { runId, report, figures }))
  }
}

const failRun = ({ db, clock }: Services, companyId: CompanyId, runId: number, error: string) =>
  finishReportRun(db, companyId, runId, {
    finished_at: clock.now(),
    from_date: null,
    to_date: null,
    recipients: 0,
    error,
  })

interface Sending {
  runId: number
  report: ScheduledReport
  figures: ReportFigures
}

async function queueEmails(
  services: Services,
  tx: Tx,
  companyId: CompanyId,
  { runId, report, figures }: Sending,
): Promise<void> {
  const { vault, links, clock } = services
  const run = await unfinishedRun(tx, companyId, runId)
  if (!run) return
  const company = await findCompany(tx, companyId)
  const recipients = await recipientsOf(tx, companyId, run)
  const error = !company.active
    ? 'The company is deactivated'
    : !canSendReports(services)
      ? 'No mail server is configured'
      : recipients.length === 0
        ? 'No recipient: all have unsubscribed or are deactivated'
        : null
  if (error === null) {
    const filters = await filterWords(tx, companyId, report.settings)
    const { name, settings } = report
    const content = reportContent({
      name,
      company: company.name,
      settings,
      filters,
      figures,
      dashboard: links.dashboard,
    })
    const csv = settings.attach_csv ? { name: fileName(report, figures), content: reportCsv(figures) } : undefined
    for (const { id, userId, email } of recipients) {
      const url = id === null ? undefined : unsubscribeUrl(vault, links, { companyId, recipientId: id })
      await queueMail(services, tx, companyId, {
        userId,
        to: email,
        ...reportEmail(content, { isTest: run.cause === 'test', unsubscribeUrl: url }),
        unsubscribeUrl: url,
        reportRunId: runId,
        ...(csv && { attachment: csv }),
      })
    }
  }
  await finishReportRun(tx, companyId, runId, {
    finished_at: clock.now(),
    from_date: figures.from_date,
    to_date: figures.to_date,
    recipients: error === null ? recipients.length : 0,
    error,
  })
}

interface Address {
  /** Of the recipient; null for a test to another user. */
  id: number | null
  userId: number | null
  email: string
}

/** A test goes to the user who asked for it, who need not be a recipient. */
async function recipientsOf(tx: Tx, companyId: CompanyId, run: UnfinishedRun): Promise<Address[]> {
  const all = await reportRecipients(tx, companyId, run.report_id)
  if (run.cause === 'test' && run.user_id !== null) {
    const user = (await usersById(tx, companyId, [run.user_id])).get(run.user_id)
    const own = all.find(({ user_id }) => user_id === run.user_id)
    return user?.active ? [{ id: own?.id ?? null, userId: user.id, email: user.email }] : []
  }
  const users = await usersById(tx, companyId, userIdsOf(all))
  const allowsExternal = await allowsExternalReports(tx, companyId)
  return all.flatMap((recipient) => {
    const address = addressOf(recipient, { users, allowsExternal })
    if (address?.state !== 'receives') return []
    return [{ id: recipient.id, userId: recipient.user_id, email: address.email }]
  })
}

export const userIdsOf = (recipients: readonly ReportRecipient[]) => recipients.flatMap(({ user_id }) => user_id ?? [])

const fileName = ({ name }: ScheduledReport, { from_date, to_date }: ReportFigures) => {
  const words = name
    .split(/[^A-Za-z0-9_]+/)
    .filter(Boolean)
    .join('-')
  return `${words || 'report'}-${from_date === to_date ? from_date : `${from_date}-to-${to_date}`}.csv`
}
