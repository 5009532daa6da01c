import { ActionIcon, Badge, Button, Group, Select, Text } from '@mantine/core'
import { IconDownload, IconUpload, IconUserCheck, IconUserOff, IconUserPlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useFilters, useLinkedDialog } from '../../kit/ui/filters.ts'
import { count, dateTime } from '../../kit/ui/format.ts'
import { useTeams } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { AvailabilityBadge, availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { BulkBar, useBulk } from '../parts/bulk-bar.tsx'
import { InvitationResults } from '../parts/invitation-link.tsx'
import { type InvitationResult, InviteUsers } from '../parts/invite-users.tsx'
import { roles, roleWords } from '../parts/profile.ts'
import { saveFile } from '../parts/save-file.ts'
import { SearchBox } from '../parts/search-box.tsx'
import { type Filters, SavedFilters, useColumns, usePageSize, useSelection } from '../parts/table-tools.tsx'
import { DeactivatedBadge, useActivation } from '../parts/user-activation.tsx'
import { ExportSelected, UserActions } from '../users/bulk-actions.tsx'
import {
  type DirectoryUser,
  everyUser,
  fullName,
  orderIn,
  stateLabels,
  useDirectory,
  usersAsCsv,
} from '../users/directory.ts'

const keyOf = ({ id }: DirectoryUser) => id

export default function UsersPage() {
  const session = useSession()
  const mayChange = isAdmin(session)
  const filters = useFilters()
  const [isInviting, { open, close }] = useLinkedDialog()
  const [results, setResults] = useState<InvitationResult[]>()
  const activation = useActivation()
  const { shown, menu } = useColumns('users', columns)
  const [size, setSize] = usePageSize('users', filters)
  const { data, error, refetch } = useDirectory(filters, size)
  const { selection, selected, clear } = useSelection(keyOf, fullName, scopeOf(filters))
  return (
    <Page
      title="Users"
      lead="All users of this phone system and their availability."
      actions={
        <>
          {mayChange && (
            <Button
              variant="default"
              leftSection={<IconUpload size={16} />}
              component={Link}
              to="/dashboard/users/import"
            >
              Import
            </Button>
          )}
          <ExportAll filters={filters} />
          {mayChange && (
            <Button leftSection={<IconUserPlus size={16} />} onClick={open}>
              Invite user
            </Button>
          )}
        </>
      }
    >
      <Group justify="space-between" gap="xs">
        <UserFilters filters={filters} />
        <Group gap="xs">
          <SavedFilters page="users" filters={filters} />
          {menu}
        </Group>
      </Group>
      <Selected
        filters={filters}
        selected={selected}
        clear={clear}
        total={data?.meta.total ?? 0}
        select={(rows) => selection.onChange(rows, true)}
        mayChange={mayChange}
      />
      <DataTable
        label="Users"
        columns={mayChange ? [...shown, actions(session.user.id, activation)] : shown}
        rows={data?.users}
        keyOf={keyOf}
        hrefOf={({ id }) => `/dashboard/users/${id}`}
        selection={selection}
        sort={{
          ...sortOf(filters),
          first: 'asc',
          onChange: (sort, order) => filters.set({ sort, order }),
        }}
        meta={data?.meta}
        onPage={filters.setPage}
        onPageSize={setSize}
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
      {activation.dialog}
      <InviteUsers opened={isInviting} close={close} created={setResults} />
      <InvitationResults results={results} close={() => setResults(undefined)} />
    </Page>
  )
}

const sortOf = (filters: Filters) => {
  const { sort, order } = orderIn(filters)
  return { by: sort, order }
}

/** A selection lasts while the same users are listed, in any order. */
const scopeOf = (filters: Filters) =>
  ['q', 'role', 'team', 'state', 'availability'].map((name) => filters.get(name) ?? '').join('|')

function UserFilters({ filters }: { filters: Filters }) {
  const { data: teams = [] } = useTeams()
  return (
    <Group gap="xs" role="search" aria-label="Users">
      <SearchBox label="Name, email or extension" value={filters.get('q') ?? ''} onChange={(q) => filters.set({ q })} />
      <Select
        aria-label="Role"
        placeholder="All roles"
        clearable
        w={140}
        data={roles.map(({ value, label }) => ({ value, label }))}
        value={filters.get('role')}
        onChange={(role) => filters.set({ role })}
      />
      <Select
        aria-label="Team"
        placeholder="All teams"
        clearable
        searchable
        w={150}
        nothingFoundMessage="No teams"
        data={teams.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={filters.get('team')}
        onChange={(team) => filters.set({ team })}
      />
      <Select
        aria-label="State"
        placeholder="All states"
        clearable
        w={140}
        data={Object.entries(stateLabels).map(([value, label]) => ({ value, label }))}
        value={filters.get('state')}
        onChange={(state) => filters.set({ state })}
      />
      <Select
        aria-label="Availability"
        placeholder="Any availability"
        clearable
        w={160}
        data={Object.entries(availabilityLooks).map(([value, { label }]) => ({ value, label }))}
        value={filters.get('availability')}
        onChange={(availability) => filters.set({ availability })}
      />
    </Group>
  )
}

function ExportAll({ filters }: { filters: Filters }) {
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      const users = await everyUser(filters)
      saveFile('users.csv', usersAsCsv(users))
      notify(`${count(users.length, 'user')} exported`)
    } catch (error) {
      notifyError(error, 'Export failed')
    }
    setBusy(false)
  }
  return (
    <Button variant="default" leftSection={<IconDownload size={16} />} loading={isBusy} onClick={() => void run()}>
      Export
    </Button>
  )
}

