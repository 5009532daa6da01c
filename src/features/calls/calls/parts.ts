import type { Static } from 'typebox'
import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { digitsOnly } from '../../../domain/phone-number.ts'
import type { ViewContext } from '../../../http/view-context.ts'
import { describeNumber } from '../../../lib/phone-format.ts'
import { isoSeconds } from '../../../lib/time-format.ts'
import { type EventNumber, type NestedUser, nestedNumber, nestedUser, type TeamName } from '../../accounts/index.ts'
import type { Contact } from '../../contacts/index.ts'
import { findNamed, type Named, type NamedIds } from './parts-store.ts'
import type { TeamOfCall } from './schemas.ts'
import type { Call } from './store.ts'

/**
 * Users, numbers and teams of calls, each rendered once. Deleted users are missing; deleted numbers and teams are shown
 * as they were.
 */
export interface CallParts {
  user(id: number | null): Static<typeof NestedUser> | null
  number(id: number): Static<typeof EventNumber> | null
  team(id: number): Static<typeof TeamOfCall> | undefined
  /** The contact of an external number, for a call on this number. */
  contact(phone: string, numberId: number): Contact | undefined
  /** An external number in international display format. */
  display(phone: string): string
}

export interface PartsOptions {
  /** Users beyond those of the calls. */
  users?: readonly number[]
  /** Whether contacts of the callers are shown; those of participants always are. */
  contacts?: boolean
}

/** For a whole page or batch of events at once. */
export async function loadParts(
  db: Db,
  companyId: CompanyId,
  context: ViewContext,
  calls: readonly Call[],
  { users = [], contacts = true }: PartsOptions = {},
): Promise<CallParts> {
  const names: NamedIds = { users: new Set(users), numbers: new Set(), teams: new Set(), digits: new Set() }
  for (const call of calls) {
    collect(call, names)
    if (contacts) names.digits.add(digitsOnly(call.external))
  }
  // An anonymous caller has no contact.
  names.digits.delete('')
  return partsFrom(context, await findNamed(db, companyId, names), await displaysIn(calls))
}

/** Of the external parties of calls; the display format of the first one is stored with the call. */
async function displaysIn(calls: readonly Call[]): Promise<ReadonlyMap<string, string>> {
  const displays = new Map<string, string>()
  for (const call of calls) {
    displays.set(call.external, call.externalDisplay)
    for (const party of call.participants) {
      if (party.kind === 'user' || displays.has(party.phone) || !party.phone.startsWith('+')) continue
      displays.set(party.phone, (await describeNumber(party.phone)).display)
    }
  }
  return displays
}

function collect(call: Call, { users, numbers, teams, digits }: NamedIds): void {
  const { userId, assignedTo, transferredBy, transferredTo } = call
  numbers.add(call.numberId)
  for (const id of call.teamIds) teams.add(id)
  for (const id of [userId, assignedTo, transferredBy, transferredTo]) if (id !== null) users.add(id)
  for (const { postedBy } of call.comments) if (postedBy !== null) users.add(postedBy)
  for (const { taggedBy } of call.tags) if (taggedBy !== null) users.add(taggedBy)
  for (const party of call.participants) {
    if (party.kind === 'user') users.add(party.userId)
    else digits.add(digitsOnly(party.phone))
  }
}

export function partsFrom(
  context: ViewContext,
  { users, contactOf, ...named }: Named,
  displays: ReadonlyMap<string, string>,
): CallParts {
  const numbers = [...named.numbers, ...named.pastNumbers]
  const teams = [...named.teams, ...named.pastTeams]
  const userViews = new Map(users.map((user) => [user.id, nestedUser(context, user)]))
  const numberViews = new Map(numbers.map((number) => [number.id, nestedNumber(context, number)]))
  const teamViews = new Map(teams.map((team) => [team.id, teamView(context, team)]))
  const countries = new Map(numbers.map(({ id, country }) => [id, country]))
  return {
    user: (id) => (id === null ? null : (userViews.get(id) ?? null)),
    number: (id) => numberViews.get(id) ?? null,
    team: (id) => teamViews.get(id),
    contact: (phone, numberId) => contactOf(digitsOnly(phone), countries.get(numberId)),
    display: (phone) => displays.get(phone) ?? phone,
  }
}

const teamView = ({ links }: ViewContext, { id, name, createdAt }: TeamName): Static<typeof TeamOfCall> => ({
  id,
  name,
  direct_link: `${links.api}/v1/teams/${id}`,
  created_at: isoSeconds(createdAt),
})
