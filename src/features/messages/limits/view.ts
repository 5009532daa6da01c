import { type Static, Type } from 'typebox'
import type { MessageRules } from '../../../domain/message-guard.ts'
import { nullable } from '../../../http/schemas.ts'

const count = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: 10_000_000, description }))
const amount = (description: string) => nullable(Type.Number({ minimum: 0, maximum: 1_000_000_000, description }))

export const MessageLimitsView = Type.Object({
  countries: nullable(
    Type.Array(Type.String({ pattern: '^([A-Z]{2}|001)$', maxLength: 3, examples: ['FR'] }), {
      maxItems: 250,
      description:
        'Countries that messages may be sent to, as ISO codes; null: the countries that may be called, except those ' +
        'where fraudulent traffic is common. 001: satellite and international networks',
    }),
  ),
  per_minute: count('Messages per minute, each recipient of a group counted; null: unlimited'),
  per_minute_per_user: count('Messages per minute and user'),
  per_day: count('Messages per day, from midnight UTC'),
  per_day_per_user: count('Messages per day and user'),
  daily_spend: amount('Amount per day in the currency of the rates, from midnight UTC'),
  daily_spend_per_user: amount('Amount per day and user'),
  rates: Type.Array(
    Type.Object({
      prefix: Type.String({ pattern: '^[1-9]\\d{0,14}$', maxLength: 15, examples: ['33'] }),
      per_part: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    }),
    {
      maxItems: 1_000,
      description:
        'Price of a message part by prefix; a number that no prefix covers costs as much as the most expensive',
    },
  ),
})

export type MessageLimitsView = Static<typeof MessageLimitsView>

export const messageLimitsView = (rules: MessageRules): MessageLimitsView => ({
  countries: rules.countries === null ? null : [...rules.countries],
  per_minute: rules.perMinute,
  per_minute_per_user: rules.perMinutePerUser,
  per_day: rules.perDay,
  per_day_per_user: rules.perDayPerUser,
  daily_spend: rules.dailySpend,
  daily_spend_per_user: rules.dailySpendPerUser,
  rates: Object.entries(rules.rates).map(([prefix, per_part]) => ({ prefix, per_part })),
})

export const rulesWith = (before: MessageRules, change: Partial<MessageLimitsView>): MessageRules => ({
  countries: change.countries === undefined ? before.countries : change.countries,
  perMinute: change.per_minute === undefined ? before.perMinute : change.per_minute,
  perMinutePerUser: change.per_minute_per_user === undefined ? before.perMinutePerUser : change.per_minute_per_user,
  perDay: change.per_day === undefined ? before.perDay : change.per_day,
  perDayPerUser: change.per_day_per_user === undefined ? before.perDayPerUser : change.per_day_per_user,
  dailySpend: change.daily_spend === undefined ? before.dailySpend : change.daily_spend,
  dailySpendPerUser: change.daily_spend_per_user === undefined ? before.dailySpendPerUser : change.daily_spend_per_user,
  rates:
    change.rates === undefined
      ? before.rates
      : Object.fromEntries(change.rates.map(({ prefix, per_part }) => [prefix, per_part])),
})
