import { Avatar, Badge, Box, Button, Center, Group, Loader, Text } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import { ErrorAlert } from '../ui/error-alert.tsx'
import { when } from '../ui/format.ts'
import { type ConversationShown, type InboxFilters, useConversations } from './data.ts'
import css from './inbox.module.css'
import { conversationTitle } from './model.ts'

/** The most recent conversation first; older ones on request. */
export function ConversationList({
  filters,
  current,
  open,
  empty,
}: {
  filters: InboxFilters
  current: string | null
  open: (id: string) => void
  empty: ReactNode
}) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useConversations(filters)
  const conversations = data?.pages.flatMap((page) => page.conversations) ?? []
  // The server searches a large inbox in steps; a step may find nothing.
  const isSearching = !error && (!data || (conversations.length === 0 && hasNextPage))
  useEffect(() => {
    if (data && isSearching && !isFetchingNextPage) void fetchNextPage()
  }, [data, isSearching, isFetchingNextPage, fetchNextPage])
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (isSearching) {
    return (
      <Center py="xl">
        <Loader role="status" aria-label="Loading" />
      </Center>
    )
  }
  if (conversations.length === 0) return empty
  return (
    <>
      <ul className={css.list} aria-label="Conversations">
        {conversations.map((conversation) => (
          <li key={conversation.id}>
            <Row conversation={conversation} isCurrent={conversation.id === current} open={open} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Center py="sm">
          <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Center>
      )}
    </>
  )
}

function Row({
  conversation,
  isCurrent,
  open,
}: {
  conversation: ConversationShown
  isCurrent: boolean
  open: (id: string) => void
}) {
  const { unread, line, last_message, last_direction, last_at, assigned_to, is_group } = conversation
  const title = conversationTitle(conversation)
  const isNew = unread > 0
  return (
    <button
      type="button"
      className={css.row}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => open(conversation.id)}
    >
      <Avatar name={is_group ? '' : nameIn(conversation)} color="initials" size={36} radius="xl" aria-hidden alt="">
        {is_group && <IconUsers size={18} />}
      </Avatar>
      <Box flex={1} miw={0}>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" fw={isNew ? 700 : 550} truncate>
            {title}
          </Text>
          <Text size="xs" c="dimmed" flex="none">
            {when(last_at / 1_000)}
          </Text>
        </Group>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" truncate {...(isNew ? { fw: 550 } : { c: 'dimmed' })}>
            {last_direction === 'outbound' ? 'You: ' : ''}
            {last_message}
          </Text>
          {isNew && (
            <Badge size="sm" circle={unread < 10} flex="none" role="img" aria-label={`${unread} unread`}>
              {unread}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" truncate>
          {line.name}
          {assigned_to ? ` · ${assigned_to.name}` : ''}
        </Text>
      </Box>
    </button>
  )
}

/** Empty without a contact: initials of digits are useless. */
const nameIn = ({ people: [first] }: ConversationShown) => first?.contact?.name ?? ''
