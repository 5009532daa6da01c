import { Type } from 'typebox'
import { type ReportRange, rangeBefore } from '../../../domain/analytics/range.ts'
import { defaultSlaSeconds } from '../../../domain/analytics/report-params.ts'
import { route } from '../../../http/route.ts'
import { narrowingFields, periodErrors, periodFields, periodIn } from '../period.ts'
import { activityIn } from './read-activity.ts'
import { activityNames } from './store.ts'
import { ActivityView, activityView } from './view.ts'

const getActivity = route({
  method: 'GET',
  path: '/v1/analytics/activity',
  summary: 'Retrieve call activity for a date range',
  description:
    'The figures of the Analytics page. They equal the sums over the rows of a CALLS_HISTORY report for the same days.',
  tag: 'Analytics',
  access: 'app',
  roles: ['owner', 'admin', 'supervisor'],
  query: Type.Object({
    ...periodFields,
    ...narrowingFields,
    sla_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, default: defaultSlaSeconds })),
    compare: Type.Optional(Type.Boolean({ description: '`true`: also returns the figures of the period before' })),
  }),
  errors: periodErrors,
  reply: { status: 200, body: ActivityView },
  async handle({ query, caller: { companyId }, services: { db, clock } }) {
    const { zone, filter, range } = periodIn(query, clock.now())
    const narrowing = { numberIds: query.number_id, userIds: query.user_id, teamIds: query.team_id }
    const slaSeconds = query.sla_seconds ?? defaultSlaSeconds
    const read = async (of: ReportRange) => {
      const activity = await activityIn(db, companyId, of, { zone, narrowing, slaSeconds })
      return { activity, frame: { timezone: zone.name, fromDate: of.fromDate, toDate: of.toDate, slaSeconds } }
    }
    const present = await read(range)
    const before = query.compare ? rangeBefore(filter, range, zone) : undefined
    const previous = before && (await read(before))
    return activityView(present, previous, await activityNames(db, companyId, present.activity))
  },
})

export const activityRoutes = [getActivity]
