import { ActionIcon, Anchor, Box, Button, Center, NativeSelect, Paper, Stack, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconArrowLeft, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ConversationList } from '../../kit/inbox/conversation-list.tsx'
import type { InboxFilters } from '../../kit/inbox/data.ts'
import { ThreadHead } from '../../kit/inbox/head.tsx'
import { InboxProvider, useInboxStore } from '../../kit/inbox/store.tsx'
import { Thread } from '../../kit/inbox/thread.tsx'
import { useSession } from '../../kit/session.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { useNumbers, useUsers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import css from './messages.module.css'

/** Conversation list and thread; the selection is part of the URL. */
export function Conversations() {
  const { user } = useSession()
  const store = useInboxStore(user.id)
  const filters = useFilters()
  const id = filters.get('c')
  const open = (c: string | null) => filters.setOnly({ c })
  const asked = askedIn(filters)
  return (
    <InboxProvider store={store}>
      <Paper withBorder className={css.inbox} mod={{ open: id !== null }}>
        <div className={css.side}>
          <FilterBar filters={filters} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable with the keyboard */}
          <section className={css.found} tabIndex={0} aria-label="Conversations found">
            <ConversationList
              filters={asked}
              current={id}
              open={open}
              empty={
                Object.keys(asked).length > 0 ? (
                  <Empty
                    title="No results"
                    action={
                      <Button variant="light" size="xs" onClick={filters.clear}>
                        Clear filters
                      </Button>
                    }
                  >
                    The search covers names, numbers and the latest message.
                  </Empty>
                ) : (
                  <Empty title="No messages yet">Messages to your numbers appear here.</Empty>
                )
              }
            />
          </section>
        </div>
        <div className={css.front}>
          {id === null ? (
            <Center flex={1} c="dimmed">
              Select a conversation
            </Center>
          ) : (
            <OneConversation key={id} id={id} leave={() => open(null)} />
          )}
        </div>
      </Paper>
    </InboxProvider>
  )
}

function OneConversation({ id, leave }: { id: string; leave: () => void }) {
  const back = (
    <ActionIcon
      className={css.back ?? ''}
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="Back to conversations"
      onClick={leave}
    >
      <IconArrowLeft size={20} aria-hidden />
    </ActionIcon>
  )
  return (
    <Thread
      id={id}
      trouble={back}
      head={(one) => {
        const [first] = one.conversation.people
        return (
          <ThreadHead
            one={one}
            leave={leave}
            before={back}
            actions={
              first?.contact && (
                <Anchor component={Link} size="sm" to={`/dashboard/contacts?contact=${first.contact.id}`}>
                  Contact
                </Anchor>
              )
            }
          />
        )
      }}
    />
  )
}

type UrlFilters = ReturnType<typeof useFilters>

function askedIn(filters: UrlFilters): InboxFilters {
  const line = Number(filters.get('line'))
  const whose = filters.get('whose')
  const which = filters.get('which')
  const words = filters.get('q')?.trim()
  return {
    ...(line > 0 && { number_id: line }),
    ...(whose && { assigned_to: whose }),
    ...(which === 'unread' && { unread: true }),
    ...(which === 'archived' && { archived: true }),
    ...(words && { search: words }),
  }
}

function FilterBar({ filters }: { filters: UrlFilters }) {
  const { data: numbers } = useNumbers()
  const { data: users } = useUsers()
  const [text, setText] = useState(filters.get('q') ?? '')
  const look = useDebouncedCallback((q: string) => filters.setOnly({ q }), 300)
  return (
    <Stack gap={8} className={css.filters}>
      <TextInput
        aria-label="Search conversations"
        placeholder="Name, number or text"
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          look(event.currentTarget.value)
        }}
      />
      <Box display="grid" style={{ gridTemplateColumns: '7fr 9fr 9fr', gap: 6 }}>
        <NativeSelect
          size="xs"
          aria-label="Status"
          value={filters.get('which') ?? ''}
          onChange={(event) => filters.setOnly({ which: event.currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            { value: 'unread', label: 'Unread' },
            { value: 'archived', label: 'Archived' },
          ]}
        />
        <NativeSelect
          size="xs"
          aria-label="Number"
          value={filters.get('line') ?? ''}
          onChange={(event) => filters.setOnly({ line: event.currentTarget.value })}
          data={[
            { value: '', label: 'All numbers' },
            ...(numbers ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
        <NativeSelect
          size="xs"
          aria-label="Assigned to"
          value={filters.get('whose') ?? ''}
          onChange={(event) => filters.setOnly({ whose: event.currentTarget.value })}
          data={[
            { value: '', label: 'All agents' },
            { value: 'me', label: 'Assigned to me' },
            { value: 'unassigned', label: 'Unassigned' },
            ...(users ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      </Box>
    </Stack>
  )
}
