import { Type } from 'typebox'
import { addSlot, addSubject, newActivity } from '../../../domain/analytics/activity.ts'
import {
  type DateFilter,
  periodsOf,
  type RelativeRange,
  rangeOf,
  relativeRanges,
} from '../../../domain/analytics/range.ts'
import { defaultSlaSeconds } from '../../../domain/analytics/report-params.ts'
import { dateAfter, type Zone, zoneOf } from '../../../domain/analytics/zone.ts'
import { isCalendarDate, isTimeZone } from '../../../domain/opening-hours.ts'
import { badRequest } from '../../../http/errors.ts'
import { route } from '../../../http/route.ts'
import { Id, oneOf } from '../../../http/schemas.ts'
import { day, hour, minute } from '../../../lib/clock.ts'
import { activityNames, sumsBySlot, sumsBySubject } from './store.ts'
import { ActivityView, activityView } from './view.ts'

const ids = (description: string) => Type.Optional(Type.Array(Id, { maxItems: 100, description }))
const Day = Type.String({ maxLength: 10, description: 'YYYY-MM-DD', examples: ['2026-06-15'] })

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
    timezone: Type.String({ maxLength: 64, description: 'IANA name', examples: ['Europe/Paris'] }),
    relative: Type.Optional(oneOf(relativeRanges)),
    last_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 186, description: 'Number of days up to today' })),
    from: Type.Optional(Day),
    to: Type.Optional(Day),
    number_id: ids('Only calls of these Numbers'),
    user_id: ids('Only calls answered or made by these users'),
    team_id: ids('Only calls routed to one of these teams'),
    sla_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, default: defaultSlaSeconds })),
  }),
  errors: [{ status: 400, when: 'not exactly one of relative, last_days and from/to is given' }],
  reply: { status: 200, body: ActivityView },
  async handle({ query, caller: { companyId }, services: { db, clock } }) {
    if (!isTimeZone(query.timezone)) throw badRequest('`timezone` must be an IANA name such as Europe/Paris')
    const zone = zoneOf(query.timezone)
    const range = rangeOf(datesIn(query, zone.dateOf(clock.now())), zone, clock.now())
    const days = periodsOf(range, zone, 'DAILY')
    const activity = newActivity(days.map(({ fromDate }) => fromDate))
    const narrowing = { numberIds: query.number_id, userIds: query.user_id, teamIds: query.team_id }
    const slaSeconds = query.sla_seconds ?? defaultSlaSeconds
    for (let from = range.from; from < range.to; from += stretchMs) {
      const span = { from, to: Math.min(from + stretchMs, range.to) }
      const slotMs = slotFor(zone, span)
      for (const slot of await sumsBySlot(db, companyId, span, narrowing, { slotMs, slaSeconds })) {
        addSlot(activity, zone, slot)
      }
      for (const sum of await sumsBySubject(db, companyId, span, narrowing)) addSubject(activity, sum)
      await others()
    }
    const names = await activityNames(db, companyId, activity)
    const { fromDate, toDate } = range
    return activityView(activity, names, { timezone: zone.name, fromDate, toDate, slaSeconds })
  },
})

// Short queries: with the embedded database, other requests run between two of them.
const stretchMs = 7 * day
const others = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Slots start on the full hour in UTC, as do the hours of most time zones. */
function slotFor(zone: Zone, { from, to }: { from: number; to: number }): number {
  const areWhole = [from, (from + to) / 2, to].every((at) => zone.iso(at).endsWith(':00'))
  return areWhole ? hour : 15 * minute
}

interface Dates {
  relative?: RelativeRange
  last_days?: number
  from?: string
  to?: string
}

function datesIn({ relative, last_days: last, from, to }: Dates, today: string): DateFilter {
  const isAbsolute = from !== undefined || to !== undefined
  if ([relative !== undefined, last !== undefined, isAbsolute].filter(Boolean).length !== 1) {
    throw badRequest('Give one of `relative`, `last_days`, and `from` with `to`')
  }
  if (relative) return { relative }
  if (last !== undefined) return { absoluteRange: { fromDate: dateAfter(today, 1 - last), toDate: today } }
  if (!isCalendarDate(from) || !isCalendarDate(to) || from < '1970-01-02' || to > '9990-12-31') {
    throw badRequest('`from` and `to` must be valid dates in the form YYYY-MM-DD')
  }
  if (from > to) throw badRequest('`from` must not be after `to`')
  return { absoluteRange: { fromDate: from, toDate: to } }
}

export const activityRoutes = [getActivity]
