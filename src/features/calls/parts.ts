import type { Static } from 'typebox'
import type { Db } from '../../db/database.ts'
import type { CompanyId } from '../../db/tables.ts'
import { digitsOnly } from '../../domain/phone-number.ts'
import { isoSeconds } from '../../lib/time-format.ts'
import { type Contact, contactsByPhone } from '../contacts/store.ts'
import { type EventNumber, type NestedUser, nestedNumber, nestedUser, type Scene } from '../nested.ts'
import { numbersById, type PhoneNumber } from '../numbers/store.ts'
import { type TeamName, teamNamesById } from '../teams/store.ts'
import { type User, usersById } from '../users/store.ts'
import type { TeamOfCall } from './schemas.ts'
import type { Call } from './store.ts'

/** People and things that calls name, each rendered once however many calls name it. Who was deleted is not there. */
export interface CallParts {
  user(id: number | null): Static<typeof NestedUser> | null
  number(id: number): Static<typeof EventNumber> | null
  team(id: number): Static<typeof TeamOfCall> | undefined
  /** Whom an outside number belongs to. */
  contact(phone: string): Contact | undefined
}

/** For a whole page or a whole batch of events at once: one statement for each kind of thing. */
export async function loadParts(
  db: Db,
  companyId: CompanyId,
  scene: Scene,
  calls: readonly Call[],
  others: readonly number[] = [],
): Promise<CallParts> {
  const [userIds, phones] = [new Set(others), new Set<string>()]
  for (const call of calls) collect(call, userIds, phones)
  return partsFrom(scene, {
    users: (await usersById(db, companyId, [...userIds])).values(),
    numbers: await numbersById(
      db,
      companyId,
      calls.map(({ numberId }) => numberId),
    ),
    teams: await teamNamesById(
      db,
      companyId,
      calls.flatMap(({ teamIds }) => teamIds),
    ),
    contacts: await contactsByPhone(db, companyId, [...phones]),
  })
}

function collect(call: Call, userIds: Set<number>, phones: Set<string>): void {
  const { userId, assignedTo, transferredBy, transferredTo } = call
  for (const id of [userId, assignedTo, transferredBy, transferredTo]) if (id !== null) userIds.add(id)
  for (const { postedBy } of call.comments) if (postedBy !== null) userIds.add(postedBy)
  for (const { taggedBy } of call.tags) if (taggedBy !== null) userIds.add(taggedBy)
  for (const party of call.participants) {
    if (party.kind === 'user') userIds.add(party.userId)
    else addDigits(party.phone, phones)
  }
  addDigits(call.external, phones)
}

function addDigits(phone: string, phones: Set<string>): void {
  const digits = digitsOnly(phone)
  // An anonymous caller is nobody's contact.
  if (digits !== '') phones.add(digits)
}

interface Loaded {
  users: Iterable<User>
  numbers: Iterable<PhoneNumber>
  teams: Iterable<TeamName>
  contacts: ReadonlyMap<string, Contact>
}

export function partsFrom(scene: Scene, { users, numbers, teams, contacts }: Loaded): CallParts {
  const userViews = new Map([...users].map((user) => [user.id, nestedUser(scene, user)]))
  const numberViews = new Map([...numbers].map((number) => [number.id, nestedNumber(scene, number)]))
  const teamViews = new Map([...teams].map((team) => [team.id, teamView(scene, team)]))
  return {
    user: (id) => (id === null ? null : (userViews.get(id) ?? null)),
    number: (id) => numberViews.get(id) ?? null,
    team: (id) => teamViews.get(id),
    contact: (phone) => contacts.get(digitsOnly(phone)),
  }
}

const teamView = ({ links }: Scene, { id, name, createdAt }: TeamName): Static<typeof TeamOfCall> => ({
  id,
  name,
  direct_link: `${links.api}/v1/teams/${id}`,
  created_at: isoSeconds(createdAt),
})
