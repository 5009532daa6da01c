import { ActionIcon, Avatar, Button, Drawer, Group, Stack, Text, TextInput, Tooltip } from '@mantine/core'
import { IconPlus, IconTrash, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { useFilters, useLinkedDialog } from '../../kit/ui/filters.ts'
import { FormDrawer } from '../../kit/ui/form-drawer.tsx'
import { count, dateTime } from '../../kit/ui/format.ts'
import { type TeamItem, useTeams } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { PeoplePicker, Person, PersonPicker } from '../../kit/ui/people.tsx'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { useAvailabilities } from '../parts/profile.ts'
import { type ListAction, ShortList } from '../parts/short-list.tsx'

export default function TeamsPage() {
  const session = useSession()
  const filters = useFilters()
  const { data: teams, error, refetch } = useTeams()
  const [isCreating, { open, close }] = useLinkedDialog()
  const queries = useQueryClient()
  const may = isAdmin(session)
  const shown = teams?.find(({ id }) => String(id) === filters.get('team'))
  return (
    <Page
      title="Teams"
      lead="Groups of users. Flows can ring a team, and calls can be transferred to it."
      actions={
        may && (
          <Button leftSection={<IconPlus size={16} />} onClick={open}>
            New team
          </Button>
        )
      }
    >
      <ShortList
        page="teams"
        label="Teams"
        word="team"
        search="Team or member"
        textsOf={({ name, users }) => [name, ...users.map((user) => user.name)]}
        dateOf={({ created_at: at }) => at}
        columns={columns}
        bulk={may ? [deletion] : []}
        refresh={() => queries.invalidateQueries({ queryKey: ['teams'] })}
        rows={teams}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        hrefOf={({ id }) => `/dashboard/teams?${withTeam(filters, id)}`}
        error={error}
        retry={() => void refetch()}
        empty={<Empty title="No teams yet">Create a team and add it to the flow of a number.</Empty>}
      />
      <Drawer
        opened={shown !== undefined}
        onClose={() => filters.setOnly({ team: null })}
        title={shown ? `Team ${shown.name}` : ''}
        position="right"
        size="md"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && <Members team={shown} may={may} gone={() => filters.setOnly({ team: null })} />}
      </Drawer>
      <NewTeam opened={isCreating} close={close} />
    </Page>
  )
}

/** The open team is part of the URL; search, order and page stay. */
function withTeam(filters: ReturnType<typeof useFilters>, id: number): string {
  const query = new URLSearchParams(filters.query)
  query.set('team', String(id))
  if (filters.page > 1) query.set('page', String(filters.page))
  return query.toString()
}

const deletion: ListAction<TeamItem> = {
  label: 'Delete',
  done: 'deleted',
  icon: <IconTrash size={14} />,
  body: 'The teams are removed from all flows. Their members and calls are kept. This cannot be undone.',
  typed: 'delete',
  run: ({ id }) => api.delete('/v1/teams/{id}', { params: { id } }),
}

const columns: ListColumn<TeamItem>[] = [
  {
    label: 'Name',
    value: ({ name }) => name,
    cell: ({ name }) => (
      <Text size="sm" fw={550}>
        {name}
      </Text>
    ),
  },
  {
    label: 'Members',
    value: ({ users }) => users.length,
    cell: ({ users }) => (
      <Group gap="sm" wrap="nowrap">
        <Avatar.Group visibleFrom="xs" spacing={6}>
          {users.slice(0, 6).map(({ id, name }) => (
            <Tooltip key={id} label={name}>
              <Avatar name={name} color="initials" size={28} radius="xl" alt={name} role="img" aria-label={name} />
            </Tooltip>
          ))}
        </Avatar.Group>
        <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {users.length === 0 ? 'No members' : count(users.length, 'member')}
        </Text>
      </Group>
    ),
  },
  {
    label: 'Created',
    value: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Text size="sm">{dateTime(created_at)}</Text>,
    from: 'md',
  },
]

function NewTeam({ opened, close }: { opened: boolean; close: () => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [members, setMembers] = useState<number[]>([])
  const submit = async () => {
    const { team } = await api.post('/v1/teams', { body: { name: name.trim() } })
    // The team exists even if adding a member fails; failures are reported and can be repeated.
    for (const id of members)
      await api
        .post('/v1/teams/{team_id}/users/{user_id}', { params: { team_id: team.id, user_id: id } })
        .catch((error: unknown) => notifyError(error, 'Member not added'))
    await queries.invalidateQueries({ queryKey: ['teams'] })
    notify('Team created')
    setName('')
    setMembers([])
  }
  return (
    <FormDrawer title="New team" opened={opened} close={close} action="Create team" submit={submit}>
      <TextInput
        label="Name"
        required
        maxLength={64}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PeoplePicker
        label="Members"
        placeholder={members.length > 0 ? '' : 'Select users'}
        value={members}
        onChange={setMembers}
      />
    </FormDrawer>
  )
}

function Members({ team, may, gone }: { team: TeamItem; may: boolean; gone: () => void }) {
  const queries = useQueryClient()
  const { data: availabilities } = useAvailabilities()
  const [dialog, confirm] = useConfirm()
  const put = async (userId: number) => {
    await api.post('/v1/teams/{team_id}/users/{user_id}', { params: { team_id: team.id, user_id: userId } })
    await queries.invalidateQueries({ queryKey: ['teams'] })
  }
  const take = async (userId: number) => {
    await api.delete('/v1/teams/{team_id}/users/{user_id}', { params: { team_id: team.id, user_id: userId } })
    await queries.invalidateQueries({ queryKey: ['teams'] })
  }
  const add = (userId: number | null) => {
    if (userId === null) return
    put(userId).then(() => notifyWithUndo(`Member added to ${team.name}`, () => take(userId)), notifyError)
  }
  const remove = ({ id, name }: { id: number; name: string }) => {
    take(id).then(() => notifyWithUndo(`${name} removed from ${team.name}`, () => put(id)), notifyError)
  }
  const destroy = () =>
    confirm({
      title: `Delete team ${team.name}?`,
      body: 'The team is removed from all flows. Its members and their calls are kept.',
      action: 'Delete',
      run: async () => {
        await api.delete('/v1/teams/{id}', { params: { id: team.id } })
        gone()
        await queries.invalidateQueries({ queryKey: ['teams'] })
        notify('Team deleted')
      },
    })
  return (
    <Stack>
      {dialog}
      {team.users.length === 0 && <Empty title="No members yet">{may && 'Add the first member below.'}</Empty>}
      <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {team.users.map((user) => (
          <Group key={user.id} component="li" justify="space-between" wrap="nowrap">
            <Link to={`/dashboard/users/${user.id}`} style={{ color: 'inherit', textDecoration: 'none', minWidth: 0 }}>
              <Person name={user.name} detail={user.email} availability={availabilities?.get(user.id)} />
            </Link>
            {may && (
              <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${user.name}`} onClick={() => remove(user)}>
                <IconX size={16} />
              </ActionIcon>
            )}
          </Group>
        ))}
      </Stack>
      {may && (
        <>
          <PersonPicker
            key={team.users.length}
            label="Add member"
            placeholder="Select a user"
            value={null}
            onChange={add}
            without={team.users.map(({ id }) => id)}
          />
          <Group>
            <Button variant="light" color="red" leftSection={<IconTrash size={16} />} onClick={destroy}>
              Delete team
            </Button>
          </Group>
        </>
      )}
    </Stack>
  )
}
