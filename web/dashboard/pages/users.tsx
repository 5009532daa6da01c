import { ActionIcon, Badge, Button, Group, Select, Text, TextInput } from '@mantine/core'
import { IconSearch, IconUserCheck, IconUserOff, IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useFilters, useLinkedDialog } from '../../kit/ui/filters.ts'
import { count } from '../../kit/ui/format.ts'
import { type UserItem, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { AvailabilityBadge, availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { InvitationResults } from '../parts/invitation-link.tsx'
import { type InvitationResult, InviteUsers } from '../parts/invite-users.tsx'
import { type Profile, roles, roleWords, useAvailabilities, useProfiles } from '../parts/profile.ts'
import { DeactivatedBadge, useActivation } from '../parts/user-activation.tsx'

interface Row {
  user: UserItem
  profile: Profile | undefined
  availability: string | undefined
  teams: string[]
}

export default function UsersPage() {
  const session = useSession()
  const filters = useFilters()
  const [isInviting, { open, close }] = useLinkedDialog()
  const [results, setResults] = useState<InvitationResult[]>()
  const activation = useActivation()
  const { data: users, error, refetch } = useUsers()
  const { data: profiles = [] } = useProfiles()
  const { data: availabilities } = useAvailabilities()
  const { data: teams = [] } = useTeams()
  const rows = users
    ?.map(
      (user): Row => ({
        user,
        profile: profiles.find(({ id }) => id === user.id),
        availability: availabilities?.get(user.id),
        teams: teams.filter((team) => team.users.some(({ id }) => id === user.id)).map(({ name }) => name),
      }),
    )
    .filter((row) => isWanted(row, filters))
  return (
    <Page
      title="Users"
      lead="All users of this phone system and their availability."
      actions={
        isAdmin(session) && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
            Invite user
          </Button>
        )
      }
    >
      <Group gap="xs" role="search" aria-label="Users">
        <TextInput
          aria-label="Name, email or extension"
          placeholder="Name, email or extension"
          leftSection={<IconSearch size={16} />}
          w={260}
          value={filters.get('q') ?? ''}
          onChange={(event) => filters.set({ q: event.currentTarget.value })}
        />
        <Select
          aria-label="Role"
          placeholder="All roles"
          clearable
          w={150}
          data={roles.map(({ value, label }) => ({ value, label }))}
          value={filters.get('role')}
          onChange={(role) => filters.set({ role })}
        />
        <Select
          aria-label="Availability"
          placeholder="All statuses"
          clearable
          w={160}
          data={[
            ...Object.entries(availabilityLooks).map(([value, { label }]) => ({ value, label })),
            { value: 'deactivated', label: 'Deactivated' },
          ]}
          value={filters.get('state')}
          onChange={(state) => filters.set({ state })}
        />
      </Group>
      <DataTable
        label="Users"
        columns={isAdmin(session) ? [...columns, actions(session.user.id, activation)] : columns}
        rows={rows}
        keyOf={({ user }) => user.id}
        hrefOf={({ user }) => `/dashboard/users/${user.id}`}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty
            title="No results"
            action={
              <Button variant="light" size="xs" onClick={filters.clear}>
                Clear filters
              </Button>
            }
          />
        }
      />
      {rows && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {count(rows.length, 'user')}
        </Text>
      )}
      {activation.dialog}
      <InviteUsers opened={isInviting} close={close} created={setResults} />
      <InvitationResults results={results} close={() => setResults(undefined)} />
    </Page>
  )
}

function isWanted({ user, profile, availability }: Row, filters: ReturnType<typeof useFilters>): boolean {
  const words = (filters.get('q') ?? '').trim().toLowerCase()
  const role = filters.get('role')
  const state = filters.get('state')
  if (words && ![user.name, user.email, user.extension].some((text) => text.toLowerCase().includes(words))) return false
  if (role && !profile?.roles.some((held) => held === role)) return false
  if (!state) return true
  return state === (profile?.active === false ? 'deactivated' : availability)
}

const columns: Column<Row>[] = [
  { label: 'Name', cell: ({ user }) => <Person name={user.name} detail={user.email} /> },
  {
    label: 'Status',
    cell: ({ availability, profile }) =>
      profile?.active === false ? (
        <DeactivatedBadge />
      ) : profile?.confirmed === false ? (
        <Badge variant="light" color="yellow" tt="none">
          Invited
        </Badge>
      ) : (
        availability && <AvailabilityBadge availability={availability} />
      ),
  },
  {
    label: 'Role',
    cell: ({ profile }) => <Text size="sm">{profile ? roleWords(profile.roles) : '…'}</Text>,
    from: 'xs',
  },
  { label: 'Teams', cell: ({ teams }) => <Text size="sm">{teams.join(', ') || '–'}</Text>, from: 'sm' },
  {
    label: 'Extension',
    cell: ({ user }) => (
      <Text size="sm" ff="monospace">
        {user.extension}
      </Text>
    ),
    from: 'md',
  },
  {
    label: 'Wrap-up',
    cell: ({ user }) => <Text size="sm">{user.wrap_up_time > 0 ? `${user.wrap_up_time} s` : 'None'}</Text>,
    from: 'lg',
  },
]

const actions = (
  me: number,
  { deactivate, reactivate }: Pick<ReturnType<typeof useActivation>, 'deactivate' | 'reactivate'>,
): Column<Row> => ({
  label: 'Actions',
  align: 'right',
  cell: ({ user, profile }) => {
    if (!profile?.confirmed || user.id === me) return null
    return profile.active ? (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Deactivate ${user.name}`}
        title="Deactivate"
        onClick={() => deactivate(profile)}
      >
        <IconUserOff size={16} />
      </ActionIcon>
    ) : (
      <ActionIcon
        variant="subtle"
        aria-label={`Reactivate ${user.name}`}
        title="Reactivate"
        onClick={() => void reactivate(profile)}
      >
        <IconUserCheck size={16} />
      </ActionIcon>
    )
  },
})
