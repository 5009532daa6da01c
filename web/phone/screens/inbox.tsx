import { ActionIcon, Button, Group, SegmentedControl, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArrowLeft, IconPencilPlus, IconPhone, IconSearch } from '@tabler/icons-react'
import { Suspense, useEffect, useState } from 'react'
import { ConversationList } from '../../kit/inbox/conversation-list.tsx'
import type { InboxFilters } from '../../kit/inbox/data.ts'
import { ThreadHead } from '../../kit/inbox/head.tsx'
import { useInbox } from '../../kit/inbox/store.tsx'
import { Thread } from '../../kit/inbox/thread.tsx'
import { lazyPart } from '../../kit/load.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { usePhone } from '../context.ts'
import { useMe } from '../data.ts'
import { dismissMessage } from '../message-notifications.ts'
import css from '../phone.module.css'

const NewConversation = lazyPart(() => import('../../kit/inbox/new-conversation.tsx'))

const views = [
  { value: 'all', label: 'All' },
  { value: 'unread', label: 'Unread' },
  { value: 'mine', label: 'Mine' },
  { value: 'archived', label: 'Archived' },
]
const filtersOf: Record<string, InboxFilters> = {
  all: {},
  unread: { unread: true },
  mine: { assigned_to: 'me' },
  archived: { archived: true },
}

/** The conversations of the user's numbers, or the open one. */
export default function Inbox() {
  const { state } = useInbox()
  return state.open === null ? <ConversationsPane /> : <OneConversation key={state.open} id={state.open} />
}

export function ConversationsPane() {
  const { dispatch, state } = useInbox()
  const phone = usePhone()
  const { data: me } = useMe()
  const [view, setView] = useState('all')
  const [text, setText] = useState('')
  const [isNew, setNew] = useState(false)
  const [query] = useDebouncedValue(text.trim(), 250)
  const open = (id: string) => {
    dispatch({ type: 'opened', id })
    phone.dispatch({ type: 'item', item: null })
  }
  const filters = { mine: true, ...filtersOf[view], ...(query && { search: query }) }
  return (
    <>
      <h1 className={css.unseen}>Messages</h1>
      <Group gap="xs" wrap="nowrap" mb="xs">
        <TextInput
          flex={1}
          aria-label="Search conversations"
          placeholder="Name, number or text"
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Tooltip label="New message">
          <ActionIcon size={36} variant="light" aria-label="New message" onClick={() => setNew(true)}>
            <IconPencilPlus size={20} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
      <SegmentedControl
        fullWidth
        size="xs"
        mb="xs"
        aria-label="Filter conversations"
        data={views}
        value={view}
        onChange={setView}
      />
      <ConversationList
        filters={filters}
        current={phone.state.item ? null : state.open}
        open={open}
        empty={
          query || view !== 'all' ? (
            <Empty title="No results">
              {query
                ? 'The search covers names, numbers and the last message.'
                : 'No conversation matches this filter.'}
            </Empty>
          ) : (
            <Empty
              title="No messages yet"
              action={
                <Button size="xs" onClick={() => setNew(true)}>
                  New message
                </Button>
              }
            >
              Messages to your numbers appear here, together with the calls of each contact.
            </Empty>
          )
        }
      />
      {isNew && me && (
        <Suspense>
          <NewConversation
            lines={me.numbers.filter(({ validated }) => validated)}
            first={me.user.default_number_id}
            close={() => setNew(false)}
            opened={open}
          />
        </Suspense>
      )}
    </>
  )
}

export function OneConversation({ id }: { id: string }) {
  const { dispatch } = useInbox()
  const phone = usePhone()
  const leave = () => dispatch({ type: 'opened', id: null })
  useEffect(() => dismissMessage(id), [id])
  const back = (
    <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Back to conversations" onClick={leave}>
      <IconArrowLeft size={20} aria-hidden />
    </ActionIcon>
  )
  return (
    <>
      <h1 className={css.unseen}>Conversation</h1>
      <Thread
        id={id}
        trouble={<Group mb="sm">{back}</Group>}
        head={(one) => {
          const [first] = one.conversation.people
          return (
            <ThreadHead
              one={one}
              leave={leave}
              before={back}
              actions={
                !one.conversation.is_group &&
                first && (
                  <Tooltip label="Call">
                    <ActionIcon
                      variant="subtle"
                      color="green"
                      size="lg"
                      aria-label="Call"
                      onClick={() => phone.dispatch({ type: 'prefilled', to: first.number })}
                    >
                      <IconPhone size={18} aria-hidden />
                    </ActionIcon>
                  </Tooltip>
                )
              }
            />
          )
        }}
      />
    </>
  )
}
