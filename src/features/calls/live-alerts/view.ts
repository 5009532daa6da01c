import { type Static, Type } from 'typebox'
import { liveAlertKinds } from '../../../domain/live-alerts.ts'
import { nullable, oneOf } from '../../../http/schemas.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import type { LiveAlert, TodayFigures } from './store.ts'

export const LiveAlertView = Type.Object({
  id: Type.Integer(),
  kind: oneOf(liveAlertKinds),
  value: Type.Integer({ description: 'When it was raised: callers, seconds or percent' }),
  threshold: Type.Integer(),
  raised_at: Type.String({ format: 'date-time' }),
  cleared_at: nullable(Type.String({ format: 'date-time' })),
})

export const liveAlertView = (alert: LiveAlert): Static<typeof LiveAlertView> => ({
  id: alert.id,
  kind: alert.kind,
  value: alert.value,
  threshold: alert.threshold,
  raised_at: isoSeconds(alert.raised_at),
  cleared_at: alert.cleared_at === null ? null : isoSeconds(alert.cleared_at),
})

const Count = Type.Integer({ minimum: 0 })
const share = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: 100, description }))

export const TodayView = Type.Object({
  offered: Type.Integer({
    minimum: 0,
    description: 'Inbound calls answered or missed today, without after-hours calls and those abandoned within seconds',
  }),
  answered: Count,
  answered_within: Type.Integer({ minimum: 0, description: 'Answered within the SLA threshold' }),
  missed: Count,
  abandoned: Type.Integer({ minimum: 0, description: 'Abandoned in the IVR or in the queue' }),
  outbound: Count,
  answered_share: share('Percent of the offered calls; null without any'),
  service_level: share('Percent of the offered calls answered within the SLA threshold'),
  abandoned_share: share('Percent of the offered calls'),
  average_wait_seconds: nullable(Type.Integer({ minimum: 0, description: 'Until the answer' })),
})

export function todayView(figures: TodayFigures): Static<typeof TodayView> {
  const { offered, answered, within, abandoned, waited, outbound } = figures
  const percent = (part: number) => (offered === 0 ? null : Math.round((part / offered) * 100))
  return {
    offered,
    answered,
    answered_within: within,
    missed: offered - answered,
    abandoned,
    outbound,
    answered_share: percent(answered),
    service_level: percent(within),
    abandoned_share: percent(abandoned),
    average_wait_seconds: answered === 0 ? null : Math.round(waited / answered),
  }
}
