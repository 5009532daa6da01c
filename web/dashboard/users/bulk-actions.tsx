import { Button, Menu, Modal, Stack, Text } from '@mantine/core'
import {
  IconDownload,
  IconMail,
  IconPhone,
  IconShield,
  IconTrash,
  IconUserCheck,
  IconUserOff,
  IconUsersGroup,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../kit/api.ts'
import { type Role, useSession } from '../../kit/session.tsx'
import { useConfirm } from '../../kit/ui/confirm.tsx'
import { count } from '../../kit/ui/format.ts'
import { useNumbers, useTeams } from '../../kit/ui/lists.ts'
import { notify, notifyError, notifyWithUndo } from '../../kit/ui/toast.tsx'
import type { BulkAction, useBulk } from '../parts/bulk-bar.tsx'
import { RolesInput } from '../parts/roles-input.tsx'
import { saveFile } from '../parts/save-file.ts'
import { addToTeam, deactivate, deletion, newRoles, reactivate, removeFromTeam, resendInvitation } from './actions.ts'
import { type DirectoryUser, usersAsCsv } from './directory.ts'
import { downloadLinks } from './invitation-links.ts'

type Bulk = ReturnType<typeof useBulk<DirectoryUser>>

interface Selected {
  selected: DirectoryUser[]
  bulk: Bulk
  clear: () => void
}

const buttonProps = { variant: 'default', size: 'xs' } as const

/** Bulk actions of owners and admins on selected users. */
export function UserActions({ selected, bulk, clear }: Selected) {
  const { user: me } = useSession()
  const [dialog, confirm] = useConfirm()
  const disabled = bulk.progress !== undefined
  const run = async (action: BulkAction<DirectoryUser>) => {
    await bulk.run(selected, action)
    clear()
  }
  const n = count(selected.length, 'user')
  return (
    <>
      {dialog}
      <RolesButton {...{ selected, bulk, clear }} me={me.id} />
      <TeamsMenu run={(action) => void run(action)} disabled={disabled} />
      <NumbersMenu selected={selected} clear={clear} disabled={disabled} />
      <InvitationsMenu {...{ selected, bulk, clear }} />
      <Button
        {...buttonProps}
        disabled={disabled}
        leftSection={<IconUserOff size={14} />}
        onClick={() =>
          confirm({
            title: `Deactivate ${n}?`,
            body: 'They are signed out everywhere, their devices stop working, and no call rings them. Names, calls, teams and numbers are kept. You can reactivate them at any time.',
            action: 'Deactivate',
            run: () => run(deactivate),
          })
        }
      >
        Deactivate
      </Button>
      <Button
        {...buttonProps}
        disabled={disabled}
        leftSection={<IconUserCheck size={14} />}
        onClick={() => void run(reactivate)}
      >
        Reactivate
      </Button>
      <ExportSelected selected={selected} />
      <Button
        {...buttonProps}
        disabled={disabled}
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={14} />}
        onClick={() =>
          confirm({
            title: `Delete ${n}?`,
            body: 'They are signed out, and their personal data is deleted within minutes. Their calls are kept without their names. This cannot be undone; deactivate users who may come back.',
            action: 'Delete',
            typed: 'delete',
            run: () => run(deletion(me.id)),
          })
        }
      >
        Delete
      </Button>
    </>
  )
}

export function ExportSelected({ selected }: { selected: DirectoryUser[] }) {
  return (
    <Button
      {...buttonProps}
      leftSection={<IconDownload size={14} />}
      onClick={() => {
        saveFile('users.csv', usersAsCsv(selected))
        notify(`${count(selected.length, 'user')} exported`)
      }}
    >
      Export CSV
    </Button>
  )
}

function RolesButton({ selected, bulk, clear, me }: Selected & { me: number }) {
  const [isOpen, setOpen] = useState(false)
  const [roles, setRoles] = useState<Role[]>(['agent'])
  const save = async () => {
    setOpen(false)
    await bulk.run(selected, newRoles(roles, me))
    clear()
  }
  return (
    <>
      <Button
        {...buttonProps}
        disabled={bulk.progress !== undefined}
        leftSection={<IconShield size={14} />}
        onClick={() => setOpen(true)}
      >
        Change role
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Change the role of ${count(selected.length, 'user')}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <RolesInput value={roles} onChange={setRoles} />
          <Text size="sm" c="dimmed">
            These roles replace the present ones. Users whose roles change are signed out.
          </Text>
          <Button disabled={roles.length === 0} onClick={() => void save()}>
            Change role
          </Button>
        </Stack>
      </Modal>
    </>
  )
}

const menuProps = { shadow: 'md', withinPortal: true } as const
const dropdownProps = { mah: 320, style: { overflowY: 'auto' } } as const

