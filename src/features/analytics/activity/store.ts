import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, readApart, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { type SlotSum, type WaySum, waitSteps } from '../../../domain/analytics/activity.ts'
import type { Span } from '../exports/report-store.ts'

// Sums over the calls of a period, in whole seconds as in the reports.

export interface Narrowing {
  numberIds: readonly number[] | undefined
  userIds: readonly number[] | undefined
  teamIds: readonly number[] | undefined
}

const seconds = (from: string, to: string) => sql`(${sql.ref(to)} / 1000 - ${sql.ref(from)} / 1000)`
const waited = sql`(coalesce(answered_at, ended_at) / 1000 - started_at / 1000)`
const talked = seconds('answered_at', 'ended_at')
const answered = sql`case when answered_at is null then 0 else 1 end`
const missed = sql`case when direction = 'inbound' and answered_at is null and missed_call_reason is not null then 1 else 0 end`

function callsIn(db: Db, companyId: CompanyId, { from, to }: Span, { numberIds, userIds, teamIds }: Narrowing) {
  const among = (column: string, ids: readonly number[] | undefined) =>
    ids ? sql`and ${unindexed(column)} in ${idsFromJson(db, JSON.stringify(ids))}` : sql``
  // team_ids holds JSON such as [3,14]: the brackets become commas, so that each ID is between two commas.
  const list = sql`replace(replace(team_ids, '[', ','), ']', ',')`
  const teams = teamIds?.map((id) => sql`${list} like ${`%,${id},%`}`)
  return sql`call where company_id = ${companyId} and started_at >= ${from} and started_at < ${to}
    ${among('number_id', numberIds)} ${among('user_id', userIds)} ${teams ? sql`and (${sql.join(teams, sql` or `)})` : sql``}`
}

interface SlotRow {
  slot: number
  direction: SlotSum['direction']
  answered: number
  missed: number
  sla: number | null
  step: number | null
  calls: number
  waited: number | null
  talked: number | null
}

/** `slotMs` is long enough for few rows, and short enough that no slot spans two hours of the time zone. */
export async function sumsBySlot(
  db: Db,
  companyId: CompanyId,
  span: Span,
  narrowing: Narrowing,
  { slotMs, slaSeconds }: { slotMs: number; slaSeconds: number },
): Promise<SlotSum[]> {
  const steps = sql.join(
    waitSteps.map((limit, i) => sql`when ${waited} <= ${sql.lit(limit)} then ${sql.lit(i)}`),
    sql` `,
  )
  const sla = sql`case when direction = 'outbound' then null
    when answered_at is not null then case when ${seconds('started_at', 'answered_at')} <= ${sql.lit(slaSeconds)} then 1 else 0 end
    when missed_call_reason is not null then 0 else null end`
  const query = sql<SlotRow>`
    select started_at / ${sql.lit(slotMs)} as slot, direction, ${answered} as answered, ${missed} as missed, ${sla} as sla,
      case when coalesce(answered_at, ended_at) is null then null ${steps} else ${sql.lit(waitSteps.length)} end as step,
      cast(count(*) as bigint) as calls, cast(sum(${waited}) as bigint) as waited, cast(sum(${talked}) as bigint) as talked
    from ${callsIn(db, companyId, span, narrowing)}
    group by 1, 2, 3, 4, 5, 6`.compile(db)
  const rows = await readApart(db, query)
  return rows.map((row) => ({
    at: row.slot * slotMs,
    direction: row.direction,
    answered: row.answered === 1,
    missed: row.missed === 1,
    withinSla: row.sla === null ? null : row.sla === 1,
    waitStep: row.step,
    calls: row.calls,
    waited: row.waited ?? 0,
    talked: row.talked ?? 0,
  }))
}

interface WayRow {
  number_id: number
  user_id: number | null
  team_ids: string
  direction: WaySum['direction']
  answered: number
  missed_call_reason: WaySum['reason']
  calls: number
  waited: number | null
  talked: number | null
}

export async function sumsByWay(db: Db, companyId: CompanyId, span: Span, narrowing: Narrowing): Promise<WaySum[]> {
  const query = sql<WayRow>`
    select number_id, user_id, team_ids, direction, ${answered} as answered, missed_call_reason,
      cast(count(*) as bigint) as calls, cast(sum(${waited}) as bigint) as waited, cast(sum(${talked}) as bigint) as talked
    from ${callsIn(db, companyId, span, narrowing)}
    group by 1, 2, 3, 4, 5, 6`.compile(db)
  const rows = await readApart(db, query)
  return rows.map((row) => ({
    numberId: row.number_id,
    userId: row.user_id,
    teamIds: JSON.parse(row.team_ids),
    direction: row.direction,
    answered: row.answered === 1,
    missed: row.direction === 'inbound' && row.answered === 0 && row.missed_call_reason !== null,
    reason: row.missed_call_reason,
    calls: row.calls,
    waited: row.waited ?? 0,
    talked: row.talked ?? 0,
  }))
}
