import { type Static, Type } from 'typebox'
import { nullable } from '../../../http/schemas.ts'
import type { DialLimits } from './store.ts'

const count = (description: string) => nullable(Type.Integer({ minimum: 0, maximum: 100_000, description }))

export const DialLimitsView = Type.Object({
  countries: nullable(
    Type.Array(Type.String({ pattern: '^([A-Z]{2}|001)$', maxLength: 3, examples: ['FR'] }), {
      maxItems: 250,
      description:
        'ISO codes of the countries that may be called; null: the countries of the company’s Numbers. 001: satellite',
    }),
  ),
  concurrent: count('Concurrent outbound calls; null: unlimited'),
  concurrent_per_user: count('Same limit per user'),
  per_minute: count('Outbound calls per minute'),
  per_minute_per_user: count('Same limit per user'),
  daily_spend: nullable(Type.Number({ minimum: 0, description: 'In the currency of the rates, from midnight UTC' })),
  rates: Type.Array(
    Type.Object({
      prefix: Type.String({ pattern: '^[1-9]\\d{0,14}$', maxLength: 15, examples: ['33'] }),
      per_minute: Type.Number({ minimum: 0, maximum: 1_000_000 }),
    }),
    {
      maxItems: 1_000,
      description: 'Price per minute by prefix; other destinations cost as much as the most expensive rate',
    },
  ),
  max_seconds: Type.Integer({ minimum: 60, maximum: 86_400, description: 'Maximum duration of a call' }),
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