function TeamsMenu({ run, disabled }: { run: (action: BulkAction<DirectoryUser>) => void; disabled: boolean }) {
  const { data: teams = [] } = useTeams()
  return (
    <Menu {...menuProps}>
      <Menu.Target>
        <Button {...buttonProps} disabled={disabled} leftSection={<IconUsersGroup size={14} />}>
          Teams
        </Button>
      </Menu.Target>
      <Menu.Dropdown {...dropdownProps}>
        {teams.length === 0 && <Menu.Label>No teams yet. Create one on the page Teams.</Menu.Label>}
        {teams.length > 0 && <Menu.Label>Add to team</Menu.Label>}
        {teams.map((team) => (
          <Menu.Item key={`+${team.id}`} aria-label={`Add to ${team.name}`} onClick={() => run(addToTeam(team))}>
            {team.name}
          </Menu.Item>
        ))}
        {teams.length > 0 && <Menu.Label>Remove from team</Menu.Label>}
        {teams.map((team) => (
          <Menu.Item
            key={`-${team.id}`}
            aria-label={`Remove from ${team.name}`}
            onClick={() => run(removeFromTeam(team))}
          >
            {team.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** One change per number, so that its flow has one new version. */
function NumbersMenu({ selected, clear, disabled }: Omit<Selected, 'bulk'> & { disabled: boolean }) {
  const queries = useQueryClient()
  const { data: numbers = [] } = useNumbers()
  const refresh = async () => {
    for (const queryKey of [['users'], ['numbers'], ['number']]) await queries.invalidateQueries({ queryKey })
  }
  const change = async (number: { id: number; name: string }, way: 'add' | 'remove') => {
    const params = { id: number.id }
    const ids = selected.map(({ id }) => id)
    try {
      const { added, removed } = await api.post('/v1/numbers/{id}/users', {
        params,
        body: { [`${way}_user_ids`]: ids },
      })
      await refresh()
      clear()
      const changed = way === 'add' ? added : removed
      const done = way === 'add' ? `linked to ${number.name}` : `unlinked from ${number.name}`
      const same = ids.length - changed.length
      const note = same > 0 ? `${count(same, 'user')} ${way === 'add' ? 'already linked' : 'not linked to it'}` : ''
      if (changed.length === 0) return notify(`Nothing changed: ${note}`)
      notifyWithUndo([`${count(changed.length, 'user')} ${done}`, note].filter(Boolean).join('; '), async () => {
        await api.post('/v1/numbers/{id}/users', { params, body: { add_user_ids: removed, remove_user_ids: added } })
        await refresh()
        notify(`Undone for ${count(changed.length, 'user')}`)
      })
    } catch (error) {
      notifyError(error, 'No user was changed')
    }
  }
  return (
    <Menu {...menuProps}>
      <Menu.Target>
        <Button {...buttonProps} disabled={disabled} leftSection={<IconPhone size={14} />}>
          Numbers
        </Button>
      </Menu.Target>
      <Menu.Dropdown {...dropdownProps}>
        {numbers.length === 0 && <Menu.Label>No numbers yet. Add one on the page Numbers.</Menu.Label>}
        {numbers.length > 0 && <Menu.Label>Assign number</Menu.Label>}
        {numbers.map((number) => (
          <Menu.Item
            key={`+${number.id}`}
            aria-label={`Assign ${number.name}`}
            onClick={() => void change(number, 'add')}
          >
            {number.name} · {number.digits}
          </Menu.Item>
        ))}
        {numbers.length > 0 && <Menu.Label>Remove number</Menu.Label>}
        {numbers.map((number) => (
          <Menu.Item
            key={`-${number.id}`}
            aria-label={`Remove ${number.name}`}
            onClick={() => void change(number, 'remove')}
          >
            {number.name} · {number.digits}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function InvitationsMenu({ selected, bulk, clear }: Selected) {
  const { mail_server: hasMailServer } = useSession()
  const resend = async () => {
    await bulk.run(selected, resendInvitation)
    clear()
  }
  const download = async () => {
    await downloadLinks(bulk, selected)
    clear()
  }
  return (
    <Menu {...menuProps} width={300}>
      <Menu.Target>
        <Button {...buttonProps} disabled={bulk.progress !== undefined} leftSection={<IconMail size={14} />}>
          Invitations
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {hasMailServer ? (
          <Menu.Item onClick={() => void resend()}>Resend invitations by email</Menu.Item>
        ) : (
          <Menu.Label>No mail server is configured, so no email can be sent.</Menu.Label>
        )}
        <Menu.Item onClick={() => void download()}>Download invitation links (CSV)</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
