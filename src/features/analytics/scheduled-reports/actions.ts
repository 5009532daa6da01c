import { type Tx, transaction } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { nextRun } from '../../../domain/analytics/report-schedule.ts'
import { zoneOf } from '../../../domain/analytics/zone.ts'
import { emailKey, isEmail } from '../../../domain/email.ts'
import { isTimeZone } from '../../../domain/opening-hours.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, notFound, unprocessable } from '../../../http/errors.ts'
import { hour } from '../../../lib/clock.ts'
import type { Services } from '../../../services.ts'
import {
  actorOf,
  audit,
  lockCompany,
  numbersById,
  unknownActor,
  updateCompany,
  userIdOf,
  usersById,
} from '../../accounts/index.ts'
import { canSendReports, scheduleRun, startRun } from './run.ts'
import { reportScheduleOf, type ScheduledReportParams, type ScheduledReportSettings, settingsOf } from './settings.ts'
import {
  allowsExternalReports,
  countManualRuns,
  deleteScheduledReport,
  findReportRecipient,
  insertScheduledReport,
  lockScheduledReport,
  replaceRecipients,
  reportRecipients,
  type ScheduledReport,
  scheduledReports,
  setUnsubscribed,
  teamNames,
  updateScheduledReport,
} from './store.ts'

const maxReports = 50
const maxManualRunsPerHour = 10

interface Request {
  caller: Caller
  address: string
}

const nextRunOf = (settings: ScheduledReportSettings, now: number) =>
  nextRun(reportScheduleOf(settings), zoneOf(settings.time_zone), now)

export async function createScheduledReport(
  services: Services,
  request: Request,
  given: ScheduledReportParams,
): Promise<number> {
  const { companyId } = request.caller
  return transaction(services.db, async (tx) => {
    await lockCompany(tx, companyId)
    const settings = await checkedSettings(tx, companyId, given)
    const recipients = await checkedRecipients(tx, companyId, given, [])
    if ((await scheduledReports(tx, companyId)).length >= maxReports) {
      throw unprocessable(`A company has at most ${maxReports} scheduled reports; delete one first`)
    }
    const now = services.clock.now()
    const nextRunAt = nextRunOf(settings, now)
    const createdBy = userIdOf(request.caller)
    const id = await insertScheduledReport(tx, companyId, {
      name: given.name,
      settings,
      nextRunAt,
      createdAt: now,
      createdBy,
    })
    await replaceRecipients(tx, companyId, id, recipients)
    await scheduleRun(tx, companyId, id, nextRunAt)
    await auditReport(services, tx, request, 'scheduled_report.created', id)
    return id
  })
}

/** Keeps a paused report paused. */
export async function changeScheduledReport(
  services: Services,
  request: Request,
  id: number,
  given: ScheduledReportParams,
): Promise<void> {
  const { companyId } = request.caller
  await transaction(services.db, async (tx) => {
    const report = await locked(tx, companyId, id)
    const settings = await checkedSettings(tx, companyId, given)
    const before = (await reportRecipients(tx, companyId, id)).flatMap(({ email }) => email ?? [])
    const recipients = await checkedRecipients(tx, companyId, given, before)
    const nextRunAt = report.nextRunAt === null ? null : nextRunOf(settings, services.clock.now())
    await updateScheduledReport(tx, companyId, id, { name: given.name, settings, nextRunAt })
    await replaceRecipients(tx, companyId, id, recipients)
    await scheduleRun(tx, companyId, id, nextRunAt)
    await auditReport(services, tx, request, 'scheduled_report.changed', id)
  })
}

/** A report that is resumed skips the runs of the pause. */
export async function pauseOrResume(services: Services, request: Request, id: number, active: boolean): Promise<void> {
  const { companyId } = request.caller
  await transaction(services.db, async (tx) => {
    const report = await locked(tx, companyId, id)
    if ((report.nextRunAt !== null) === active) return
    const nextRunAt = active ? nextRunOf(report.settings, services.clock.now()) : null
    await updateScheduledReport(tx, companyId, id, { nextRunAt })
    await scheduleRun(tx, companyId, id, nextRunAt)
    await auditReport(services, tx, request, active ? 'scheduled_report.resumed' : 'scheduled_report.paused', id)
  })
}

export async function removeScheduledReport(services: Services, request: Request, id: number): Promise<void> {
  const { companyId } = request.caller
  await transaction(services.db, async (tx) => {
    await locked(tx, companyId, id)
    await scheduleRun(tx, companyId, id, null)
    await deleteScheduledReport(tx, companyId, id)
    await auditReport(services, tx, request, 'scheduled_report.deleted', id)
  })
}

