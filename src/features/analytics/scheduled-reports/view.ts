import { type Static, Type } from 'typebox'
import { nullable, oneOf, Timestamp } from '../../../http/schemas.ts'
import { hour } from '../../../lib/clock.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { User } from '../../accounts/index.ts'
import { ScheduledReportSettings } from './settings.ts'
import type { ReportRecipient, ReportRun, ScheduledReport } from './store.ts'

const RecipientView = Type.Object({
  id: Type.Integer(),
  user_id: nullable(Type.Integer({ description: 'null: an address outside of the company' })),
  name: nullable(Type.String()),
  email: Type.String(),
  state: oneOf(['receives', 'unsubscribed', 'deactivated', 'not_allowed'], {
    description: '`not_allowed`: the company does not allow recipients outside of it',
  }),
})

export const ReportRunView = Type.Object({
  id: Type.Integer(),
  cause: oneOf(['schedule', 'manual', 'test']),
  created_at: Timestamp,
  from_date: nullable(Type.String({ description: 'First day of the report, YYYY-MM-DD' })),
  to_date: nullable(Type.String()),
  state: oneOf(['pending', 'sending', 'sent', 'retrying', 'logged', 'failed'], {
    description:
      '`sent`: the mail server has accepted all emails; `retrying`: it has refused some, which are sent again; ' +
      '`logged`: a sandbox without a mail server, the emails are in the email log',
  }),
  recipients: Type.Integer(),
  sent: Type.Integer(),
  reason: nullable(Type.String({ description: 'Why the report was not sent, or an email is not' })),
})

export const ScheduledReportView = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  ...ScheduledReportSettings.properties,
  active: Type.Boolean({ description: 'false: paused' }),
  next_run_at: nullable(Timestamp),
  created_at: Timestamp,
  created_by: nullable(Type.String({ description: 'Name of the user' })),
  recipients: Type.Array(RecipientView),
  last_run: nullable(ReportRunView),
})

type RecipientState = Static<typeof RecipientView>['state']

export interface ReportContext {
  users: ReadonlyMap<number, User>
  allowsExternal: boolean
  hasMailServer: boolean
  now: number
}

/** By then the mail server has been tried for the last time. */
const retriesEndMs = 12 * hour

const nameOf = ({ firstName, lastName }: User) => `${firstName} ${lastName}`

/** Undefined: the user was deleted. */
export function addressOf(
  { user_id, email, unsubscribed_at }: ReportRecipient,
  { users, allowsExternal }: Pick<ReportContext, 'users' | 'allowsExternal'>,
): { user: User | undefined; email: string; state: RecipientState } | undefined {
  const user = user_id === null ? undefined : users.get(user_id)
  const address = user_id === null ? email : user?.email
  if (!address) return undefined
  const isAllowed = user_id !== null || allowsExternal
  const state = user?.active === false ? 'deactivated' : isAllowed ? 'receives' : 'not_allowed'
  return { user, email: address, state: unsubscribed_at === null ? state : 'unsubscribed' }
}

export function scheduledReportView(
  report: ScheduledReport,
  recipients: readonly ReportRecipient[],
  lastRun: ReportRun | undefined,
  context: ReportContext,
): Static<typeof ScheduledReportView> {
  const creator = report.createdBy === null ? undefined : context.users.get(report.createdBy)
  return {
    id: report.id,
    name: report.name,
    ...report.settings,
    active: report.nextRunAt !== null,
    next_run_at: report.nextRunAt === null ? null : isoSeconds(report.nextRunAt),
    created_at: isoSeconds(report.createdAt),
    created_by: creator ? nameOf(creator) : null,
    recipients: recipients.flatMap((recipient) => {
      const address = addressOf(recipient, context)
      if (!address) return []
      const { user, email, state } = address
      return [{ id: recipient.id, user_id: recipient.user_id, name: user ? nameOf(user) : null, email, state }]
    }),
    last_run: lastRun ? reportRunView(lastRun, context) : null,
  }
}

export function reportRunView(
  run: ReportRun,
  context: Pick<ReportContext, 'hasMailServer' | 'now'>,
): Static<typeof ReportRunView> {
  const { id, cause, from_date, to_date, recipients, sent } = run
  return {
    id,
    cause,
    created_at: isoSeconds(run.created_at),
    from_date,
    to_date,
    state: stateOf(run, context),
    recipients,
    sent,
    reason: run.error ?? run.mail_error,
  }
}

function stateOf(
  run: ReportRun,
  { hasMailServer, now }: Pick<ReportContext, 'hasMailServer' | 'now'>,
): Static<typeof ReportRunView>['state'] {
  if (run.error !== null) return 'failed'
  if (run.finished_at === null) return 'pending'
  if (run.sent >= run.recipients) return 'sent'
  if (run.mail_error !== null) return now - run.created_at > retriesEndMs ? 'failed' : 'retrying'
  return hasMailServer ? 'sending' : 'logged'
}
