import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { notFound } from '../../../http/errors.ts'
import { type Route, route } from '../../../http/route.ts'
import { Id, oneOf, text } from '../../../http/schemas.ts'
import type { Services } from '../../../services.ts'
import { admins, findCompany, usersById } from '../../accounts/index.ts'
import { companyTimeZone } from '../../calls/index.ts'
import {
  allowExternalReports,
  changeScheduledReport,
  changeSubscription,
  createScheduledReport,
  pauseOrResume,
  removeScheduledReport,
  sendReportNow,
} from './actions.ts'
import { subscriptionIn } from './links.ts'
import { userIdsOf } from './run.ts'
import { ScheduledReportBody } from './settings.ts'
import {
  allowsExternalReports,
  findReportRecipient,
  findScheduledReport,
  lastReportRuns,
  latestReportRuns,
  reportRecipients,
  type ScheduledReport,
  scheduledReports,
} from './store.ts'
import {
  addressOf,
  type ReportContext,
  ReportRunView,
  reportRunView,
  ScheduledReportView,
  scheduledReportView,
} from './view.ts'

const tag = 'Analytics'
const readers = ['owner', 'admin', 'supervisor'] as const
const shownRuns = 20

const listReports = route({
  method: 'GET',
  path: '/v1/analytics/scheduled_reports',
  summary: 'List the scheduled reports with their last and next run',
  tag,
  access: 'app',
  roles: readers,
  reply: {
    status: 200,
    body: Type.Object({
      scheduled_reports: Type.Array(ScheduledReportView),
      mail_server: oneOf(['configured', 'email_log', 'none'], {
        description: '`email_log`: a sandbox without a mail server; `none`: no report is sent',
      }),
      external_recipients: Type.Boolean({ description: 'Whether addresses outside of the company are allowed' }),
      time_zone: Type.String({ description: 'Of the company, for new reports' }),
    }),
  },
  async handle({ caller: { companyId }, services }) {
    const { db, rules } = services
    const context = await contextOf(services, companyId)
    const runs = new Map((await lastReportRuns(db, companyId)).map((run) => [run.report_id, run]))
    const reports = await scheduledReports(db, companyId)
    return {
      scheduled_reports: reports.map((report) =>
        scheduledReportView(
          report,
          context.recipients.filter(({ report_id }) => report_id === report.id),
          runs.get(report.id),
          context,
        ),
      ),
      mail_server: rules.hasMailServer
        ? ('configured' as const)
        : rules.sandbox
          ? ('email_log' as const)
          : ('none' as const),
      external_recipients: context.allowsExternal,
      time_zone: await companyTimeZone(db, companyId),
    }
  },
})

/** Users and recipients of all reports. */
async function contextOf({ db, rules, clock }: Services, companyId: CompanyId) {
  const recipients = await reportRecipients(db, companyId)
  const creators = (await scheduledReports(db, companyId)).flatMap(({ createdBy }) => createdBy ?? [])
  const users = await usersById(db, companyId, [...userIdsOf(recipients), ...creators])
  const context: ReportContext = {
    users,
    allowsExternal: await allowsExternalReports(db, companyId),
    hasMailServer: rules.hasMailServer,
    now: clock.now(),
  }
  return { ...context, recipients }
}

async function shown(services: Services, companyId: CompanyId, id: number): Promise<Static<typeof ReportReply>> {
  const { db } = services
  const report = await findScheduledReport(db, companyId, id)
  if (!report) throw notFound()
  const context = await contextOf(services, companyId)
  const [lastRun] = await latestReportRuns(db, companyId, id, 1)
  const recipients = context.recipients.filter(({ report_id }) => report_id === id)
  return { scheduled_report: scheduledReportView(report, recipients, lastRun, context) }
}

/** As the form has it. */
async function formView({ db }: Services, companyId: CompanyId, { name, settings, id }: ScheduledReport) {
  const recipients = await reportRecipients(db, companyId, id)
  return {
    name,
    ...settings,
    recipient_user_ids: userIdsOf(recipients),
    recipient_emails: recipients.flatMap(({ email }) => email ?? []),
  }
}

const ReportReply = Type.Object({ scheduled_report: ScheduledReportView })
const params = Type.Object({ id: Id })
const load = ({
  params: { id },
  caller,
  services,
}: {
  params: { id: number }
  caller: { companyId: CompanyId }
  services: { db: Db }
}) => findScheduledReport(services.db, caller.companyId, id)

const invalid = {
  status: 400 as const,
  when:
    'a number, team or user does not exist, there is no recipient, or an address is invalid or outside of the company ' +
    'and not allowed',
}

const createReport = route({
  method: 'POST',
  path: '/v1/analytics/scheduled_reports',
  summary: 'Schedule a report by email',
  tag,
  access: 'app',
  keyedInApps: true,
  roles: readers,
  body: ScheduledReportBody,
  errors: [invalid, { status: 422, when: 'the company has 50 scheduled reports' }],
  reply: { status: 201, body: ReportReply },
  async handle({ body, caller, services, address }) {
    const id = await createScheduledReport(services, { caller, address }, body)
    return shown(services, caller.companyId, id)
  },
})

const updateReport = route({
  method: 'PUT',
  path: '/v1/analytics/scheduled_reports/:id',
  summary: 'Update a scheduled report',
  description: 'Replaces all settings and recipients. A recipient who has unsubscribed stays unsubscribed.',
  tag,
  access: 'app',
  roles: readers,
  params,
  load,
  edits: {
    object: 'scheduled_report',
    view: ({ loaded, caller, services }) => formView(services, caller.companyId, loaded),
  },
  body: ScheduledReportBody,
  errors: [invalid],
  reply: { status: 200, body: ReportReply },
  async handle({ body, loaded, caller, services, address }) {
    await changeScheduledReport(services, { caller, address }, loaded.id, body)
    return shown(services, caller.companyId, loaded.id)
  },
})

