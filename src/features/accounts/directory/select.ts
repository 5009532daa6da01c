import type { Role } from '../../../db/tables.ts'
import { type Granular, granular, isOpenForCalls } from '../../../domain/availability.ts'
import type { DirectoryUser } from './store.ts'

// Filters and order of the list of users.

export const userStates = ['active', 'invited', 'deactivated'] as const
export type UserState = (typeof userStates)[number]
export const directorySorts = ['created_at', 'name', 'email', 'status', 'role', 'team', 'extension'] as const

export interface DirectoryFilter {
  text?: string | undefined
  role?: Role | undefined
  team_id?: number | undefined
  number_id?: number | undefined
  state?: UserState | undefined
  availability?: Granular | undefined
}

export interface ListedUser extends DirectoryUser {
  state: UserState
  availability: Granular
}

export function listedAt(entry: DirectoryUser, at: number): ListedUser {
  const { user } = entry
  const state = !user.active ? 'deactivated' : user.confirmed ? 'active' : 'invited'
  return { ...entry, state, availability: granular({ ...user, openForCalls: isOpenForCalls(user, at) }) }
}

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The text is part of the name, the address or the extension; all words of it must match. */
export function isListed(entry: ListedUser, filter: DirectoryFilter): boolean {
  const { user, roles, teams, numbers, state, availability } = entry
  if (filter.role !== undefined && !roles.includes(filter.role)) return false
  if (filter.team_id !== undefined && !teams.some(({ id }) => id === filter.team_id)) return false
  if (filter.number_id !== undefined && !numbers.some(({ id }) => id === filter.number_id)) return false
  if (filter.state !== undefined && state !== filter.state) return false
  // Only active users can be called.
  if (filter.availability !== undefined && (state !== 'active' || availability !== filter.availability)) return false
  if (filter.text === undefined) return true
  const searched = plain(`${user.firstName} ${user.lastName} ${user.email} ${user.extension}`)
  return plain(filter.text)
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

const roleRank: Record<Role, number> = { owner: 0, admin: 1, supervisor: 2, agent: 3 }
const statusRank: Record<Granular, number> = {
  available: 0,
  in_call: 1,
  after_call_work: 2,
  do_not_disturb: 3,
  offline: 4,
}

function keyOf(entry: ListedUser, sort: (typeof directorySorts)[number]): string | number {
  const { user, roles, teams, state, availability } = entry
  switch (sort) {
    case 'created_at':
      return user.createdAt
    case 'name':
      return plain(`${user.firstName} ${user.lastName}`)
    case 'email':
      return plain(user.email)
    case 'status':
      return state === 'active' ? statusRank[availability] : state === 'invited' ? 5 : 6
    case 'role':
      return Math.min(...roles.map((role) => roleRank[role]), 4)
    case 'team':
      // Users without a team follow.
      return teams[0] ? plain(teams[0].name) : '\uFFFF'
    case 'extension':
      return Number(user.extension)
  }
}

/** Equal keys are ordered by id, so that pages do not overlap. */
export function directoryInOrder(
  entries: readonly ListedUser[],
  sort: (typeof directorySorts)[number],
  order: 'asc' | 'desc',
): ListedUser[] {
  const sign = order === 'asc' ? 1 : -1
  return entries
    .map((entry) => ({ entry, key: keyOf(entry, sort) }))
    .sort((a, b) => sign * (compare(a.key, b.key) || a.entry.user.id - b.entry.user.id))
    .map(({ entry }) => entry)
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
}
