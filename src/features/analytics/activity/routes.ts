import { Type } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type Activity, addSlot, addSubject, newActivity } from '../../../domain/analytics/activity.ts'
import { periodsOf, type ReportRange, rangeBefore } from '../../../domain/analytics/range.ts'
import { defaultSlaSeconds } from '../../../domain/analytics/report-params.ts'
import type { Zone } from '../../../domain/analytics/zone.ts'
import { route } from '../../../http/route.ts'
import { day, hour, minute } from '../../../lib/clock.ts'
import { narrowingFields, periodErrors, periodFields, periodIn } from '../period.ts'
import { activityNames, type Narrowing, sumsBySlot, sumsBySubject } from './store.ts'
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

interface ActivityOptions {
  zone: Zone
  narrowing: Narrowing
  slaSeconds: number
}

/** The figures of a period. */
export async function activityIn(
  db: Db,
  companyId: CompanyId,
  range: ReportRange,
  { zone, narrowing, slaSeconds }: ActivityOptions,
): Promise<Activity> {
  const activity = newActivity(periodsOf(range, zone, 'DAILY').map(({ fromDate }) => fromDate))
  for (let from = range.from; from < range.to; from += stretchMs) {
    const span = { from, to: Math.min(from + stretchMs, range.to) }
    const slotMs = slotFor(zone, span)
    for (const slot of await sumsBySlot(db, companyId, span, narrowing, { slotMs, slaSeconds })) {
      addSlot(activity, zone, slot)
    }
    for (const sum of await sumsBySubject(db, companyId, span, narrowing)) addSubject(activity, sum)
    await others()
  }
  return activity
}

// Short queries: with the embedded database, other requests run between two of them.
const stretchMs = 7 * day
const others = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Slots start on the full hour in UTC, as do the hours of most time zones. */
function slotFor(zone: Zone, { from, to }: { from: number; to: number }): number {
  const areWhole = [from, (from + to) / 2, to].every((at) => zone.iso(at).endsWith(':00'))
  return areWhole ? hour : 15 * minute
}

export const activityRoutes = [getActivity]
