import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import {
  idsFromJson,
  jsonFields,
  jsonFromText,
  jsonRows,
  readApart,
  rowsFromJson,
  unindexed,
} from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CallState } from '../../../domain/call/state.ts'
import { fromStored, type StoredCallState } from '../../../domain/call/stored-state.ts'
import type { LiveCall } from './view.ts'

// Presence and active calls, as the engine stored them.

/** The agents in the order of their names, as JSON of `LiveAgentView`: the reply names all agents of the company. */
export async function liveAgentsJson(
  db: Db,
  companyId: CompanyId,
  callsOf: ReadonlyMap<number, readonly number[]>,
): Promise<string> {
  const busy = [...callsOf].map(([user_id, ids]) => ({ user_id, call_ids: JSON.stringify(ids) }))
  const calls = rowsFromJson(db, JSON.stringify(busy), { user_id: 'bigint', call_ids: 'text' })
  const agent = jsonFields(db, {
    id: sql`u.id`,
    name: sql`trim(u.first_name || ' ' || u.last_name)`,
    email: sql`u.email`,
    availability: sql`u.granular`,
    // Without a recorded change, the presence dates from the creation of the user.
    since: sql`coalesce(nullif(u.granular_since, 0), u.created_at) / 1000`,
    teams: jsonFromText(db, sql`coalesce(member.teams, '[]')`),
    call_ids: jsonFromText(db, sql`coalesce(given.call_ids, '[]')`),
  })
  const query = sql<{ agents: string }>`
    select cast(${jsonRows(db, agent, sql`u.first_name, u.id`)} as text) as agents
    from ${sql.table('user')} as u
    left join (
      select m.user_id, cast(${jsonRows(db, sql`t.name`, sql`t.name`)} as text) as teams
      from team_member as m inner join team as t on t.id = m.team_id
      where m.company_id = ${companyId} group by m.user_id) as member on member.user_id = u.id
    left join ${calls} on given.user_id = u.id
    where u.company_id = ${companyId} and u.deleted_at is null`.compile(db)
  const [row] = await readApart(db, query)
  return row?.agents ?? '[]'
}

export async function agentNames(
  db: Db,
  companyId: CompanyId,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('user')
    .select(['id', 'first_name', 'last_name'])
    .where(unindexed('company_id'), '=', companyId)
    .where('deleted_at', 'is', null)
    .where(sql<boolean>`id in ${idsFromJson(db, JSON.stringify([...ids]))}`)
    .execute()
  return new Map(rows.map(({ id, first_name, last_name }) => [id, `${first_name} ${last_name}`.trim()]))
}

/** Internal calls are not shown to other users. */
export async function liveCalls(db: Db, companyId: CompanyId): Promise<LiveCall[]> {
  const rows = await db
    .selectFrom('live_call')
    .select(['call_id', 'state'])
    .where('company_id', '=', companyId)
    .where('call_id', 'is not', null)
    .orderBy('call_id')
    .execute()
  return rows.flatMap(({ call_id, state }) => {
    const stored: StoredCallState & Pick<CallState, 'number'> = JSON.parse(state)
    return call_id === null ? [] : { ...fromStored(stored), callId: call_id }
  })
}
