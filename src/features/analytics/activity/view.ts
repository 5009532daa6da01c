import { type Static, Type } from 'typebox'
import { type Activity, type Counts, waitSteps } from '../../../domain/analytics/activity.ts'
import { missedReasons } from '../../../domain/call/record.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import type { ActivityNames } from './store.ts'

const whole = Type.Integer()
const counts = {
  inbound: whole,
  inbound_answered: whole,
  inbound_missed: Type.Integer({
    description: 'Inbound calls with a missed-call reason, as in `GET /v1/calls`; calls in progress are not counted',
  }),
  outbound: whole,
  outbound_answered: whole,
}
const sla = { within_sla: whole, outside_sla: whole }
const named = { id: whole, name: nullable(Type.String({ description: 'null if it was deleted' })) }

const totals = Type.Object({
  ...counts,
  ...sla,
  average_wait: nullable(Type.Integer({ description: 'Seconds until inbound calls were answered' })),
  average_patience: nullable(
    Type.Integer({ description: 'Seconds until callers of missed calls hung up (time to abandon)' }),
  ),
  talk_time: Type.Integer({ description: 'Seconds' }),
  waiting_time: Type.Integer({ description: 'Wait time of all inbound calls, in seconds' }),
})
const days = Type.Array(Type.Object({ date: Type.String(), ...counts, ...sla }))
const hours = Type.Array(Type.Object({ hour: whole, ...counts }))
const waits = Type.Array(
  Type.Object({ up_to: nullable(Type.Integer({ description: 'Seconds' })), answered: whole, missed: whole }),
)
const reasons = Type.Array(Type.Object({ reason: oneOf(missedReasons), calls: whole }))
const group = { id: whole, ...counts, talk_time: whole }

const Previous = Type.Object(
  {
    from_date: Type.String(),
    to_date: Type.String({
      description: 'While the date range is in progress, this day is counted up to the same time',
    }),
    totals,
    days,
    hours,
    waits,
    missed_reasons: reasons,
    users: Type.Array(Type.Object(group)),
    teams: Type.Array(Type.Object({ id: whole, ...counts })),
    numbers: Type.Array(Type.Object(group)),
  },
  { description: 'The period before; null without `compare`, and if it began more than six months ago' },
)

export const ActivityView = Type.Object({
  timezone: Type.String(),
  from_date: Type.String({ description: 'At most six months ago' }),
  to_date: Type.String({ description: 'Today or earlier' }),
  sla_seconds: whole,
  totals,
  days,
  hours,
  waits,
  missed_reasons: reasons,
  users: Type.Array(Type.Object({ ...named, ...counts, talk_time: whole })),
  teams: Type.Array(Type.Object({ ...named, ...counts, average_wait: nullable(whole) })),
  numbers: Type.Array(Type.Object({ ...named, ...counts, average_wait: nullable(whole), talk_time: whole })),
  previous: nullable(Previous),
})

export interface Frame {
  timezone: string
  fromDate: string
  toDate: string
  slaSeconds: number
}

interface FramedActivity {
  activity: Activity
  frame: Frame
}

export function activityView(
  { activity, frame }: FramedActivity,
  previous: FramedActivity | undefined,
  names: ActivityNames,
): Static<typeof ActivityView> {
  return {
    timezone: frame.timezone,
    from_date: frame.fromDate,
    to_date: frame.toDate,
    sla_seconds: frame.slaSeconds,
    ...figuresView(activity),
    users: busiestFirst(activity.users, names.user, ({ talked }) => ({ talk_time: talked })),
    teams: busiestFirst(activity.teams, names.team, waitOf),
    numbers: busiestFirst(activity.numbers, names.number, (of) => ({ ...waitOf(of), talk_time: of.talked })),
    previous: previous ? previousView(previous) : null,
  }
}

const previousView = ({ activity, frame }: FramedActivity): Static<typeof Previous> => ({
  from_date: frame.fromDate,
  to_date: frame.toDate,
  ...figuresView(activity),
  users: [...activity.users].map(([id, of]) => ({ id, ...countsView(of), talk_time: of.talked })),
  teams: [...activity.teams].map(([id, of]) => ({ id, ...countsView(of) })),
  numbers: [...activity.numbers].map(([id, of]) => ({ id, ...countsView(of), talk_time: of.talked })),
})

function figuresView(activity: Activity) {
  const { waitedAnswered, waitedMissed, inboundAnswered, inboundMissed } = activity
  return {
    totals: {
      ...countsView(activity),
      ...slaView(activity),
      average_wait: mean(waitedAnswered, inboundAnswered),
      average_patience: mean(waitedMissed, inboundMissed),
      talk_time: activity.talked,
      waiting_time: waitedAnswered + waitedMissed,
    },
    days: activity.days.map((day) => ({ date: day.date, ...countsView(day), ...slaView(day) })),
    hours: activity.hours.map((of, hour) => ({ hour, ...countsView(of) })),
    waits: activity.waits.map((wait, i) => ({ up_to: waitSteps[i] ?? null, ...wait })),
    missed_reasons: [...activity.reasons]
      .map(([reason, calls]) => ({ reason, calls }))
      .sort((a, b) => b.calls - a.calls),
  }
}

const countsView = ({ inbound, inboundAnswered, inboundMissed, outbound, outboundAnswered }: Counts) => ({
  inbound,
  inbound_answered: inboundAnswered,
  inbound_missed: inboundMissed,
  outbound,
  outbound_answered: outboundAnswered,
})

const slaView = ({ withinSla, outsideSla }: { withinSla: number; outsideSla: number }) => ({
  within_sla: withinSla,
  outside_sla: outsideSla,
})

const mean = (sum: number, n: number) => (n === 0 ? null : Math.round(sum / n))

const waitOf = ({ waitedAnswered, inboundAnswered }: Counts & { waitedAnswered: number }) => ({
  average_wait: mean(waitedAnswered, inboundAnswered),
})

function busiestFirst<C extends Counts, M extends object>(
  of: ReadonlyMap<number, C>,
  name: (id: number) => string | undefined,
  more: (counts: C) => M,
) {
  return [...of]
    .map(([id, counts]) => ({ id, name: name(id) ?? null, ...countsView(counts), ...more(counts) }))
    .sort((a, b) => b.inbound + b.outbound - a.inbound - a.outbound || a.id - b.id)
}
