import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { lockRow, readApart } from '../../../db/dialect.ts'
import type { CompanyId, LiveAlertTable } from '../../../db/tables.ts'
import type { LiveAlertStates } from '../../../domain/live-alerts.ts'
import { defaultLiveSettings, type LiveSettings } from './settings.ts'

export type LiveAlert = Omit<LiveAlertTable, 'id' | 'company_id'> & { id: number }

const columns = ['id', 'kind', 'value', 'threshold', 'raised_at', 'cleared_at'] as const

/** Without saved settings, the day begins in the time zone of the first number. */
export async function liveSettings(db: Db, companyId: CompanyId): Promise<LiveSettings> {
  const row = await db
    .selectFrom('live_setting')
    .select('settings')
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  if (row) return JSON.parse(row.settings)
  const number = await db
    .selectFrom('number')
    .select('time_zone')
    .where('company_id', '=', companyId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return { ...defaultLiveSettings, ...(number && { time_zone: number.time_zone }) }
}

/** Where the day of the company begins: as set for the live page, or that of the first number. */
export const companyTimeZone = async (db: Db, companyId: CompanyId): Promise<string> =>
  (await liveSettings(db, companyId)).time_zone

export async function saveLiveSettings(db: Db, companyId: CompanyId, settings: LiveSettings): Promise<void> {
  const text = JSON.stringify(settings)
  await db
    .insertInto('live_setting')
    .values({ company_id: companyId, settings: text, state: '{}' })
    .onConflict((conflict) => conflict.column('company_id').doUpdateSet({ settings: text }))
    .execute()
}

/** Locked until the transaction ends: one check at a time. */
export async function lockLiveState(
  db: Db,
  companyId: CompanyId,
): Promise<{ settings: LiveSettings; states: LiveAlertStates } | undefined> {
  const query = db.selectFrom('live_setting').select(['settings', 'state']).where('company_id', '=', companyId)
  const row = await lockRow(db, query).executeTakeFirst()
  return row && { settings: JSON.parse(row.settings), states: JSON.parse(row.state) }
}

export async function saveLiveStates(db: Db, companyId: CompanyId, states: LiveAlertStates): Promise<void> {
  await db
    .updateTable('live_setting')
    .set({ state: JSON.stringify(states) })
    .where('company_id', '=', companyId)
    .execute()
}

export function insertLiveAlert(
  db: Db,
  companyId: CompanyId,
  alert: Pick<LiveAlert, 'kind' | 'value' | 'threshold' | 'raised_at'>,
): Promise<LiveAlert> {
  return db
    .insertInto('live_alert')
    .values({ ...alert, company_id: companyId, cleared_at: null })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

export function clearLiveAlert(db: Db, companyId: CompanyId, id: number, at: number): Promise<LiveAlert | undefined> {
  return db
    .updateTable('live_alert')
    .set({ cleared_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst()
}

/** Newest first. */
export function latestLiveAlerts(db: Db, companyId: CompanyId, limit: number): Promise<LiveAlert[]> {
  return db
    .selectFrom('live_alert')
    .select(columns)
    .where('company_id', '=', companyId)
    .orderBy('raised_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Of all companies, for retention. */
export async function deleteOldLiveAlerts(db: Db, before: number): Promise<void> {
  await db.deleteFrom('live_alert').where('raised_at', '<', before).where('cleared_at', 'is not', null).execute()
}

/** Companies whose thresholds are checked, for the start of the process. */
export async function companiesWithLiveSettings(db: Db): Promise<{ companyId: CompanyId; settings: LiveSettings }[]> {
  const rows = await db.selectFrom('live_setting').select(['company_id', 'settings']).orderBy('company_id').execute()
  return rows.map(({ company_id, settings }) => ({ companyId: company_id, settings: JSON.parse(settings) }))
}

export interface TodayFigures {
  /** Inbound calls that were answered or missed, without those outside opening hours and short abandoned ones. */
  offered: number
  answered: number
  /** Answered within the SLA threshold. */
  within: number
  abandoned: number
  /** Seconds until the answer, summed over the answered calls. */
  waited: number
  outbound: number
}

/** One range of one index. */
export async function todayFigures(
  db: Db,
  companyId: CompanyId,
  { since, answerSeconds }: { since: number; answerSeconds: number },
): Promise<TodayFigures> {
  const wait = sql`(answered_at / 1000 - started_at / 1000)`
  const isAnswered = sql`direction = 'inbound' and answered_at is not null`
  const isMissed = sql`direction = 'inbound' and answered_at is null and missed_call_reason is not null
    and missed_call_reason not in ('out_of_opening_hours', 'short_abandoned')`
  const count = (condition: ReturnType<typeof sql>) => sql`count(case when ${condition} then 1 end)`
  const query = sql<TodayFigures>`select
    ${count(sql`(${isAnswered}) or (${isMissed})`)} as offered, ${count(isAnswered)} as answered,
    ${count(sql`${isAnswered} and ${wait} <= ${answerSeconds}`)} as within,
    ${count(sql`missed_call_reason in ('abandoned_in_ivr', 'abandoned_in_classic')`)} as abandoned,
    cast(coalesce(sum(case when ${isAnswered} then ${wait} end), 0) as bigint) as waited,
    ${count(sql`direction = 'outbound'`)} as outbound
    from call where company_id = ${companyId} and started_at >= ${since}`.compile(db)
  const [row] = await readApart(db, query)
  if (!row) throw new Error('the figures must be one row')
  return row
}

export async function countAvailableAgents(db: Db, companyId: CompanyId): Promise<number> {
  const { n } = await db
    .selectFrom('user')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .where('granular', '=', 'available')
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Time zone and live flow of each number. */
export function flowsOfCompany(db: Db, companyId: CompanyId): Promise<{ time_zone: string; document: string }[]> {
  return db
    .selectFrom('number')
    .innerJoin('flow_version', (join) =>
      join.onRef('flow_version.number_id', '=', 'number.id').onRef('flow_version.version', '=', 'number.flow_version'),
    )
    .select(['number.time_zone', 'flow_version.document'])
    .where('number.company_id', '=', companyId)
    .execute()
}
