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

export const ActivityView = Type.Object({
  timezone: Type.String(),
  from_date: Type.String({ description: 'At most six months ago' }),
  to_date: Type.String({ description: 'Today or earlier' }),
  sla_seconds: whole,
  totals: Type.Object({
    ...counts,
    ...sla,
    average_wait: nullable(Type.Integer({ description: 'Seconds until inbound calls were answered' })),
    average_patience: nullable(
      Type.Integer({ description: 'Seconds until callers of missed calls hung up (time to abandon)' }),
    ),
    talk_time: Type.Integer({ description: 'Seconds' }),
    waiting_time: Type.Integer({ description: 'Wait time of all inbound calls, in seconds' }),
  }),
  days: Type.Array(Type.Object({ date: Type.String(), ...counts, ...sla })),
  hours: Type.Array(Type.Object({ hour: whole, ...counts })),
  waits: Type.Array(
    Type.Object({ up_to: nullable(Type.Integer({ description: 'Seconds' })), answered: whole, missed: whole }),
  ),
  missed_reasons: Type.Array(Type.Object({ reason: oneOf(missedReasons), calls: whole })),
  users: Type.Array(Type.Object({ ...named, ...counts, talk_time: whole })),
  teams: Type.Array(Type.Object({ ...named, ...counts, average_wait: nullable(whole) })),
  numbers: Type.Array(Type.Object({ ...named, ...counts, average_wait: nullable(whole), talk_time: whole })),
})

export interface Frame {
  timezone: string
  fromDate: string
  toDate: string
  slaSeconds: number
}

export function activityView(activity: Activity, names: ActivityNames, frame: Frame): Static<typeof ActivityView> {
  const { waitedAnswered, waitedMissed, inboundAnswered, inboundMissed } = activity
  return {
    timezone: frame.timezone,
    from_date: frame.fromDate,
    to_date: frame.toDate,
    sla_seconds: frame.slaSeconds,
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
    users: busiestFirst(activity.users, names.user, ({ talked }) => ({ talk_time: talked })),
    teams: busiestFirst(activity.teams, names.team, waitOf),
    numbers: busiestFirst(activity.numbers, names.number, (of) => ({ ...waitOf(of), talk_time: of.talked })),
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