const setState = route({
  method: 'PUT',
  path: '/v1/analytics/scheduled_reports/:id/active',
  summary: 'Pause or resume a scheduled report',
  tag,
  access: 'app',
  roles: readers,
  params,
  load,
  body: Type.Object({ active: Type.Boolean() }),
  reply: { status: 200, body: ReportReply },
  async handle({ body, loaded, caller, services, address }) {
    await pauseOrResume(services, { caller, address }, loaded.id, body.active)
    return shown(services, caller.companyId, loaded.id)
  },
})

const deleteReport = route({
  method: 'DELETE',
  path: '/v1/analytics/scheduled_reports/:id',
  summary: 'Delete a scheduled report',
  tag,
  access: 'app',
  roles: readers,
  params,
  load,
  reply: { status: 204 },
  async handle({ loaded, caller, services, address }) {
    await removeScheduledReport(services, { caller, address }, loaded.id)
    return {}
  },
})

const sendNow = route({
  method: 'POST',
  path: '/v1/analytics/scheduled_reports/:id/send',
  summary: 'Send a report now, to its recipients or to yourself',
  description: 'The report is created in the background; its schedule does not change.',
  tag,
  access: 'app',
  keyedInApps: true,
  roles: readers,
  params,
  load,
  body: Type.Object({ to: oneOf(['recipients', 'me']) }),
  errors: [
    { status: 422, when: 'no mail server is configured, or the report was sent ten times within the last hour' },
  ],
  reply: { status: 202, body: ReportReply },
  async handle({ body, loaded, caller, services, address }) {
    await sendReportNow(services, { caller, address }, loaded.id, body.to)
    return shown(services, caller.companyId, loaded.id)
  },
})

const listRuns = route({
  method: 'GET',
  path: '/v1/analytics/scheduled_reports/:id/runs',
  summary: `List the last ${shownRuns} runs of a scheduled report, newest first`,
  tag,
  access: 'app',
  roles: readers,
  params,
  load,
  reply: { status: 200, body: Type.Object({ runs: Type.Array(ReportRunView) }) },
  async handle({ loaded, caller: { companyId }, services: { db, rules, clock } }) {
    const runs = await latestReportRuns(db, companyId, loaded.id, shownRuns)
    const context = { hasMailServer: rules.hasMailServer, now: clock.now() }
    return { runs: runs.map((run) => reportRunView(run, context)) }
  },
})

const ReportSettings = Type.Object({
  external_recipients: Type.Boolean({
    description: '`true`: scheduled reports may be sent to addresses outside of the company',
  }),
})

const putSettings = route({
  method: 'PUT',
  path: '/v1/analytics/report_settings',
  summary: 'Allow or forbid recipients outside of the company',
  tag,
  access: 'app',
  roles: admins,
  body: ReportSettings,
  reply: { status: 200, body: ReportSettings },
  async handle({ body, caller, services, address }) {
    await allowExternalReports(services, { caller, address }, body.external_recipients)
    return body
  },
})

const Token = text(80, { description: 'Last segment of the link in the email' })

const Subscription = Type.Object({
  report_name: Type.String(),
  company_name: Type.String(),
  email: Type.String(),
  subscribed: Type.Boolean(),
})

const lookAtSubscription = route({
  method: 'POST',
  path: '/v1/report_subscription/look',
  summary: 'Retrieve the scheduled report of an unsubscribe link',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({ token: Token }),
  errors: [{ status: 404, when: 'the link is invalid, or the report was deleted' }],
  reply: { status: 200, body: Subscription },
  async handle({ body, services }) {
    return subscriptionView(services, body.token)
  },
})

const putSubscription = route({
  method: 'PUT',
  path: '/v1/report_subscription',
  summary: 'Unsubscribe from a scheduled report, or subscribe again',
  tag,
  access: 'app',
  anyone: true,
  body: Type.Object({ token: Token, subscribed: Type.Boolean() }),
  errors: [{ status: 404, when: 'the link is invalid, or the report was deleted' }],
  reply: { status: 200, body: Subscription },
  async handle({ body, services, address }) {
    const { companyId, recipientId } = subscriptionOf(services, body.token)
    await changeSubscription(services, companyId, recipientId, { subscribed: body.subscribed, address })
    return subscriptionView(services, body.token)
  },
})

function subscriptionOf({ vault }: Services, token: string) {
  const subscription = subscriptionIn(vault, token)
  if (!subscription) throw notFound()
  return subscription
}

async function subscriptionView(services: Services, token: string): Promise<Static<typeof Subscription>> {
  const { db } = services
  const { companyId, recipientId } = subscriptionOf(services, token)
  const recipient = await findReportRecipient(db, companyId, recipientId)
  const report = recipient && (await findScheduledReport(db, companyId, recipient.report_id))
  if (!report) throw notFound()
  const users = await usersById(db, companyId, userIdsOf([recipient]))
  const address = addressOf(recipient, { users, allowsExternal: true })
  if (!address) throw notFound()
  return {
    report_name: report.name,
    company_name: (await findCompany(db, companyId)).name,
    email: address.email,
    subscribed: recipient.unsubscribed_at === null,
  }
}

export const scheduledReportRoutes: Route[] = [
  listReports,
  createReport,
  updateReport,
  setState,
  deleteReport,
  sendNow,
  listRuns,
  putSettings,
  lookAtSubscription,
  putSubscription,
]
