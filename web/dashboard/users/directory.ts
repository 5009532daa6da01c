import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { writeCsv } from '../../../src/domain/csv.ts'
import { api, type ResponseOf } from '../../kit/api.ts'
import { everyPage } from '../../kit/ui/lists.ts'
import { roleWords } from '../parts/profile.ts'
import type { Filters } from '../parts/table-tools.tsx'

// The users as the server lists them for the dashboard: filtered, sorted and paged there.

export type DirectoryUser = ResponseOf<'/v1/users/directory'>['users'][number]

export const fullName = ({ first_name, last_name }: Pick<DirectoryUser, 'first_name' | 'last_name'>) =>
  `${first_name} ${last_name}`.trim()

export const stateLabels: Record<DirectoryUser['state'], string> = {
  active: 'Active',
  invited: 'Invited',
  deactivated: 'Deactivated',
}

const chosen = <T extends string>(filters: Filters, name: string, among: readonly T[]): T | undefined =>
  among.find((value) => value === filters.get(name))

const idIn = (text: string | null) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined)

export const orderIn = (filters: Filters) => ({
  sort: chosen(filters, 'sort', ['name', 'email', 'status', 'role', 'team', 'extension', 'created_at']) ?? 'created_at',
  order: chosen(filters, 'order', ['asc', 'desc']) ?? 'asc',
})

/** Unknown values in the URL are ignored. */
function queryOf(filters: Filters) {
  const text = (filters.get('q') ?? '').trim().slice(0, 255)
  return {
    ...orderIn(filters),
    text: text || undefined,
    role: chosen(filters, 'role', ['owner', 'admin', 'supervisor', 'agent']),
    team_id: idIn(filters.get('team')),
    state: chosen(filters, 'state', ['active', 'invited', 'deactivated']),
    availability: chosen(filters, 'availability', [
      ...(['available', 'in_call', 'after_call_work', 'do_not_disturb', 'offline'] as const),
    ]),
  }
}

export function useDirectory(filters: Filters, size: number) {
  const query = { ...queryOf(filters), page: filters.page, per_page: size }
  return useQuery({
    queryKey: ['users', 'directory', query],
    queryFn: () => api.get('/v1/users/directory', { query }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  })
}

/** All users that match the filters. */
export const everyUser = (filters: Filters): Promise<DirectoryUser[]> =>
  everyPage(
    (page) => api.get('/v1/users/directory', { query: { ...queryOf(filters), ...page } }),
    ({ users }) => users,
  )

/** Can be imported again. */
export const usersAsCsv = (users: readonly DirectoryUser[]) =>
  writeCsv([
    ['Email', 'First name', 'Last name', 'Roles', 'Teams', 'Numbers', 'Extension', 'Wrap-up time', 'State', 'Created'],
    ...users.map((user) => [
      user.email,
      user.first_name,
      user.last_name,
      roleWords(user.roles).replaceAll(', ', '; '),
      user.teams.map(({ name }) => name).join('; '),
      user.numbers.map(({ digits }) => digits).join('; '),
      user.extension,
      user.wrap_up_time,
      stateLabels[user.state],
      user.created_at,
    ]),
  ])
