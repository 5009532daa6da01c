import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson, jsonArray, jsonRows, lockRow, unindexed } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { JsonSubquery } from '../../../db/piece.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { nameKey } from '../../../domain/name-key.ts'
import type { Window } from '../../../http/paging.ts'
import { type User, usersById } from '../users/store.ts'

export interface Team {
  id: number
  name: string
  createdAt: number
  /** In the order of their ids. */
  members: User[]
}

const rows = (db: Db, companyId: CompanyId) =>
  db.selectFrom('team').select(['id', 'name', 'created_at']).where('company_id', '=', companyId)

export async function findTeam(db: Db, companyId: CompanyId, id: number): Promise<Team | undefined> {
  const row = await rows(db, companyId).where('id', '=', id).executeTakeFirst()
  const [team] = row ? await withMembers(db, companyId, [row]) : []
  return team
}

/** Without members. */
export type TeamName = Pick<Team, 'id' | 'name' | 'createdAt'>

/** By ids. */
export const teamNamesAmong: JsonSubquery<TeamName[]> = {
  value: (db, companyId, ids) => sql`(
    select cast(${jsonRows(db, jsonArray(db, sql`t.id, t.name, t.created_at`), sql`t.id`)} as text) from team as t
    where t.id in ${idsFromJson(db, ids)} and +t.company_id = ${companyId})`,
  read(value) {
    const rows: [id: number, name: string, createdAt: number][] = JSON.parse(value)
    return rows.map(([id, name, createdAt]) => ({ id, name, createdAt }))
  },
}

export async function pageOfTeams(db: Db, companyId: CompanyId, window: Window) {
  const page = await rows(db, companyId)
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { teams: await withMembers(db, companyId, page), total: await countTeams(db, companyId) }
}

async function withMembers(db: Db, companyId: CompanyId, teams: { id: number; name: string; created_at: number }[]) {
  if (teams.length === 0) return []
  const memberships = await db
    .selectFrom('team_member')
    .select(['team_id', 'user_id'])
    .where('company_id', '=', companyId)
    .where(
      'team_id',
      'in',
      teams.map(({ id }) => id),
    )
    .orderBy('user_id')
    .execute()
  const users = await usersById(
    db,
    companyId,
    memberships.map(({ user_id }) => user_id),
  )
  return teams.map((team): Team => {
    const ids = memberships.filter(({ team_id }) => team_id === team.id).map(({ user_id }) => user_id)
    return {
      id: team.id,
      name: team.name,
      createdAt: team.created_at,
      members: ids.flatMap((id) => users.get(id) ?? []),
    }
  })
}

export async function countTeams(db: Db, companyId: CompanyId): Promise<number> {
  const { n } = await db
    .selectFrom('team')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .executeTakeFirstOrThrow()
  return n
}

/** Locked until the transaction ends; false if the team does not exist. */
export async function lockTeam(db: Db, companyId: CompanyId, id: number): Promise<boolean> {
  return (await lockRow(db, rows(db, companyId).where('id', '=', id)).executeTakeFirst()) !== undefined
}

/** Throws a duplicate error if the name is taken. */
export async function insertTeam(db: Db, companyId: CompanyId, name: string, at: number): Promise<number> {
  const { id } = await db
    .insertInto('team')
    .values({ company_id: companyId, name, name_key: nameKey(name), created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function isTeamNameTaken(db: Db, companyId: CompanyId, name: string): Promise<boolean> {
  return (await rows(db, companyId).where('name_key', '=', nameKey(name)).executeTakeFirst()) !== undefined
}

/** Deleted teams, as they were at deletion. */
export async function findPastTeams(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<TeamName[]> {
  if (ids.length === 0) return []
  const rows = await pastByIds(db, { companyId, ids: JSON.stringify(ids) })
  return rows.map(({ id, name, created_at }) => ({ id, name, createdAt: created_at }))
}

const pastByIds = hotQuery((db, { companyId, ids }: { companyId: CompanyId; ids: string }) =>
  db
    .selectFrom('past_team')
    .select(['id', 'name', 'created_at'])
    .where(unindexed('company_id'), '=', companyId)
    .where('id', 'in', idsFromJson(db, ids))
    .compile(),
)

/** Names of deleted teams. */
export async function pastTeamNames(db: Db, companyId: CompanyId): Promise<Map<number, string>> {
  const rows = await db.selectFrom('past_team').select(['id', 'name']).where('company_id', '=', companyId).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Past calls still show the team, so its name is kept. */
export async function deleteTeam(db: Db, companyId: CompanyId, id: number, at: number): Promise<boolean> {
  const team = await rows(db, companyId).where('id', '=', id).executeTakeFirst()
  if (team) {
    await db
      .insertInto('past_team')
      .values({ ...team, company_id: companyId, deleted_at: at })
      .execute()
  }
  const result = await db.deleteFrom('team').where('company_id', '=', companyId).where('id', '=', id).executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** False if the user is already a member. */
export async function addMember(db: Db, companyId: CompanyId, teamId: number, userId: number, at: number) {
  const result = await db
    .insertInto('team_member')
    .values({ team_id: teamId, user_id: userId, company_id: companyId, added_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** False if the user is not a member. */
export async function removeMember(db: Db, companyId: CompanyId, teamId: number, userId: number): Promise<boolean> {
  const result = await db
    .deleteFrom('team_member')
    .where('company_id', '=', companyId)
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/** The teams of each user. */
export async function teamsOfUsers(
  db: Db,
  companyId: CompanyId,
  userIds: readonly number[],
): Promise<Map<number, number[]>> {
  const rows = await db
    .selectFrom('team_member')
    .select(['user_id', 'team_id'])
    .where('user_id', 'in', idsFromJson(db, JSON.stringify(userIds)))
    .where(unindexed('company_id'), '=', companyId)
    .execute()
  const teams = new Map<number, number[]>()
  for (const { user_id, team_id } of rows) teams.set(user_id, [...(teams.get(user_id) ?? []), team_id])
  return teams
}

/** Which of the ids are teams of the company. */
export async function existingTeams(db: Db, companyId: CompanyId, ids: readonly number[]): Promise<Set<number>> {
  const found = await db
    .selectFrom('team')
    .select('id')
    .where('id', 'in', idsFromJson(db, JSON.stringify(ids)))
    .where(unindexed('company_id'), '=', companyId)
    .execute()
  return new Set(found.map(({ id }) => id))
}