function Selected({
  filters,
  selected,
  clear,
  total,
  select,
  mayChange,
}: {
  filters: Filters
  selected: DirectoryUser[]
  clear: () => void
  total: number
  select: (users: DirectoryUser[]) => void
  mayChange: boolean
}) {
  const queries = useQueryClient()
  const [isReading, setReading] = useState(false)
  const bulk = useBulk<DirectoryUser>({
    word: 'user',
    nameOf: fullName,
    refresh: async () => {
      for (const queryKey of [['users'], ['teams']]) await queries.invalidateQueries({ queryKey })
    },
  })
  const selectAll = () => {
    setReading(true)
    everyUser(filters)
      .then(select, notifyError)
      .finally(() => setReading(false))
  }
  return (
    <BulkBar
      selected={selected.length}
      word="user"
      clear={clear}
      bulk={bulk}
      everything={{ total, select: selectAll, isBusy: isReading }}
    >
      {mayChange ? (
        <UserActions selected={selected} bulk={bulk} clear={clear} />
      ) : (
        <ExportSelected selected={selected} />
      )}
    </BulkBar>
  )
}

const columns: Column<DirectoryUser>[] = [
  { label: 'Name', sort: 'name', cell: (user) => <Person name={fullName(user)} detail={user.email} /> },
  { label: 'Status', sort: 'status', cell: (user) => <Status user={user} /> },
  { label: 'Role', sort: 'role', cell: (user) => <Text size="sm">{roleWords(user.roles)}</Text>, from: 'xs' },
  {
    label: 'Teams',
    sort: 'team',
    cell: ({ teams }) => <Text size="sm">{teams.map(({ name }) => name).join(', ') || '–'}</Text>,
    from: 'sm',
  },
  {
    label: 'Numbers',
    cell: ({ numbers }) => <Text size="sm">{numbers.map(({ name }) => name).join(', ') || '–'}</Text>,
    from: 'lg',
  },
  {
    label: 'Extension',
    sort: 'extension',
    cell: ({ extension }) => (
      <Text size="sm" ff="monospace">
        {extension}
      </Text>
    ),
    from: 'md',
  },
  {
    label: 'Wrap-up',
    cell: ({ wrap_up_time: seconds }) => <Text size="sm">{seconds > 0 ? `${seconds} s` : 'None'}</Text>,
    from: 'xl',
  },
  {
    label: 'Created',
    sort: 'created_at',
    cell: ({ created_at: at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {dateTime(at)}
      </Text>
    ),
    from: 'xl',
  },
]

function Status({ user: { state, availability } }: { user: DirectoryUser }) {
  if (state === 'deactivated') return <DeactivatedBadge />
  if (state === 'active') return <AvailabilityBadge availability={availability} />
  return (
    <Badge variant="light" color="yellow" tt="none">
      Invited
    </Badge>
  )
}

const actions = (
  me: number,
  { deactivate, reactivate }: Pick<ReturnType<typeof useActivation>, 'deactivate' | 'reactivate'>,
): Column<DirectoryUser> => ({
  label: 'Actions',
  align: 'right',
  cell: (user) => {
    if (user.state === 'invited' || user.id === me) return null
    return user.state === 'active' ? (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Deactivate ${fullName(user)}`}
        title="Deactivate"
        onClick={() => deactivate(user)}
      >
        <IconUserOff size={16} />
      </ActionIcon>
    ) : (
      <ActionIcon
        variant="subtle"
        aria-label={`Reactivate ${fullName(user)}`}
        title="Reactivate"
        onClick={() => void reactivate(user)}
      >
        <IconUserCheck size={16} />
      </ActionIcon>
    )
  },
})
