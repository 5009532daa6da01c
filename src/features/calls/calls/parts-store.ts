import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import {
  countryOfCompany,
  findPastNumbers,
  findPastTeams,
  numbersAmong,
  type PhoneNumber,
  type TeamName,
  teamNamesAmong,
  type User,
  usersAmong,
} from '../../accounts/index.ts'
import { type ContactLookup, contactLookup, contactPhones, formsOf, storedDigits } from '../../contacts/index.ts'

// Users, numbers, teams and contacts of calls in one statement: every page of calls and every call event needs them.

export interface Named {
  users: User[]
  numbers: PhoneNumber[]
  teams: TeamName[]
  /** Deleted ones, as they were at deletion: calls keep them. */
  pastNumbers: PhoneNumber[]
  pastTeams: TeamName[]
  contactOf: ContactLookup
}

export type NamedIds = Record<'users' | 'numbers' | 'teams', Set<number>> & { digits: Set<string> }

const named = hotQuery((db, v: { companyId: CompanyId } & Record<keyof NamedIds, string>) =>
  sql<
    Record<keyof NamedIds | 'contacts', string> & { country: string | null }
  >`select ${usersAmong.value(db, v.companyId, v.users)} as users,
    ${numbersAmong.value(db, v.companyId, v.numbers)} as numbers,
    ${teamNamesAmong.value(db, v.companyId, v.teams)} as teams,
    ${contactPhones.value(db, v.companyId, v.digits)} as contacts,
    ${countryOfCompany.value(v.companyId)} as country`.compile(db),
)

/** Without deleted users. */
export async function findNamed(db: Db, companyId: CompanyId, names: NamedIds): Promise<Named> {
  const forms = await formsOf(names.digits)
  const [row] = await named(db, {
    companyId,
    users: listOf(names.users),
    numbers: listOf(names.numbers),
    teams: listOf(names.teams),
    digits: listOf(storedDigits(forms)),
  })
  const numbers = numbersAmong.read(row?.numbers ?? '[]')
  const teams = teamNamesAmong.read(row?.teams ?? '[]')
  const pastNumbers = await findPastNumbers(db, companyId, absent(names.numbers, numbers))
  return {
    users: usersAmong.read(row?.users ?? '[]'),
    numbers,
    teams,
    pastNumbers,
    pastTeams: await findPastTeams(db, companyId, absent(names.teams, teams)),
    contactOf: await contactLookup(contactPhones.read(row?.contacts ?? '[]'), forms, {
      companyCountry: row?.country ?? null,
      numberCountries: [...numbers, ...pastNumbers].map(({ country }) => country),
    }),
  }
}

const absent = (wanted: ReadonlySet<number>, found: readonly { id: number }[]) =>
  found.length === wanted.size ? [] : [...wanted].filter((id) => !found.some((one) => one.id === id))

const listOf = (values: Set<number> | Set<string>) => JSON.stringify([...values])
