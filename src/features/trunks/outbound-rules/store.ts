import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { TollRules } from '../../../domain/toll.ts'
import { hour } from '../../../lib/clock.ts'
import { findCompany, updateCompany } from '../../accounts/index.ts'

export type DialLimits = Omit<TollRules, 'anyCountry'>

/** Defaults that suffice for an office and limit toll fraud; the operator can raise them. */
export const defaultLimits: DialLimits = {
  countries: null,
  concurrent: 50,
  concurrentPerUser: 3,
  perMinute: 120,
  perMinutePerUser: 20,
  dailySpend: null,
  rates: {},
  maxSeconds: (4 * hour) / 1_000,
}

export async function dialLimitsOf(db: Db, companyId: CompanyId): Promise<DialLimits> {
  const { countries } = await findCompany(db, companyId)
  const row = await db.selectFrom('dial_limit').selectAll().where('company_id', '=', companyId).executeTakeFirst()
  if (!row) return { ...defaultLimits, countries }
  return {
    countries,
    concurrent: row.concurrent,
    concurrentPerUser: row.concurrent_per_user,
    perMinute: row.per_minute,
    perMinutePerUser: row.per_minute_per_user,
    dailySpend: row.daily_spend,
    rates: JSON.parse(row.rates),
    maxSeconds: row.max_seconds,
  }
}

export async function saveDialLimits(db: Db, companyId: CompanyId, limits: DialLimits): Promise<void> {
  // Stored as one of the settings of the company.
  const countries = limits.countries === null ? null : JSON.stringify(limits.countries)
  await updateCompany(db, companyId, { countries })
  const row = {
    concurrent: limits.concurrent,
    concurrent_per_user: limits.concurrentPerUser,
    per_minute: limits.perMinute,
    per_minute_per_user: limits.perMinutePerUser,
    daily_spend: limits.dailySpend,
    rates: JSON.stringify(limits.rates),
    max_seconds: limits.maxSeconds,
  }
  await db
    .insertInto('dial_limit')
    .values({ company_id: companyId, ...row })
    .onConflict((conflict) => conflict.column('company_id').doUpdateSet(row))
    .execute()
}