/** To all recipients, or as a test to the user who asks for it. */
export async function sendReportNow(
  services: Services,
  request: Request,
  id: number,
  to: 'recipients' | 'me',
): Promise<void> {
  const { companyId } = request.caller
  if (!canSendReports(services)) throw unprocessable('No mail server is configured, so that no report can be sent')
  await transaction(services.db, async (tx) => {
    await locked(tx, companyId, id)
    const now = services.clock.now()
    if ((await countManualRuns(tx, companyId, id, now - hour)) >= maxManualRunsPerHour) {
      throw unprocessable(`A report is sent on request at most ${maxManualRunsPerHour} times an hour; try again later`)
    }
    await startRun(services, tx, companyId, {
      report_id: id,
      cause: to === 'me' ? 'test' : 'manual',
      user_id: userIdOf(request.caller),
      due_at: now,
    })
    await auditReport(services, tx, request, 'scheduled_report.sent', id)
  })
}

export async function allowExternalReports(services: Services, request: Request, allowed: boolean): Promise<void> {
  const { companyId } = request.caller
  await transaction(services.db, async (tx) => {
    await updateCompany(tx, companyId, { external_reports: allowed ? 1 : 0 })
    const { caller, address } = request
    const details = { external_recipients: allowed }
    await audit(services, tx, companyId, {
      actor: actorOf(caller),
      action: 'scheduled_report.settings',
      details,
      address,
    })
  })
}

/** By the link of an e-mail. Undefined: the report was deleted. */
export async function changeSubscription(
  services: Services,
  companyId: CompanyId,
  recipientId: number,
  { subscribed, address }: { subscribed: boolean; address?: string },
): Promise<void> {
  await transaction(services.db, async (tx) => {
    const recipient = await findReportRecipient(tx, companyId, recipientId)
    if (!recipient) throw notFound()
    if ((recipient.unsubscribed_at === null) === subscribed) return
    await setUnsubscribed(tx, companyId, recipientId, subscribed ? null : services.clock.now())
    const action = subscribed ? 'scheduled_report.subscribed' : 'scheduled_report.unsubscribed'
    const target = `scheduled_report:${recipient.report_id}`
    await audit(services, tx, companyId, { actor: unknownActor, action, target, address })
  })
}

async function locked(tx: Tx, companyId: CompanyId, id: number): Promise<ScheduledReport> {
  const report = await lockScheduledReport(tx, companyId, id)
  if (!report) throw notFound()
  return report
}

const auditReport = (services: Services, tx: Tx, { caller, address }: Request, action: string, id: number) =>
  audit(services, tx, caller.companyId, {
    actor: actorOf(caller),
    action,
    target: `scheduled_report:${id}`,
    address,
  })

async function checkedSettings(
  tx: Tx,
  companyId: CompanyId,
  given: ScheduledReportParams,
): Promise<ScheduledReportSettings> {
  const settings = settingsOf(given)
  if (!isTimeZone(settings.time_zone)) throw badRequest('`time_zone` must be an IANA name such as Europe/Paris')
  const { frequency, weekday: _weekday, number_ids, team_ids, user_ids } = settings
  if (frequency === 'weekly' && !given.weekday) throw badRequest('`weekday` is mandatory for a weekly report')
  if (frequency === 'monthly' && !given.day_of_month)
    throw badRequest('`day_of_month` is mandatory for a monthly report')
  const found = {
    number_ids: (await numbersById(tx, companyId, number_ids)).length,
    team_ids: (await teamNames(tx, companyId, team_ids)).size,
    user_ids: (await usersById(tx, companyId, user_ids)).size,
  }
  for (const [field, n] of Object.entries(found)) {
    const wanted = new Set(settings[field as keyof typeof found]).size
    if (n < wanted) throw badRequest(`\`${field}\` has an ID that does not exist in the company`)
  }
  return settings
}

/** `before`: external addresses of the report, which stay when the company no longer allows new ones. */
async function checkedRecipients(
  tx: Tx,
  companyId: CompanyId,
  { recipient_user_ids = [], recipient_emails = [] }: ScheduledReportParams,
  before: readonly string[],
): Promise<{ userIds: number[]; emails: string[] }> {
  const userIds = [...new Set(recipient_user_ids)]
  const emails = [...new Set(recipient_emails.map((email) => emailKey(email.trim())))]
  if (userIds.length + emails.length === 0) throw badRequest('A report needs at least one recipient')
  const users = await usersById(tx, companyId, userIds)
  if (users.size < userIds.length) throw badRequest('`recipient_user_ids` must be IDs of users of the company')
  const invalid = emails.find((email) => !isEmail(email))
  if (invalid !== undefined) throw badRequest(`\`recipient_emails\`: ${invalid} is not a valid email address`)
  const isNew = emails.some((email) => !before.includes(email))
  if (isNew && !(await allowsExternalReports(tx, companyId))) {
    throw badRequest('`recipient_emails`: the company does not allow recipients outside of it; an admin can allow them')
  }
  return { userIds, emails }
}
