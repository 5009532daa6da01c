import { useQuery } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import type { Role } from '../../kit/session.tsx'
import { everyPage } from '../../kit/ui/lists.ts'

/** User fields that the public User object does not contain. */
export type Profile = ResponseOf<'/v1/users/{id}/profile'>['profile']

export const roles: { value: Role; label: string; hint: string }[] = [
  { value: 'owner', label: 'Owner', hint: 'Full access; every company has at least one owner' },
  { value: 'admin', label: 'Admin', hint: 'Full dashboard access, invitations, API keys and app consents' },
  { value: 'supervisor', label: 'Supervisor', hint: 'Read-only dashboard access, live monitoring' },
  { value: 'agent', label: 'Agent', hint: 'Places and answers calls in the phone app' },
]

export const roleWords = (held: readonly Role[]) =>
  roles
    .filter(({ value }) => held.includes(value))
    .map(({ label }) => label)
    .join(', ')

export const useProfile = (id: string) =>
  useQuery({
    queryKey: ['users', 'profile', id],
    queryFn: async () => (await api.get('/v1/users/{id}/profile', { params: { id } })).profile,
  })

/** Current availability by user id. */
export const useAvailabilities = () =>
  useQuery({
    queryKey: ['users', 'availabilities'],
    refetchInterval: 5_000,
    queryFn: async () => {
      const items = await everyPage(
        (query) => api.get('/v1/users/availabilities', { query }),
        ({ users }) => users,
      )
      return new Map(items.map(({ id, availability }) => [id, availability]))
    },
  })
