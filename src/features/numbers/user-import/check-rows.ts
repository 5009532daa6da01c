import type { Db } from '../../../db/database.ts'
import type { CompanyId, Role } from '../../../db/tables.ts'
import { emailKey, isEmail } from '../../../domain/email.ts'
import { nameKey } from '../../../domain/name-key.ts'
import { isInternationalForm, normaliseForSearch } from '../../../domain/phone-number.ts'
import { readNational } from '../../../lib/phone-format.ts'
import { companyCountry, takenNames, teamsByName } from '../../accounts/index.ts'
import { numbersByName } from './store.ts'

// Checks the rows of an import of users before anything is written.

export interface GivenUser {
  email?: string | undefined
  first_name?: string | undefined
  last_name?: string | undefined
  roles?: string[] | undefined
  teams?: string[] | undefined
  numbers?: string[] | undefined
  extension?: string | undefined
  wrap_up_time?: string | undefined
}

export interface UserToImport {
  email: string
  firstName: string
  lastName: string
  roles: Role[]
  teamIds: number[]
  numberIds: number[]
  extension: string | null
  wrapUpTime: number
}

export interface CheckedUser {
  user: UserToImport
  errors: { field: string; message: string }[]
  /** The user who already has the address. */
  duplicateOf: number | null
  /** An earlier row with the same address, from 0. */
  sameAs: number | null
}

interface Known {
  emails: ReadonlyMap<string, number>
  extensions: ReadonlySet<string>
  teams: ReadonlyMap<string, number>
  numbers: Awaited<ReturnType<typeof numbersByName>>
  country: string | null
  mayCreateOwners: boolean
}

const rowsPerTurn = 200

export async function checkUsers(
  db: Db,
  companyId: CompanyId,
  rows: readonly GivenUser[],
  mayCreateOwners: boolean,
): Promise<CheckedUser[]> {
  const known: Known = {
    ...(await takenNames(db, companyId)),
    teams: await teamsByName(db, companyId),
    numbers: await numbersByName(db, companyId),
    country: await companyCountry(db, companyId),
    mayCreateOwners,
  }
  const first = { emails: new Map<string, number>(), extensions: new Map<string, number>() }
  const checked: CheckedUser[] = []
  for (const [i, row] of rows.entries()) {
    const one = await checkUser(row, known)
    markSame(one, i, first)
    checked.push(one)
    // Thousands of rows must not delay calls and requests.
    if (i % rowsPerTurn === 0) await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return checked
}

type First = Record<'emails' | 'extensions', Map<string, number>>

function markSame(row: CheckedUser, i: number, first: First): void {
  const { email, extension } = row.user
  const key = emailKey(email)
  row.sameAs = first.emails.get(key) ?? null
  if (email !== '' && row.sameAs === null) first.emails.set(key, i)
  if (extension === null || row.sameAs !== null || row.duplicateOf !== null) return
  const other = first.extensions.get(extension)
  if (other === undefined) first.extensions.set(extension, i)
  else row.errors.push({ field: 'extension', message: `Extension ${extension} is also in row ${other + 1}` })
}

const roleNames: readonly Role[] = ['owner', 'admin', 'supervisor', 'agent']
const shortened = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

async function checkUser(row: GivenUser, known: Known): Promise<CheckedUser> {
  const errors: CheckedUser['errors'] = []
  const wrong = (field: string, message: string) => {
    errors.push({ field, message })
  }
  const named = (field: 'first_name' | 'last_name', label: string) => {
    const text = row[field]?.trim() ?? ''
    if (text === '') wrong(field, `${label} is missing`)
    else if ([...text].length > 255) wrong(field, `${label} is longer than 255 characters`)
    return text
  }
  const email = row.email?.trim() ?? ''
  if (email === '') wrong('email', 'Email is missing')
  else if (!isEmail(email)) wrong('email', `“${shortened(email)}” is not an email address`)
  const user: UserToImport = {
    email,
    firstName: named('first_name', 'First name'),
    lastName: named('last_name', 'Last name'),
    roles: rolesIn(row.roles, known, wrong),
    teamIds: [],
    numberIds: [],
    extension: row.extension?.trim() || null,
    wrapUpTime: wrapUpIn(row.wrap_up_time, wrong),
  }
  const duplicateOf = known.emails.get(emailKey(email)) ?? null
  for (const name of filled(row.teams)) {
    const id = known.teams.get(nameKey(name))
    if (id === undefined) wrong('teams', `There is no team “${shortened(name)}”`)
    else user.teamIds.push(id)
  }
  for (const text of filled(row.numbers)) {
    const id = await numberOf(text, known)
    if (id === undefined) wrong('numbers', `There is no number “${shortened(text)}”`)
    else user.numberIds.push(id)
  }
  if (user.extension !== null) {
    if (!/^[0-9]{3,6}$/.test(user.extension)) wrong('extension', 'An extension has 3 to 6 digits')
    else if (known.extensions.has(user.extension) && duplicateOf === null)
      wrong('extension', `Extension ${user.extension} is in use`)
  }
  return { user, errors, duplicateOf, sameAs: null }
}

const filled = (cells: readonly string[] | undefined) => (cells ?? []).map((cell) => cell.trim()).filter(Boolean)

type Wrong = (field: string, message: string) => void

function rolesIn(cells: readonly string[] | undefined, { mayCreateOwners }: Known, wrong: Wrong): Role[] {
  const roles = new Set<Role>()
  for (const cell of filled(cells)) {
    const role = roleNames.find((name) => name === cell.toLowerCase())
    if (!role) wrong('roles', `“${shortened(cell)}” is not a role; use owner, admin, supervisor or agent`)
    else if (role === 'owner' && !mayCreateOwners) wrong('roles', 'Only an owner can import owners')
    else roles.add(role)
  }
  return roles.size > 0 ? [...roles] : ['agent']
}

function wrapUpIn(cell: string | undefined, wrong: Wrong): number {
  const text = cell?.trim() ?? ''
  if (text === '') return 0
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3_600) return Number(text)
  wrong('wrap_up_time', 'Wrap-up time is 0 to 3,600 seconds')
  return 0
}

/** By name, or by digits in international notation or that of the country of the company. */
async function numberOf(text: string, { numbers, country }: Known): Promise<number | undefined> {
  const named = numbers.names.get(nameKey(text))
  if (named !== undefined || !/^[+\d][\d\s().-]*$/.test(text)) return named
  const national = isInternationalForm(text) || country === null ? null : await readNational(text, country)
  return numbers.digits.get(national ?? normaliseForSearch(text))
}
