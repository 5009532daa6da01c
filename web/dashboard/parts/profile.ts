import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import type { Role } from '../../kit/session.tsx'
import { everyPage } from '../../kit/ui/lists.ts'

/** What the public User object does not tell. */
export interface Profile {
  id: number
  first_name: string
  last_name: string
  email: string
  roles: Role[]
  confirmed: boolean
  time_zone: string
  language: string
  extension: string
  default_number_id: number | null
  call_sound: 'standard' | 'robust'
}

export const roles: { value: Role; label: string; hint: string }[] = [
  { value: 'owner', label: 'Owner', hint: 'Everything; a company always keeps one' },
  { value: 'admin', label: 'Admin', hint: 'The whole dashboard, invitations, keys and consents' },
  { value: 'supervisor', label: 'Supervisor', hint: 'Reads the dashboard, sees Live' },
  { value: 'agent', label: 'Agent', hint: 'Answers and dials in the phone app' },
]

export const roleWords = (held: readonly Role[]) =>
  roles
    .filter(({ value }) => held.includes(value))
    .map(({ label }) => label)
    .join(', ')

export const useProfiles = () =>
  useQuery({
    queryKey: ['users', 'profiles'],
    staleTime: 30_000,
    queryFn: () => everyPage<'profiles', Profile>('/v1/profiles', 'profiles'),
  })

export const useProfile = (id: string) =>
  useQuery({
    queryKey: ['users', 'profile', id],
    queryFn: async () => (await api.get<{ profile: Profile }>(`/v1/users/${id}/profile`)).profile,
  })

/** Who is in which state now. */
export const useAvailabilities = () =>
  useQuery({
    queryKey: ['users', 'availabilities'],
    refetchInterval: 5_000,
    queryFn: async () => {
      const items = await everyPage<'users', { id: number; availability: string }>('/v1/users/availabilities', 'users')
      return new Map(items.map(({ id, availability }) => [id, availability]))
    },
  })
