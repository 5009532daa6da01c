import { type Static, Type } from 'typebox'
import { nullable } from '../../../http/schemas.ts'
import type { DialLimits } from './store.ts'

const count = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: 100_000, description }))

export const DialLimitsView = Type.Object({
  countries: nullable(
    Type.Array(Type.String({ pattern: '^([A-Z]{2}|001)$', maxLength: 3, examples: ['FR'] }), {
      maxItems: 250,
      description:
        'Which countries may be called, by ISO code; null: those of the company’s own Numbers. 001: satellites',
    }),
  ),
  concurrent: count('Outbound calls at the same time; null: without a bound'),
  concurrent_per_user: count('The same for one user'),
  per_minute: count('Outbound calls begun in a minute'),
  per_minute_per_user: count('The same for one user'),
  daily_spend: nullable(Type.Number({ minimum: 0, description: 'In the currency of the rates, from midnight UTC' })),
  rates: Type.Array(
    Type.Object({
      prefix: Type.String({ pattern: '^[1-9]\\d{0,14}$', maxLength: 15, examples: ['33'] }),
      per_minute: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    }),
    { maxItems: 1_000, description: 'Price of a minute by prefix; what none covers costs as much as the dearest' },
  ),
  max_seconds: Type.Integer({ minimum: 60, maximum: 86_400, description: 'The longest that a call may last' }),
})

export type DialLimitsView = Static<typeof DialLimitsView>

export const dialLimitsView = (limits: DialLimits): DialLimitsView => ({
  countries: limits.countries === null ? null : [...limits.countries],
  concurrent: limits.concurrent,
  concurrent_per_user: limits.concurrentPerUser,
  per_minute: limits.perMinute,
  per_minute_per_user: limits.perMinutePerUser,
  daily_spend: limits.dailySpend,
  rates: Object.entries(limits.rates).map(([prefix, per_minute]) => ({ prefix, per_minute })),
  max_seconds: limits.maxSeconds,
})

export const limitsWith = (before: DialLimits, change: Partial<DialLimitsView>): DialLimits => ({
  countries: change.countries === undefined ? before.countries : change.countries,
  concurrent: change.concurrent === undefined ? before.concurrent : change.concurrent,
  concurrentPerUser: change.concurrent_per_user === undefined ? before.concurrentPerUser : change.concurrent_per_user,
  perMinute: change.per_minute === undefined ? before.perMinute : change.per_minute,
  perMinutePerUser: change.per_minute_per_user === undefined ? before.perMinutePerUser : change.per_minute_per_user,
  dailySpend: change.daily_spend === undefined ? before.dailySpend : change.daily_spend,
  rates:
    change.rates === undefined
      ? before.rates
      : Object.fromEntries(change.rates.map(({ prefix, per_minute }) => [prefix, per_minute])),
  maxSeconds: change.max_seconds ?? before.maxSeconds,
})
