import { Badge, Button, Group, Select, SimpleGrid, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSearch, IconUserPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { isAdmin, type Role, useSession } from '../../kit/session.tsx'
import { Figure } from '../../kit/ui/figure.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { count } from '../../kit/ui/format.ts'
import { type UserItem, useTeams, useUsers } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { AvailabilityBadge, availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { createLink, type Invitation, InvitationLink } from '../parts/invitation-link.tsx'
import { type Profile, roles, roleWords, useAvailabilities, useProfiles } from '../parts/profile.ts'
import { RolesInput } from '../parts/roles-input.tsx'

interface Row {
  user: UserItem
  profile: Profile | undefined
  availability: string | undefined
  teams: string[]
}

export default function UsersPage() {
  const session = useSession()
  const filters = useFilters()
  const [isInviting, { open, close }] = useDisclosure()
  const [invitation, setInvitation] = useState<Invitation>()
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
          data={Object.entries(availabilityLooks).map(([value, { label }]) => ({ value, label }))}
          value={filters.get('state')}
          onChange={(state) => filters.set({ state })}
        />
      </Group>
      <DataTable
        label="Users"
        columns={columns}
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
      <Invite opened={isInviting} close={close} created={setInvitation} />
      <InvitationLink invitation={invitation} close={() => setInvitation(undefined)} />
    </Page>
  )
}

function isWanted({ user, profile, availability }: Row, filters: ReturnType<typeof useFilters>): boolean {
  const words = (filters.get('q') ?? '').trim().toLowerCase()
  const role = filters.get('role')
  const state = filters.get('state')
  if (words && ![user.name, user.email, user.extension].some((text) => text.toLowerCase().includes(words))) return false
  if (role && !profile?.roles.some((held) => held === role)) return false
  return !state || availability === state
}

const columns: Column<Row>[] = [
  { label: 'Name', cell: ({ user }) => <Person name={user.name} detail={user.email} /> },
  {
    label: 'Status',
    cell: ({ availability, profile }) =>
      profile?.confirmed === false ? (
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

const blank = { first_name: '', last_name: '', email: '', wrap_up_time: 0, role_ids: ['agent'] as Role[] }

interface InviteProps {
  opened: boolean
  close: () => void
  created: (invitation: Invitation) => void
}

function Invite({ opened, close, created }: InviteProps) {
  const queries = useQueryClient()
  const [form, setForm] = useState(blank)
  const set = (part: Partial<typeof blank>) => setForm((before) => ({ ...before, ...part }))
  const submit = async () => {
    const { user } = await api.post('/v2/users', { body: form })
    await queries.invalidateQueries({ queryKey: ['users'] })
    const link = await createLink(user.id)
    created({ name: `${form.first_name} ${form.last_name}`, email: form.email, link, isMailed: true })
    setForm(blank)
  }
  return (
    <FormDrawer
      title="Invite user"
      opened={opened}
      close={close}
      action="Create invitation"
      submit={submit}
      disabled={form.role_ids.length === 0}
    >
      <SimpleGrid cols={2}>
        <TextInput
          label="First name"
          required
          maxLength={255}
          data-autofocus
          value={form.first_name}
          onChange={(event) => set({ first_name: event.currentTarget.value })}
        />
        <TextInput
          label="Last name"
          required
          maxLength={255}
          value={form.last_name}
          onChange={(event) => set({ last_name: event.currentTarget.value })}
        />
      </SimpleGrid>
      <TextInput
        label="Email"
        type="email"
        required
        maxLength={254}
        value={form.email}
        onChange={(event) => set({ email: event.currentTarget.value })}
      />
      <RolesInput value={form.role_ids} onChange={(role_ids) => set({ role_ids })} />
      {form.role_ids.includes('agent') && (
        <Figure
          label="Wrap-up time"
          description="Seconds after each call without new calls"
          min={0}
          max={3_600}
          value={form.wrap_up_time}
          onChange={(wrap_up_time) => set({ wrap_up_time })}
        />
      )}
    </FormDrawer>
  )
}
