import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, readApart, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import {
  type Activity,
  type SlotSum,
  type SubjectSum,
  type SumSubject,
  waitSteps,
} from '../../../domain/analytics/activity.ts'
import type { ReportNames } from '../../../domain/analytics/calls.ts'
import type { MissedReason } from '../../../domain/call/record.ts'
import { findPastNumbers, findPastTeams } from '../../accounts/index.ts'
import type { Span } from '../exports/report-store.ts'

// Sums over the calls of a period, in whole seconds as in the reports.

export type ActivityNames = Pick<ReportNames, 'user' | 'team' | 'number'>

export interface Narrowing {
  numberIds: readonly number[] | undefined
  userIds: readonly number[] | undefined
  teamIds: readonly number[] | undefined
}

const seconds = (from: string, to: string) => sql`(${sql.ref(to)} / 1000 - ${sql.ref(from)} / 1000)`
export const waited = sql`(coalesce(answered_at, ended_at) / 1000 - started_at / 1000)`
const talked = seconds('answered_at', 'ended_at')
const answered = sql`case when answered_at is null then 0 else 1 end`
export const missed = sql`case when direction = 'inbound' and answered_at is null and missed_call_reason is not null then 1 else 0 end`

/** Conditions on the columns of calls; `prefix` is the alias of the table with a dot. */
export function narrowedBy(db: Db, { numberIds, userIds, teamIds }: Narrowing, prefix = '') {
  const among = (column: string, ids: readonly number[] | undefined) =>
    ids ? sql`and ${unindexed(`${prefix}${column}`)} in ${idsFromJson(db, JSON.stringify(ids))}` : sql``
  // team_ids holds JSON such as [3,14]: the brackets become commas, so that each ID is between two commas.
  const list = sql`replace(replace(${sql.ref(`${prefix}team_ids`)}, '[', ','), ']', ',')`
  const teams = teamIds?.map((id) => sql`${list} like ${`%,${id},%`}`)
  return sql`${among('number_id', numberIds)} ${among('user_id', userIds)}
    ${teams ? sql`and (${sql.join(teams, sql` or `)})` : sql``}`
}

export const callsIn = (db: Db, companyId: CompanyId, { from, to }: Span, narrowing: Narrowing) =>
  sql`call where company_id = ${companyId} and started_at >= ${from} and started_at < ${to} ${narrowedBy(db, narrowing)}`

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

interface SubjectRow {
  subject: SumSubject['kind']
  id: number
  name: string
  direction: SubjectSum['direction']
  answered: number
  missed: number
  calls: number
  waited: number | null
  talked: number | null
}

function subjectOf({ subject, id, name }: SubjectRow): SumSubject {
  if (subject === 'teams') return { kind: subject, ids: JSON.parse(name) }
  return subject === 'missed_reason' ? { kind: subject, reason: name as MissedReason } : { kind: subject, id }
}

/** One scan of the calls. A row per subject, not per combination of user, number and teams: thousands fewer to read. */
export async function sumsBySubject(
  db: Db,
  companyId: CompanyId,
  span: Span,
  narrowing: Narrowing,
): Promise<SubjectSum[]> {
  const of = (subject: SumSubject['kind'], columns: { id?: string; name?: string }, condition: string) => sql`
    select ${sql.lit(subject)} as subject, ${columns.id ? sql.ref(columns.id) : sql`cast(0 as bigint)`} as id,
      ${columns.name ? sql.ref(columns.name) : sql`''`} as name, direction, answered, missed,
      cast(sum(calls) as bigint) as calls, cast(sum(waited) as bigint) as waited, cast(sum(talked) as bigint) as talked
    from outcome where ${sql.raw(condition)} group by 2, 3, 4, 5, 6`
  const query = sql<SubjectRow>`select * from (
    with outcome as materialized (
      select number_id, user_id, team_ids, direction, ${answered} as answered, ${missed} as missed, missed_call_reason,
        count(*) as calls, sum(${waited}) as waited, sum(${talked}) as talked
      from ${callsIn(db, companyId, span, narrowing)}
      group by 1, 2, 3, 4, 5, 6, 7)
    ${of('user', { id: 'user_id' }, 'user_id is not null')}
    union all ${of('number', { id: 'number_id' }, '1 = 1')}
    union all ${of('teams', { name: 'team_ids' }, `team_ids <> '[]'`)}
    union all ${of('missed_reason', { name: 'missed_call_reason' }, 'missed_call_reason is not null')}) as sums`.compile(
    db,
  )
  const rows = await readApart(db, query)
  return rows.map((row) => ({
    subject: subjectOf(row),
    direction: row.direction,
    answered: row.answered === 1,
    missed: row.missed === 1,
    calls: row.calls,
    waited: row.waited ?? 0,
    talked: row.talked ?? 0,
  }))
}

/** Names of those who have calls in the period: a company may have thousands of others. */
export async function activityNames(db: Db, companyId: CompanyId, activity: Activity): Promise<ActivityNames> {
  const among = (ids: Iterable<number>) => sql<boolean>`id in ${idsFromJson(db, JSON.stringify([...ids]))}`
  const named = async (table: 'team' | 'number', ids: Iterable<number>) => {
    const rows = await db
      .selectFrom(table)
      .select(['id', 'name'])
      .where(unindexed('company_id'), '=', companyId)
      .where(among(ids))
      .execute()
    return new Map(rows.map(({ id, name }) => [id, name]))
  }
  const users = await db
    .selectFrom('user')
    .select(['id', 'first_name', 'last_name'])
    .where(unindexed('company_id'), '=', companyId)
    .where('deleted_at', 'is', null)
    .where(among(activity.users.keys()))
    .execute()
  const people = new Map(users.map(({ id, first_name, last_name }) => [id, `${first_name} ${last_name}`]))
  const teams = await named('team', activity.teams.keys())
  const numbers = await named('number', activity.numbers.keys())
  const deleted = (found: ReadonlyMap<number, string>, ids: Iterable<number>) => [...ids].filter((id) => !found.has(id))
  for (const { id, name } of await findPastTeams(db, companyId, deleted(teams, activity.teams.keys())))
    teams.set(id, name)
  for (const { id, name } of await findPastNumbers(db, companyId, deleted(numbers, activity.numbers.keys())))
    numbers.set(id, name)
  return {
    user: (id) => people.get(id),
    team: (id) => teams.get(id),
    number: (id) => numbers.get(id),
  }
}
