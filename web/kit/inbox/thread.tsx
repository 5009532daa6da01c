import { Button, Center, Loader } from '@mantine/core'
import { Fragment, type ReactNode, useCallback, useRef } from 'react'
import { ErrorAlert } from '../ui/error-alert.tsx'
import { CallItem, MessageItem, SendingItem } from './bubble.tsx'
import { Composer } from './composer.tsx'
import { type ItemShown, itemsIn, type One, useChange, useConversation, useTimeline } from './data.ts'
import css from './inbox.module.css'
import { type Channel, pendingMessages } from './model.ts'
import { dayOf, useScrolled } from './scrolling.ts'
import { useInbox, useWhenVisible } from './store.tsx'

/** One conversation: its messages and calls, and the composer. */
export function Thread({
  id,
  head,
  trouble,
}: {
  id: string
  head: (one: One) => ReactNode
  /** Shown above an error, for example a back button. */
  trouble?: ReactNode
}) {
  const { data: one, error, refetch } = useConversation(id)
  const timeline = useTimeline(id)
  if (error && !one) {
    return (
      <>
        {trouble}
        <ErrorAlert error={error} retry={() => void refetch()} />
      </>
    )
  }
  if (timeline.error && !timeline.data) {
    return <ErrorAlert error={timeline.error} retry={() => void timeline.refetch()} />
  }
  if (!one || !timeline.data) {
    return (
      <Center py="xl" flex={1}>
        <Loader role="status" aria-label="Loading" />
      </Center>
    )
  }
  return (
    <section className={css.thread} aria-label="Conversation">
      <div className={css.head}>{head(one)}</div>
      <MarkRead one={one} />
      <Past one={one} timeline={timeline} />
      <Composer one={one} items={itemsIn(timeline.data)} />
    </section>
  )
}

/** Marks the conversation as read while it is visible. */
function MarkRead({ one: { conversation } }: { one: One }) {
  const change = useChange(conversation.id)
  const isBusy = useRef(false)
  const isNew = conversation.unread > 0 && conversation.may_write
  const markRead = useCallback(() => {
    if (!isNew || isBusy.current) return
    isBusy.current = true
    // After a failure it stays unread until the page is visible again.
    change({ read: true })
      .catch(() => {})
      .finally(() => {
        isBusy.current = false
      })
  }, [isNew, change])
  useWhenVisible(markRead)
  return null
}

function Past({ one, timeline }: { one: One; timeline: ReturnType<typeof useTimeline> }) {
  const { conversation } = one
  const { id } = conversation
  const { state, dispatch, resend, send } = useInbox()
  const items = itemsIn(timeline.data)
  const sending = pendingMessages(state, id, items)
  const known = items.map(({ key }) => key)
  const log = useScrolled(
    [items.at(-1)?.key, items.at(-1)?.message?.trouble, ...sending.map(({ ref, state }) => `${ref}${state}`)].join(),
    items[0]?.key,
    String(sending.at(-1)?.ref ?? ''),
  )
  const resendItem = (item: ItemShown) => {
    const { message } = item
    if (!message || !conversation.may_write || message.header !== null || message.media.length > 0) return undefined
    const channel: Channel = message.channel === 'whatsapp' ? 'whatsapp' : 'texts'
    return () => send(id, { channel, text: message.body, files: [] }, known)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
    <div className={css.past} ref={log} tabIndex={0} role="log" aria-label="Messages and calls">
      {timeline.hasNextPage && (
        <Center pb="sm">
          <Button
            size="compact-xs"
            variant="default"
            loading={timeline.isFetchingNextPage}
            onClick={() => void timeline.fetchNextPage()}
          >
            Show earlier
          </Button>
        </Center>
      )}
      {items.length + sending.length === 0 && (
        <Center c="dimmed" fz="sm" py="xl">
          No messages yet. Send the first one.
        </Center>
      )}
      <ul className={css.items}>
        {items.map((item, n) => (
          <Fragment key={item.key}>
            {dayOf(item.at) !== dayOf(items[n - 1]?.at ?? 0) && <li className={css.day}>{dayOf(item.at)}</li>}
            {item.message && (
              <MessageItem message={item.message} at={item.at} people={conversation.people} resend={resendItem(item)} />
            )}
            {item.call && <CallItem call={item.call} at={item.at} />}
          </Fragment>
        ))}
        {sending.map((one) => (
          <SendingItem
            key={one.ref}
            sending={one}
            resend={() => resend(one.ref, known)}
            drop={() => dispatch({ type: 'dropped', ref: one.ref })}
          />
        ))}
      </ul>
    </div>
  )
}
