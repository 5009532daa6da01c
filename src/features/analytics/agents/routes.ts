import { type Static, Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { periodsOf, type ReportRange, rangeBefore } from '../../../domain/analytics/range.ts'
import { newTally, type Tally } from '../../../domain/analytics/tally.ts'
import type { Zone } from '../../../domain/analytics/zone.ts'
import { route } from '../../../http/route.ts'
import { Id, nullable } from '../../../http/schemas.ts'
import { findReportUser, type ReportUser } from '../exports/report-store.ts'
import { countFrom } from '../exports/rows.ts'
import { periodErrors, periodFields, periodIn } from '../period.ts'

const whole = Type.Integer()
const seconds = Type.Integer({ description: 'Seconds' })

const figures = {
  inbound_answered: Type.Integer({ description: 'Inbound calls the agent answered, without transfers' }),
  outbound: whole,
  missed: Type.Integer({ description: 'Ring attempts the agent declined or did not answer' }),
  talk_time: seconds,
  wrap_up_time: seconds,
}

const Totals = Type.Object({
  ...figures,
  transfers_received: whole,
  average_handling_time: nullable(Type.Integer({ description: 'Talk time and wrap-up time per call, in seconds' })),
  average_wrap_up_time: nullable(seconds),
  statuses: Type.Object({
    available: seconds,
    in_call: seconds,
    after_call_work: seconds,
    do_not_disturb: seconds,
    offline: seconds,
  }),
})

const AgentSheet = Type.Object({
  id: whole,
  name: Type.String(),
  timezone: Type.String(),
  from_date: Type.String(),
  to_date: Type.String(),
  totals: Totals,
  days: Type.Array(Type.Object({ date: Type.String(), ...figures, available_time: seconds })),
  previous: nullable(Type.Object({ from_date: Type.String(), to_date: Type.String(), totals: Totals })),
})

const getAgentSheet = route({
  method: 'GET',
  path: '/v1/analytics/users/:id',
  summary: 'Retrieve the figures of an agent for a date range',
  description: 'They equal the rows of the USER_ACTIVITY reports for the same days, and those of the period before.',
  tag: 'Analytics',
  access: 'app',
  roles: ['owner', 'admin', 'supervisor'],
  params: Type.Object({ id: Id }),
  load: ({ params, caller, services }) => findReportUser(services.db, caller.companyId, params.id),
  query: Type.Object(periodFields),
  errors: periodErrors,
  reply: { status: 200, body: AgentSheet },
  async handle({ loaded: user, query, caller: { companyId }, services: { db, clock } }) {
    const { zone, filter, range } = periodIn(query, clock.now())
    const days = await talliesOf(db, companyId, user, { range, zone, breakdown: 'DAILY' })
    const before = rangeBefore(filter, range, zone)
    const earlier = before && (await talliesOf(db, companyId, user, { range: before, zone, breakdown: undefined }))
    return {
      id: user.id,
      name: user.name,
      timezone: zone.name,
      from_date: range.fromDate,
      to_date: range.toDate,
      totals: totalsOf(days),
      days: days.map((day) => ({
        date: day.period.fromDate,
        ...figuresOf([day]),
        available_time: day.seconds.available,
      })),
      previous:
        before && earlier ? { from_date: before.fromDate, to_date: before.toDate, totals: totalsOf(earlier) } : null,
    }
  },
})

interface TallyOptions {
  range: ReportRange
  zone: Zone
  breakdown: 'DAILY' | undefined
}

async function talliesOf(
  db: Db,
  companyId: CompanyId,
  user: ReportUser,
  { range, zone, breakdown }: TallyOptions,
): Promise<Tally[]> {
  const tallies = periodsOf(range, zone, breakdown).map(newTally)
  const context = { db, companyId, range, zone, params: { filters: {} } }
  for (const source of ['statuses', 'rings', 'calls'] as const) await countFrom(source, context, user, tallies)
  return tallies
}

const sum = (tallies: readonly Tally[], of: (tally: Tally) => number) =>
  tallies.reduce((all, tally) => all + of(tally), 0)

const figuresOf = (tallies: readonly Tally[]) => ({
  inbound_answered: sum(tallies, ({ handled }) => handled.inbound),
  outbound: sum(tallies, ({ handled }) => handled.outboundAnswered + handled.outboundUnanswered),
  missed: sum(tallies, ({ rings }) => rings.declined + rings.no_answer),
  talk_time: sum(tallies, ({ calls }) => calls.inbound.seconds + calls.outbound.seconds),
  wrap_up_time: sum(tallies, ({ seconds }) => seconds.after_call_work),
})

const mean = (all: number, n: number) => (n === 0 ? null : Math.round(all / n))

function totalsOf(tallies: readonly Tally[]): Static<typeof Totals> {
  const figures = figuresOf(tallies)
  const calls = sum(tallies, (tally) => tally.calls.inbound.ids.size + tally.calls.outbound.ids.size)
  const inStatus = (status: keyof Tally['seconds']) => sum(tallies, ({ seconds }) => seconds[status])
  return {
    ...figures,
    transfers_received: sum(tallies, ({ handled }) => handled.received),
    average_handling_time: mean(figures.talk_time + figures.wrap_up_time, calls),
    average_wrap_up_time: mean(
      figures.wrap_up_time,
      sum(tallies, ({ wrapUps }) => wrapUps),
    ),
    statuses: {
      available: inStatus('available'),
      in_call: inStatus('in_call'),
      after_call_work: inStatus('after_call_work'),
      do_not_disturb: inStatus('do_not_disturb'),
      offline: inStatus('offline'),
    },
  }
}

export const agentSheetRoutes = [getAgentSheet]
