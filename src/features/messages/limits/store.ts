import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { MessageRules, MessageUse } from '../../../domain/message-guard.ts'
import { day, minute } from '../../../lib/clock.ts'

// Outbound rules for messages, and the counters of the current minute and day.

/** Enough for an office; a stolen API key cannot run up a large bill. */
const defaultMessageRules: MessageRules = {
  countries: null,
  perMinute: 120,
  perMinutePerUser: 30,
  perDay: 5_000,
  perDayPerUser: 1_000,
  dailySpend: null,
  dailySpendPerUser: null,
  rates: {},
}

/** The sandbox sends nothing to a carrier unless one is connected, and load tests run there: only saved limits apply. */
const sandboxMessageRules: MessageRules = {
  ...defaultMessageRules,
  perMinute: null,
  perMinutePerUser: null,
  perDay: null,
  perDayPerUser: null,
}

export async function messageRulesOf(db: Db, companyId: CompanyId, sandbox: boolean): Promise<MessageRules> {
  const row = await db.selectFrom('message_limit').selectAll().where('company_id', '=', companyId).executeTakeFirst()
  if (!row) return sandbox ? sandboxMessageRules : defaultMessageRules
  return {
    countries: row.countries === null ? null : JSON.parse(row.countries),
    perMinute: row.per_minute,
    perMinutePerUser: row.per_minute_per_user,
    perDay: row.per_day,
    perDayPerUser: row.per_day_per_user,
    dailySpend: row.daily_spend,
    dailySpendPerUser: row.daily_spend_per_user,
    rates: JSON.parse(row.rates),
  }
}

export async function saveMessageRules(db: Db, companyId: CompanyId, rules: MessageRules): Promise<void> {
  const row = {
    countries: rules.countries === null ? null : JSON.stringify(rules.countries),
    per_minute: rules.perMinute,
    per_minute_per_user: rules.perMinutePerUser,
    per_day: rules.perDay,
    per_day_per_user: rules.perDayPerUser,
    daily_spend: rules.dailySpend,
    daily_spend_per_user: rules.dailySpendPerUser,
    rates: JSON.stringify(rules.rates),
  }
  await db
    .insertInto('message_limit')
    .values({ company_id: companyId, ...row })
    .onConflict((conflict) => conflict.column('company_id').doUpdateSet(row))
    .execute()
}

interface Sent {
  userId: number | undefined
  messages: number
  price: number
}

interface Counted {
  company: MessageUse
  user: MessageUse | undefined
}

/** Adds to the counters and returns their new values. A refused message rolls the transaction back, and the count with it. */
export async function countSent(db: Db, companyId: CompanyId, sent: Sent, now: number): Promise<Counted> {
  const { userId, messages, price } = sent
  const periods = [
    { period: 'minute' as const, starts_at: now - (now % minute) },
    { period: 'day' as const, starts_at: now - (now % day) },
  ]
  // The company's rows come first: all senders of a company take the locks in the same order.
  const senders = userId === undefined ? [0] : [0, userId]
  const rows = senders.flatMap((sender) =>
    periods.map((period) => ({ company_id: companyId, user_id: sender, ...period, messages, price })),
  )
  const counted = await db
    .insertInto('message_use')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['company_id', 'user_id', 'period', 'starts_at']).doUpdateSet({
        messages: sql`message_use.messages + excluded.messages`,
        price: sql`message_use.price + excluded.price`,
      }),
    )
    .returning(['user_id', 'period', 'messages', 'price'])
    .execute()
  const useOf = (sender: number): MessageUse => {
    const rowOf = (period: string) => counted.find((row) => row.user_id === sender && row.period === period)
    const today = rowOf('day')
    return {
      inMinute: rowOf('minute')?.messages ?? 0,
      inDay: today?.messages ?? 0,
      spentInDay: today?.price ?? 0,
    }
  }
  const company = useOf(0)
  if (company.inDay === messages) await deleteOldUse(db, companyId, now - 2 * day)
  return { company, user: userId === undefined ? undefined : useOf(userId) }
}

/** Runs with the first message of a day: counters of past days are not read again. */
async function deleteOldUse(db: Db, companyId: CompanyId, before: number): Promise<void> {
  await db.deleteFrom('message_use').where('company_id', '=', companyId).where('starts_at', '<', before).execute()
}
