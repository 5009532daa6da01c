import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { readApart, unindexed } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'

/** The count of unhandled calls ends here. */
export const maxToDo = 1_000

export interface HomeFigures {
  answered: number
  missed: number
  outbound: number
  to_do: number
  voicemails: number
  webhooks: number
  webhooks_failing: number
  webhooks_paused: number
  integrations: number
  integrations_off: number
  trunks: number
  trunks_up: number
  trunks_down: number
  numbers: number
  flows: number
  users: number
  calls: number
}

/** Figures of the home page: each is a range of one index. `today` and `recent`: start of the counted periods. */
export async function homeFigures(
  db: Db,
  companyId: CompanyId,
  { today, recent }: { today: number; recent: number },
): Promise<HomeFigures> {
  const mine = sql`company_id = ${companyId}`
  const missed = sql`select voicemail from call where ${mine} and missed_call_reason is not null
    and started_at >= ${recent} and archived = 0 order by started_at desc limit ${maxToDo}`
  const answered = sql`select voicemail from call where ${mine} and voicemail is not null and missed_call_reason is null
    and started_at >= ${recent} and ${unindexed('archived')} = 0 order by started_at desc limit ${maxToDo}`
  const todo = sql`select voicemail from (select * from (${missed}) as missed
    union all select * from (${answered}) as answered) as both_kinds limit ${maxToDo}`
  const usable = sql`t.enabled = 1 and (t.company_id = ${companyId} or (t.company_id is null and exists (
    select 1 from trunk_assignment as s where s.trunk_id = t.id and s.company_id = ${companyId})))`
  const query = sql<HomeFigures>`select
    calls_today.answered as answered, calls_today.missed as missed, calls_today.outbound as outbound,
    unhandled.n as to_do, unhandled.voicemails as voicemails,
    webhooks.n as webhooks, webhooks.failing as webhooks_failing, webhooks.paused as webhooks_paused,
    apps.n + keys.n as integrations, apps.off + keys.off as integrations_off,
    trunks.n as trunks, trunks.up as trunks_up, trunks.down as trunks_down,
    (select count(*) from number where ${mine}) as numbers,
    (select count(*) from number as n where n.company_id = ${companyId} and (n.flow_version > 1 or exists (
      select 1 from number_target as t where t.number_id = n.id and t.company_id = n.company_id))) as flows,
    (select count(*) from ${sql.table('user')} where ${mine} and deleted_at is null) as users,
    (select count(*) from (select id from call where ${mine} limit 1) as any_call) as calls
    from
    (select ${count(sql`direction = 'inbound' and answered_at is not null`)} as answered,
      ${count(sql`missed_call_reason is not null`)} as missed, ${count(sql`direction = 'outbound'`)} as outbound
      from call where ${mine} and started_at >= ${today}) as calls_today,
    (select count(*) as n, ${count(sql`voicemail is not null`)} as voicemails from (${todo}) as t) as unhandled,
    (select count(*) as n, ${count(sql`status = 'disabled' or (status = 'active' and health = 'failing')`)} as failing,
      ${count(sql`status = 'paused'`)} as paused from webhook where ${mine} and deleted_at is null) as webhooks,
    (select count(*) as n, ${count(sql`active = 0`)} as off from oauth_token
      where ${mine} and revoked_at is null) as apps,
    (select count(*) as n, ${count(sql`active = 0`)} as off from api_key where ${mine}) as keys,
    (select count(*) as n, ${count(sql`t.up = 1`)} as up, ${count(sql`t.up = 0`)} as down
      from trunk as t where ${usable}) as trunks`.compile(db)
  const [row] = await readApart(db, query)
  if (!row) throw new Error('the figures must be one row')
  return row
}

const count = (condition: ReturnType<typeof sql>) => sql<number>`count(case when ${condition} then 1 end)`
