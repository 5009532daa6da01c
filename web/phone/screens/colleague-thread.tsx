import { ActionIcon, Alert, Anchor, Button, Center, Group, Loader, Text, Textarea } from '@mantine/core'
import { IconAlertCircle, IconArrowLeft, IconClock, IconSend2 } from '@tabler/icons-react'
import { Fragment, type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef } from 'react'
import css from '../../kit/inbox/inbox.module.css'
import { dayOf, useScrolled } from '../../kit/inbox/scrolling.ts'
import { useWhenVisible } from '../../kit/inbox/store.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, timeOnly } from '../../kit/ui/format.ts'
import { availabilityLooks, Person } from '../../kit/ui/people.tsx'
import { usePhone } from '../context.ts'
import {
  type DirectColleague,
  type DirectMessageItem,
  directMessagesIn,
  markDirectRead,
  useDirectConversations,
  useDirectThread,
} from '../direct-messages/data.ts'
import { draftTo, maxDirectLength, type OutgoingDirect, unsentTo } from '../direct-messages/model.ts'
import { dismissDirect } from '../direct-messages/notify-direct.ts'
import { partsOfText } from '../direct-messages/text-links.ts'
import { useDirect } from '../direct-messages/use-direct-store.ts'
import { useLayout } from '../layout.ts'
import phoneCss from '../phone.module.css'
import { usePresences } from '../work-data.ts'
import { CallColleague } from './call-colleague.tsx'

/** The messages between the user and a colleague, and a field for the next one. */
export default function ColleagueThread({ id }: { id: number }) {
  const thread = useDirectThread(id)
  useEffect(() => dismissDirect(id), [id])
  const [latest] = thread.data?.pages ?? []
  if (thread.error && !latest) {
    return (
      <>
        <Group mb="sm">
          <Back />
        </Group>
        <ErrorAlert error={thread.error} retry={() => void thread.refetch()} />
      </>
    )
  }
  if (!latest) {
    return (
      <Center py="xl" flex={1}>
        <Loader role="status" aria-label="Loading" />
      </Center>
    )
  }
  const messages = directMessagesIn(thread.data)
  const { user } = latest
  return (
    <section className={css.thread} aria-label="Conversation">
      <h1 className={phoneCss.unseen}>Conversation with {user.name ?? 'a deleted user'}</h1>
      <Head user={user} />
      <MarkRead id={id} messages={messages} />
      <Past id={id} messages={messages} thread={thread} />
      <DirectComposer user={user} after={messages.at(-1)?.id ?? 0} />
    </section>
  )
}

/** On a wide desktop the list is beside the conversation. */
function Back() {
  const { dispatch } = usePhone()
  const layout = useLayout()
  if (layout === 'three panes') return null
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label="Back to Team"
      onClick={() => dispatch({ type: 'item', item: null })}
    >
      <IconArrowLeft size={20} aria-hidden />
    </ActionIcon>
  )
}

function Head({ user: { id, name, extension, state } }: { user: DirectColleague }) {
  const { data: presences } = usePresences()
  const presence = presences?.get(id) ?? 'offline'
  const isActive = state === 'active'
  const detail = isActive
    ? `${availabilityLooks[presence].label} · Extension ${extension}`
    : state === 'deleted'
      ? 'Deleted'
      : 'Deactivated'
  return (
    <Group className={css.head} wrap="nowrap" justify="space-between" gap="xs">
      <Group wrap="nowrap" gap="xs" miw={0}>
        <Back />
        <Person name={name ?? 'Deleted user'} detail={detail} availability={isActive ? presence : undefined} />
      </Group>
      {isActive && <CallColleague name={name ?? ''} extension={extension ?? ''} presence={presence} />}
    </Group>
  )
}

/** Marks messages as read while they are visible. */
function MarkRead({ id, messages }: { id: number; messages: readonly DirectMessageItem[] }) {
  const conversations = useDirectConversations()
  const isNew = (conversations.data?.get(id)?.unread ?? 0) > 0
  const last = messages.findLast(({ sender_id }) => sender_id === id)?.id
  const refetch = conversations.refetch
  const markRead = useCallback(() => {
    if (!isNew || last === undefined) return
    // After a failure they stay unread until the page is visible again.
    markDirectRead(id, last).then(
      () => void refetch(),
      () => {},
    )
  }, [isNew, id, last, refetch])
  useWhenVisible(markRead)
  return null
}

