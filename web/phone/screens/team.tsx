import { ActionIcon, Group, Stack, Text, TextInput, Title, Tooltip } from '@mantine/core'
import { IconPhone, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { type UserItem, useUsers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { usePhone } from '../context.ts'
import css from '../phone.module.css'
import { whyNoNewCall } from '../selectors.ts'
import { usePresences } from '../work-data.ts'

const order = ['available', 'in_call', 'after_call_work', 'do_not_disturb', 'offline'] as const

/** Colleagues with their presence; available ones first. */
export default function Team() {
  const { user: me } = useSession()
  const users = useUsers()
  const presences = usePresences()
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const presenceOf = ({ id }: UserItem) => presences.data?.get(id) ?? 'offline'
  const shown = (users.data ?? [])
    .filter(({ id }) => id !== me.id)
    .filter(({ name, extension }) => `${name} ${extension}`.toLowerCase().includes(wanted))
    .toSorted((a, b) => order.indexOf(presenceOf(a)) - order.indexOf(presenceOf(b)) || a.name.localeCompare(b.name))
  const error = users.error ?? presences.error
  return (
    <Stack gap="xs">
      <Title order={1} size="h4">
        Team
      </Title>
      <TextInput
        type="search"
        aria-label="Search colleagues"
        placeholder="Name or extension"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {error && !users.data && <ErrorAlert error={error} retry={() => void users.refetch()} />}
      {users.isPending && <Text c="dimmed">Loading…</Text>}
      {users.data && shown.length === 0 && (
        <Empty title={wanted ? 'No results' : 'No colleagues yet'}>
          {wanted
            ? 'The search covers names and extensions.'
            : 'Users that an admin invites appear here with their presence.'}
        </Empty>
      )}
      <ul className={css.plainList} aria-label="Colleagues">
        {shown.map((user) => (
          <Colleague key={user.id} user={user} presence={presenceOf(user)} />
        ))}
      </ul>
    </Stack>
  )
}

function Colleague({ user, presence }: { user: UserItem; presence: keyof typeof availabilityLooks }) {
  const { state, act } = usePhone()
  const [isBusy, setBusy] = useState(false)
  const why = whyNoNewCall(state)
  const { label } = availabilityLooks[presence]
  const isAvailable = presence === 'available'
  const hint = why ?? (isAvailable ? `Call ${user.name}` : `${user.name}: ${label}`)
  const call = async () => {
    setBusy(true)
    await act({ type: 'dial', to: user.extension })
    setBusy(false)
  }
  return (
    <Group component="li" className={css.listItem} wrap="nowrap" justify="space-between" px={10} py={6} gap="xs">
      <Person name={user.name} detail={`${label} · Extension ${user.extension}`} availability={presence} />
      <Tooltip label={hint}>
        <ActionIcon
          variant="subtle"
          size="lg"
          color="green"
          aria-label={`Call ${user.name}`}
          loading={isBusy}
          disabled={why !== undefined || !isAvailable}
          onClick={() => void call()}
        >
          <IconPhone size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}
