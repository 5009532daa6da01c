import { ActionIcon, Anchor, Button, Center, Group, NativeSelect, Paper, Stack, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconArrowLeft, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { ConversationList } from '../../kit/inbox/conversation-list.tsx'
import type { Filters } from '../../kit/inbox/data.ts'
import { ThreadHead } from '../../kit/inbox/head.tsx'
import { InboxProvider, useInboxStore } from '../../kit/inbox/store.tsx'
import { Thread } from '../../kit/inbox/thread.tsx'
import { useSession } from '../../kit/session.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { useNumbers, useUsers } from '../../kit/ui/lists.ts'
import { Empty } from '../../kit/ui/page.tsx'
import css from './messages.module.css'

/** The list on the left, one conversation on the right; what is shown stands in the address. */
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
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keyboard */}
          <section className={css.found} tabIndex={0} aria-label="Conversations found">
            <ConversationList
              filters={asked}
              current={id}
              open={open}
              empty={
                Object.keys(asked).length > 0 ? (
                  <Empty
                    title="No conversation is like this"
                    action={
                      <Button variant="light" size="xs" onClick={filters.clear}>
                        Show all
                      </Button>
                    }
                  >
                    Names, numbers and the last message are searched.
                  </Empty>
                ) : (
                  <Empty title="No messages yet">What customers write to your lines is listed here.</Empty>
                )
              }
            />
          </section>
        </div>
        <div className={css.front}>
          {id === null ? (
            <Center flex={1} c="dimmed">
              Choose a conversation
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
      aria-label="Back to the conversations"
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

function askedIn(filters: UrlFilters): Filters {
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
        placeholder="Name, number or words"
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          look(event.currentTarget.value)
        }}
      />
      <Group gap={6} grow wrap="nowrap" preventGrowOverflow>
        <NativeSelect
          size="xs"
          aria-label="Which conversations"
          value={filters.get('which') ?? ''}
          onChange={(event) => filters.setOnly({ which: event.currentTarget.value })}
          data={[
            { value: '', label: 'All' },
            { value: 'unread', label: 'Unread' },
            { value: 'archived', label: 'Archive' },
          ]}
        />
        <NativeSelect
          size="xs"
          aria-label="Line"
          value={filters.get('line') ?? ''}
          onChange={(event) => filters.setOnly({ line: event.currentTarget.value })}
          data={[
            { value: '', label: 'Every line' },
            ...(numbers ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
        <NativeSelect
          size="xs"
          aria-label="Assigned to"
          value={filters.get('whose') ?? ''}
          onChange={(event) => filters.setOnly({ whose: event.currentTarget.value })}
          data={[
            { value: '', label: 'Anybody' },
            { value: 'me', label: 'Mine' },
            { value: 'nobody', label: 'Nobody' },
            ...(users ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
        />
      </Group>
    </Stack>
  )
}