function Past({
  id,
  messages,
  thread,
}: {
  id: number
  messages: readonly DirectMessageItem[]
  thread: ReturnType<typeof useDirectThread>
}) {
  const { state } = useDirect()
  const unsent = unsentTo(state, id, messages)
  const log = useScrolled(
    [messages.at(-1)?.id, ...unsent.map((one) => `${one.key}${one.state}`)].join(),
    String(messages[0]?.id ?? ''),
    unsent.at(-1)?.key,
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
    <div className={css.past} ref={log} tabIndex={0} role="log" aria-label="Messages">
      {thread.hasNextPage && (
        <Center pb="sm">
          <Button
            size="compact-xs"
            variant="default"
            loading={thread.isFetchingNextPage}
            onClick={() => void thread.fetchNextPage()}
          >
            Show earlier
          </Button>
        </Center>
      )}
      {messages.length + unsent.length === 0 && (
        <Center c="dimmed" fz="sm" py="xl" ta="center">
          No messages yet. Only the two of you can read what you write here.
        </Center>
      )}
      <ul className={css.items}>
        {messages.map((message, n) => (
          <Fragment key={message.id}>
            {dayOf(message.sent_at * 1_000) !== dayOf((messages[n - 1]?.sent_at ?? 0) * 1_000) && (
              <li className={css.day}>{dayOf(message.sent_at * 1_000)}</li>
            )}
            <Sent message={message} isOwn={message.sender_id !== id} />
          </Fragment>
        ))}
        {unsent.map((message) => (
          <Unsent key={message.key} message={message} />
        ))}
      </ul>
    </div>
  )
}

function Sent({ message: { text, sent_at }, isOwn }: { message: DirectMessageItem; isOwn: boolean }) {
  return (
    <li className={`${css.item} ${isOwn ? css.outbound : css.inbound}`}>
      <div className={css.bubble}>
        {text === null ? (
          <Text span size="sm" c="dimmed" fs="italic">
            Removed, because the user was deleted
          </Text>
        ) : (
          <WithLinks text={text} />
        )}
      </div>
      <div className={css.meta}>
        <time dateTime={new Date(sent_at * 1_000).toISOString()}>{timeOnly(sent_at)}</time>
      </div>
    </li>
  )
}

function WithLinks({ text }: { text: string }) {
  return partsOfText(text).map((part, n) =>
    part.href === undefined ? (
      part.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
      <Anchor key={n} href={part.href} target="_blank" rel="noopener noreferrer" inherit c="inherit" underline="always">
        {part.text}
      </Anchor>
    ),
  )
}

/** A message that the server has not accepted yet. */
function Unsent({ message: { key, text, state, why } }: { message: OutgoingDirect }) {
  const { dispatch } = useDirect()
  const isRefused = state === 'refused'
  const isDelayed = state === 'waiting' || why !== ''
  const label = isRefused ? 'Not sent' : isDelayed ? 'Not sent yet. Retried automatically.' : 'Sending…'
  return (
    <li className={`${css.item} ${css.outbound} ${isRefused ? css.lost : css.waiting}`}>
      <div className={css.bubble}>{text}</div>
      <div className={css.meta}>
        {isRefused ? <IconAlertCircle size={14} aria-hidden /> : <IconClock size={14} aria-hidden />}
        <span>{label}</span>
      </div>
      {isRefused && (
        <div className={`${css.meta} ${css.trouble}`} role="alert">
          <span>{why}</span>
          <Button size="compact-xs" variant="light" color="red" onClick={() => dispatch({ type: 'retried', key })}>
            Retry
          </Button>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => dispatch({ type: 'dropped', key })}>
            Discard
          </Button>
        </div>
      )}
    </li>
  )
}

const shownLeft = 200

/** Enter sends, Shift+Enter inserts a line break. When nothing can be sent, the reason replaces the field. */
function DirectComposer({ user: { id, name, state }, after }: { user: DirectColleague; after: number }) {
  const { state: direct, dispatch, send } = useDirect()
  const field = useRef<HTMLTextAreaElement>(null)
  const hasKeyboard = useLayout() !== 'column'
  // In a column the keyboard of a phone would cover the messages.
  useEffect(() => {
    if (hasKeyboard) field.current?.focus()
  }, [hasKeyboard])
  const text = draftTo(direct, id)
  const isBlank = text.trim() === ''
  if (state !== 'active') {
    return (
      <NoField>
        {state === 'deleted'
          ? 'This user was deleted. You can read the conversation, and no longer send messages.'
          : `${name} is deactivated. You can read the conversation, and send messages again after an admin has reactivated the account.`}
      </NoField>
    )
  }
  const submit = () => {
    if (isBlank) return
    send(id, text.trim(), after)
    field.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const left = maxDirectLength - text.length
  return (
    <div className={css.composer}>
      <Group gap={6} align="flex-end" wrap="nowrap">
        <Textarea
          ref={field}
          flex={1}
          autosize
          minRows={1}
          maxRows={6}
          maxLength={maxDirectLength}
          aria-label="Message"
          placeholder={`Message ${name}`}
          value={text}
          onChange={(event) => dispatch({ type: 'typed', colleagueId: id, text: event.currentTarget.value })}
          onKeyDown={onKeyDown}
        />
        <ActionIcon size={36} variant="filled" aria-label="Send" disabled={isBlank} onClick={submit}>
          <IconSend2 size={19} aria-hidden />
        </ActionIcon>
      </Group>
      <Text size="xs" c="dimmed" mt={4} mih={18} ta="right">
        {left <= shownLeft ? `${count(left, 'character')} left` : 'Enter to send, Shift+Enter for a new line'}
      </Text>
    </div>
  )
}

function NoField({ children }: { children: ReactNode }) {
  return (
    <div className={css.composer}>
      <Alert color="gray" variant="light" py="xs" role="status">
        {children}
      </Alert>
    </div>
  )
}
