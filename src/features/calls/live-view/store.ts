import type { Db } from '../../../db/database.ts'
import { readApart } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { CallState } from '../../../domain/call/state.ts'
import { fromStored, type StoredCallState } from '../../../domain/call/stored-state.ts'

// Presence and active calls, as the engine stored them.

export interface LiveAgent {
  id: number
  name: string
  email: string
  granular: string
  since: number
  teams: string[]
}

export async function liveAgents(db: Db, companyId: CompanyId): Promise<LiveAgent[]> {
  const users = db
    .selectFrom('user')
    .select(['id', 'first_name', 'last_name', 'email', 'granular', 'granular_since', 'created_at'])
    .where('company_id', '=', companyId)
    .where('deleted_at', 'is', null)
    .orderBy('first_name')
    .orderBy('id')
  const members = db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select(['team_member.user_id', 'team.name'])
    .where('team_member.company_id', '=', companyId)
    .orderBy('team.name')
  const people = await readApart(db, users.compile())
  const teams = new Map<number, string[]>()
  for (const { user_id, name } of await readApart(db, members.compile())) {
    const names = teams.get(user_id)
    if (names) names.push(name)
    else teams.set(user_id, [name])
  }
  return people.map((row) => ({
    id: row.id,
    name: `${row.first_name} ${row.last_name}`.trim(),
    email: row.email,
    granular: row.granular,
    // Without a recorded change, the presence dates from the creation of the user.
    since: row.granular_since || row.created_at,
    teams: teams.get(row.id) ?? [],
  }))
}

/** Internal calls are not shown to other users. */
export async function liveCalls(db: Db, companyId: CompanyId): Promise<(CallState & { callId: number })[]> {
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
