import { Type } from 'typebox'
import { waitSteps } from '../../../domain/analytics/activity.ts'
import type { ReportRange } from '../../../domain/analytics/range.ts'
import { defaultSlaSeconds } from '../../../domain/analytics/report-params.ts'
import type { Zone } from '../../../domain/analytics/zone.ts'
import { missedReasons } from '../../../domain/call/record.ts'
import { Meta, metaOf, PageQuery, windowOf } from '../../../http/paging.ts'
import { route } from '../../../http/route.ts'
import { oneOf } from '../../../http/schemas.ts'
import { CallView, callsById, showCalls } from '../../calls/index.ts'
import { narrowingFields, periodErrors, periodFields, periodIn } from '../period.ts'
import { type HourSpan, pageOfCallsBehind } from './store.ts'

const wall = 10_000

const listCallsBehind = route({
  method: 'GET',
  path: '/v1/analytics/calls',
  summary: 'List the calls behind a figure of the Analytics page',
  description: 'The same date range and filters as `GET /v1/analytics/activity`; the total equals its figure.',
  tag: 'Analytics',
  access: 'app',
  roles: ['owner', 'admin', 'supervisor'],
  query: Type.Object({
    ...periodFields,
    ...narrowingFields,
    ...PageQuery.properties,
    direction: Type.Optional(oneOf(['inbound', 'outbound'])),
    outcome: Type.Optional(oneOf(['answered', 'missed', 'not_answered'])),
    missed_reason: Type.Optional(oneOf(missedReasons)),
    hour: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 23, description: 'Hour of the day in the time zone in which calls started' }),
    ),
    wait_up_to: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3_600,
        description: `A step of the wait time in seconds: ${waitSteps.join(', ')}, or 0 for calls that waited longer`,
      }),
    ),
    sla: Type.Optional(oneOf(['within', 'outside'], { description: 'Inbound calls within or outside `sla_seconds`' })),
    sla_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_600, default: defaultSlaSeconds })),
  }),
  errors: periodErrors,
  reply: { status: 200, body: Type.Object({ meta: Meta, calls: Type.Array(CallView) }) },
  async handle({ query, caller: { companyId }, services, place }) {
    const { db, clock } = services
    const { zone, range } = periodIn(query, clock.now())
    const { from: _from, to: _to, ...paging } = query
    const window = windowOf({ order: 'desc', ...paging }, wall)
    const behind = {
      numberIds: query.number_id,
      userIds: query.user_id,
      teamIds: query.team_id,
      direction: query.direction,
      outcome: query.outcome,
      reason: query.missed_reason,
      hours: query.hour === undefined ? undefined : hourSpans(zone, range, query.hour),
      wait: query.wait_up_to === undefined ? undefined : waitStep(query.wait_up_to),
      sla: query.sla && { seconds: query.sla_seconds ?? defaultSlaSeconds, isWithin: query.sla === 'within' },
    }
    const { ids, total } = await pageOfCallsBehind(db, companyId, range, behind, window)
    const byId = await callsById(db, companyId, ids)
    const calls = ids.flatMap((id) => byId.get(id) ?? [])
    const flags = { contact: true, shortUrls: false, timeline: false, voiceAgents: false }
    return {
      meta: metaOf(place, window, calls.length, total),
      calls: await showCalls(services, companyId, calls, flags),
    }
  },
})

/** The step of the distribution that ends there. */
function waitStep(upTo: number): { from: number; to: number | undefined } {
  if (upTo === 0) return { from: (waitSteps.at(-1) ?? 0) + 1, to: undefined }
  const below = waitSteps.filter((step) => step < upTo).at(-1)
  return { from: below === undefined ? 0 : below + 1, to: upTo }
}

/** Within each part the time zone has one offset from UTC: at most a few, as clocks change twice a year. */
function hourSpans(zone: Zone, { from, to }: ReportRange, hour: number): HourSpan[] {
  const spans: HourSpan[] = []
  for (let at = from; at < to; ) {
    const offsetMs = zone.offsetAt(at)
    const end = Math.min(zone.offsetEnd(at, to), to)
    spans.push({ from: at, to: end, offsetMs, hour })
    at = end
  }
  return spans
}

export const analyticsCallRoutes = [listCallsBehind]
