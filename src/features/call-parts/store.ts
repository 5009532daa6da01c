import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { hotQuery } from '../../db/hot-query.ts'
import type { CompanyId } from '../../db/tables.ts'
import { type Contact, contactsAt } from '../contacts/store.ts'
import { numbersAmong, type PhoneNumber } from '../numbers/store.ts'
import { type TeamName, teamNamesAmong } from '../teams/store.ts'
import { type User, usersAmong } from '../users/store.ts'

// What calls name, in one statement: every page of calls and every event about one asks for it.

export interface Named {
  users: User[]
  numbers: PhoneNumber[]
  teams: TeamName[]
  /** By the digits of their phone numbers. */
  contacts: ReadonlyMap<string, Contact>
}

export type Names = Record<'users' | 'numbers' | 'teams', Set<number>> & { digits: Set<string> }

const named = hotQuery((db, v: { companyId: CompanyId } & Record<keyof Names, string>) =>
  sql<Record<keyof Named, string>>`select ${usersAmong.value(db, v.companyId, v.users)} as users,
    ${numbersAmong.value(db, v.companyId, v.numbers)} as numbers,
    ${teamNamesAmong.value(db, v.companyId, v.teams)} as teams,
    ${contactsAt.value(db, v.companyId, v.digits)} as contacts`.compile(db),
)

/** Who was deleted meanwhile is not there. */
export async function findNamed(db: Db, companyId: CompanyId, names: Names): Promise<Named> {
  const [row] = await named(db, {
    companyId,
    users: listOf(names.users),
    numbers: listOf(names.numbers),
    teams: listOf(names.teams),
    digits: listOf(names.digits),
  })
  return {
    users: usersAmong.read(row?.users ?? '[]'),
    numbers: numbersAmong.read(row?.numbers ?? '[]'),
    teams: teamNamesAmong.read(row?.teams ?? '[]'),
    contacts: contactsAt.read(row?.contacts ?? '[]'),
  }
}

const listOf = (values: Set<number> | Set<string>) => JSON.stringify([...values])
