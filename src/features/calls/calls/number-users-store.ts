import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { idsFromJson } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'

// A Number is a Number of a user who is linked to it, and of a user whom it rings, directly or through a team.

const ofUser = hotQuery((db, { companyId, userId }: { companyId: CompanyId; userId: number }) =>
  sql<{ id: number }>`
    select number_id as id from number_user where company_id = ${companyId} and user_id = ${userId}
    union select number_id from number_target
      where company_id = ${companyId} and kind = 'user' and target_id = ${userId}
    union select t.number_id from team_member as m
      join number_target as t on t.company_id = m.company_id and t.kind = 'team' and t.target_id = m.team_id
      where m.company_id = ${companyId} and m.user_id = ${userId}`.compile(db),
)

export async function numbersOfUser(db: Db, companyId: CompanyId, userId: number): Promise<number[]> {
  return (await ofUser(db, { companyId, userId })).map(({ id }) => Number(id))
}

export async function usersOfNumbers(
  db: Db,
  companyId: CompanyId,
  numberIds: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const these = idsFromJson(db, JSON.stringify([...numberIds]))
  const { rows } = await sql<{ id: number }>`
    select user_id as id from number_user where company_id = ${companyId} and number_id in ${these}
    union select target_id from number_target
      where company_id = ${companyId} and kind = 'user' and number_id in ${these}
    union select m.user_id from number_target as t
      join team_member as m on m.team_id = t.target_id and m.company_id = t.company_id
      where t.company_id = ${companyId} and t.kind = 'team' and t.number_id in ${these}`.execute(db)
  return new Set(rows.map(({ id }) => Number(id)))
}
