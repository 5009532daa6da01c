import { type Static, Type } from 'typebox'
import { noThresholds } from '../../../domain/live-alerts.ts'
import { Id, nullable } from '../../../http/schemas.ts'

const Percent = Type.Integer({ minimum: 1, maximum: 100 })
const Seconds = Type.Integer({ minimum: 1, maximum: 3_600 })

export const LiveSettingsView = Type.Object({
  time_zone: Type.String({ maxLength: 64, description: 'IANA name; the day of the figures begins there at midnight' }),
  targets: Type.Object({
    answer_seconds: Type.Integer({ minimum: 1, maximum: 3_600, description: 'SLA threshold: answered within' }),
    service_level: Type.Integer({ minimum: 1, maximum: 100, description: 'Percent of calls answered within it' }),
    abandoned: Type.Integer({ minimum: 1, maximum: 100, description: 'Abandoned calls at most, in percent' }),
  }),
  thresholds: Type.Object(
    {
      waiting_calls: nullable(Type.Integer({ minimum: 1, maximum: 1_000, description: 'Callers waiting, at least' })),
      longest_wait: nullable(Seconds),
      answered_share: nullable(Percent),
      no_agent: nullable(Seconds),
    },
    {
      description:
        'Null: no alert of this kind. Seconds for `longest_wait` and `no_agent`, percent for `answered_share`',
    },
  ),
  email_user_ids: Type.Array(Id, { maxItems: 50, description: 'Users who receive alerts by email' }),
})

export type LiveSettings = Static<typeof LiveSettingsView>

export const defaultLiveSettings: LiveSettings = {
  time_zone: 'Etc/UTC',
  targets: { answer_seconds: 20, service_level: 80, abandoned: 5 },
  thresholds: noThresholds,
  email_user_ids: [],
}

export const hasThresholds = ({ thresholds }: LiveSettings) =>
  Object.values(thresholds).some((threshold) => threshold !== null)
