import { ActionIcon, Badge, Group, Stack, Text, TextInput, Title, Tooltip } from '@mantine/core'
import { IconMessage, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { type UserItem, useUsers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Availability, availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { usePhone } from '../context.ts'
import { type DirectConversationItem, useDirectConversations } from '../direct-messages/data.ts'
import css from '../phone.module.css'
import { usePresences } from '../work-data.ts'
import { CallColleague } from './call-colleague.tsx'

const order = ['available', 'in_call', 'after_call_work', 'do_not_disturb', 'offline'] as const

/** Colleagues with their presence: first those with unread messages, then available ones. */
export default function Team() {
  const { user: me } = useSession()
  const users = useUsers()
  const presences = usePresences()
  const { data: conversations } = useDirectConversations()
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const presenceOf = ({ id }: UserItem) => presences.data?.get(id) ?? 'offline'
  const isUnread = ({ id }: UserItem) => (conversations?.get(id)?.unread ?? 0) > 0
  const shown = (users.data ?? [])
    .filter(({ id }) => id !== me.id)
    .filter(({ name, extension }) => `${name} ${extension}`.toLowerCase().includes(wanted))
    .toSorted(
      (a, b) =>
        Number(isUnread(b)) - Number(isUnread(a)) ||
        order.indexOf(presenceOf(a)) - order.indexOf(presenceOf(b)) ||
        a.name.localeCompare(b.name),
    )
  const deleted = [...(conversations?.values() ?? [])].filter(({ user }) => user.state === 'deleted')
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
          <Colleague key={user.id} user={user} presence={presenceOf(user)} conversation={conversations?.get(user.id)} />
        ))}
      </ul>
      {deleted.length > 0 && wanted === '' && <DeletedUsers conversations={deleted} />}
    </Stack>
  )
}

interface ColleagueProps {
  user: UserItem
  presence: Availability
  conversation: DirectConversationItem | undefined
}

function Colleague({ user: { id, name, extension }, presence, conversation }: ColleagueProps) {
  const isActive = conversation?.user.state !== 'deactivated'
  const label = isActive ? availabilityLooks[presence].label : 'Deactivated'
  return (
    <Row id={id}>
      <Person name={name} detail={`${label} · Extension ${extension}`} availability={isActive ? presence : undefined} />
      <Group gap={2} wrap="nowrap" flex="none">
        <OpenConversation id={id} name={name} unread={conversation?.unread ?? 0} />
        {isActive && <CallColleague name={name} extension={extension} presence={presence} />}
      </Group>
    </Row>
  )
}

/** Their conversations can still be read. */
function DeletedUsers({ conversations }: { conversations: readonly DirectConversationItem[] }) {
  return (
    <>
      <Title order={2} size="h6" mt="sm">
        Conversations with deleted users
      </Title>
      <ul className={css.plainList} aria-label="Conversations with deleted users">
        {conversations.map(({ user: { id }, unread, last_message }) => (
          <Row key={id} id={id}>
            <Person name="Deleted user" detail={last_message.text ?? undefined} />
            <OpenConversation id={id} name="deleted user" unread={unread} />
          </Row>
        ))}
      </ul>
    </>
  )
}

function Row({ id, children }: { id: number; children: React.ReactNode }) {
  const { item } = usePhone().state
  const isOpen = item?.kind === 'colleague' && item.id === id
  return (
    <Group
      component="li"
      className={css.colleague ?? ''}
      mod={{ open: isOpen }}
      wrap="nowrap"
      justify="space-between"
      px={10}
      py={6}
      gap="xs"
    >
      {children}
    </Group>
  )
}

function OpenConversation({ id, name, unread }: { id: number; name: string; unread: number }) {
  const { dispatch } = usePhone()
  const label = `Message ${name}`
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        size="lg"
        pos="relative"
        style={{ overflow: 'visible' }}
        aria-label={unread > 0 ? `${label}, ${unread} unread` : label}
        onClick={() => dispatch({ type: 'item', item: { kind: 'colleague', id } })}
      >
        <IconMessage size={18} aria-hidden />
        {unread > 0 && (
          <Badge size="xs" circle={unread < 10} className={css.unreadMessages ?? ''} aria-hidden>
            {unread > 99 ? '99+' : unread}
          </Badge>
        )}
      </ActionIcon>
    </Tooltip>
  )
}
