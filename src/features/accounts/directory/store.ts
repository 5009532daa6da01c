import type { Db } from '../../../db/database.ts'
import type { CompanyId, Role } from '../../../db/tables.ts'
import { live, toUser, type User, userColumns } from '../users/store.ts'

/** A user with what the list of users shows of other tables. */
export interface DirectoryUser {
  user: User
  roles: Role[]
  teams: { id: number; name: string }[]
  /** Numbers the user is linked to, without those of teams and flows. */
  numbers: { id: number; name: string; digits: string }[]
}

/** All users: availability depends on the clock, so that the database cannot filter or sort by it. */
export async function directoryOf(db: Db, companyId: CompanyId): Promise<DirectoryUser[]> {
  const rows = await live(db, companyId).select(userColumns).execute()
  const roles = await db
    .selectFrom('user_role')
    .select(['user_id', 'role as value'])
    .where('company_id', '=', companyId)
    .execute()
  const teams = await db
    .selectFrom('team_member')
    .innerJoin('team', 'team.id', 'team_member.team_id')
    .select(['team_member.user_id', 'team.id', 'team.name'])
    .where('team_member.company_id', '=', companyId)
    .orderBy('team.name_key')
    .execute()
  const numbers = await db
    .selectFrom('number_user')
    .innerJoin('number', 'number.id', 'number_user.number_id')
    .select(['number_user.user_id', 'number.id', 'number.name', 'number.digits'])
    .where('number_user.company_id', '=', companyId)
    .orderBy('number.id')
    .execute()
  const rolesOf = byUser(roles)
  const teamsOf = byUser(teams)
  const numbersOf = byUser(numbers)
  return rows.map((row) => ({
    user: toUser(row),
    roles: rolesOf(row.id).map(({ value }) => value),
    teams: teamsOf(row.id).map(({ id, name }) => ({ id, name })),
    numbers: numbersOf(row.id).map(({ id, name, digits }) => ({ id, name, digits })),
  }))
}

function byUser<T extends { user_id: number }>(rows: readonly T[]): (userId: number) => T[] {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(row.user_id)
    if (group) group.push(row)
    else groups.set(row.user_id, [row])
  }
  return (userId) => groups.get(userId) ?? []
}
