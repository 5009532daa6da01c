import { type Static, Type } from 'typebox'
import { defaultSlaSeconds } from '../../../domain/analytics/report-params.ts'
import { type ReportSchedule, reportFrequencies, reportPeriods } from '../../../domain/analytics/report-schedule.ts'
import { days } from '../../../domain/opening-hours.ts'
import { Id, nameText, oneOf } from '../../../http/schemas.ts'

const ids = (description: string) => Type.Array(Id, { maxItems: 100, description: `${description}; empty: all` })

const settingFields = {
  frequency: oneOf(reportFrequencies),
  weekday: oneOf(days, { description: 'Of a weekly report' }),
  day_of_month: Type.Integer({
    minimum: 1,
    maximum: 31,
    description: 'Of a monthly report; in a shorter month the last day',
  }),
  time: Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    description: 'HH:MM in the time zone',
    examples: ['08:00'],
  }),
  time_zone: Type.String({ maxLength: 64, description: 'IANA name', examples: ['Europe/Paris'] }),
  period: oneOf(reportPeriods, { description: 'The days that the report covers, relative to the day it is sent' }),
  number_ids: ids('Only calls of these Numbers'),
  team_ids: ids('Only calls routed to one of these teams'),
  user_ids: ids('Only calls answered or made by these users'),
  sla_seconds: Type.Integer({ minimum: 1, maximum: 3_600, description: 'SLA threshold' }),
  compare: Type.Boolean({ description: 'Shows the change from the period before' }),
  attach_csv: Type.Boolean({ description: 'Attaches the figures as a CSV file' }),
}

export const ScheduledReportSettings = Type.Object(settingFields)

/** Stored as JSON. */
export type ScheduledReportSettings = Static<typeof ScheduledReportSettings>

const { weekday, day_of_month, number_ids, team_ids, user_ids, sla_seconds, compare, attach_csv } = settingFields

export const ScheduledReportBody = Type.Object({
  name: nameText(100),
  ...settingFields,
  weekday: Type.Optional(weekday),
  day_of_month: Type.Optional(day_of_month),
  number_ids: Type.Optional(number_ids),
  team_ids: Type.Optional(team_ids),
  user_ids: Type.Optional(user_ids),
  sla_seconds: Type.Optional(sla_seconds),
  compare: Type.Optional(compare),
  attach_csv: Type.Optional(attach_csv),
  recipient_user_ids: Type.Optional(Type.Array(Id, { maxItems: 50, description: 'Users who receive the report' })),
  recipient_emails: Type.Optional(
    Type.Array(Type.String({ maxLength: 254 }), {
      maxItems: 20,
      description: 'Addresses outside of the company, if the company allows them',
    }),
  ),
})

export type ScheduledReportParams = Static<typeof ScheduledReportBody>

export const settingsOf = (given: ScheduledReportParams): ScheduledReportSettings => ({
  frequency: given.frequency,
  weekday: given.weekday ?? 'mon',
  day_of_month: given.day_of_month ?? 1,
  time: given.time,
  time_zone: given.time_zone,
  period: given.period,
  number_ids: given.number_ids ?? [],
  team_ids: given.team_ids ?? [],
  user_ids: given.user_ids ?? [],
  sla_seconds: given.sla_seconds ?? defaultSlaSeconds,
  compare: given.compare ?? true,
  attach_csv: given.attach_csv ?? false,
})

export const reportScheduleOf = ({
  frequency,
  weekday,
  day_of_month,
  time,
}: ScheduledReportSettings): ReportSchedule => ({
  frequency,
  weekday,
  dayOfMonth: day_of_month,
  time,
})
