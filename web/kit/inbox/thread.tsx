import { Button, Center, Loader } from '@mantine/core'
import { Fragment, type ReactNode, useCallback, useLayoutEffect, useRef } from 'react'
import type { ItemShown } from '../../../src/features/messages/inbox/view.ts'
import { Trouble } from '../ui/trouble.tsx'
import { CallItem, MessageItem, SendingItem } from './bubble.tsx'
import { Composer } from './composer.tsx'
import { itemsIn, type One, useChange, useConversation, useTimeline } from './data.ts'
import css from './inbox.module.css'
import { type Channel, onTheirWay } from './model.ts'
import { useInbox, useLooking } from './store.tsx'

/** One conversation: what was said and written, and a place to write. */
export function Thread({
  id,
  head,
  trouble,
}: {
  id: string
  head: (one: One) => ReactNode
  /** Above what went wrong: the way back. */
  trouble?: ReactNode
}) {
  const { data: one, error, refetch } = useConversation(id)
  const timeline = useTimeline(id)
  if (error && !one) {
    return (
      <>
        {trouble}
        <Trouble error={error} retry={() => void refetch()} />
      </>
    )
  }
  if (timeline.error && !timeline.data) {
    return <Trouble error={timeline.error} retry={() => void timeline.refetch()} />
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

/** Somebody looks at it, so it is read. */
function MarkRead({ one: { conversation } }: { one: One }) {
  const change = useChange(conversation.id)
  const doing = useRef(false)
  const isNew = conversation.unread > 0 && conversation.may_write
  const look = useCallback(() => {
    if (!isNew || doing.current) return
    doing.current = true
    // It stays unread, and the next look tries again.
    change({ read: true })
      .catch(() => {})
      .finally(() => {
        doing.current = false
      })
  }, [isNew, change])
  useLooking(look)
  return null
}

const dayOf = (at: number) =>
  new Date(at).toLocaleDateString(undefined, { weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' })

function Past({ one, timeline }: { one: One; timeline: ReturnType<typeof useTimeline> }) {
  const { conversation } = one
  const { id } = conversation
  const { state, dispatch, sendAgain, send } = useInbox()
  const items = itemsIn(timeline.data)
  const sending = onTheirWay(state, id, items)
  const known = items.map(({ key }) => key)
  const place = useScrolled(
    [items.at(-1)?.key, items.at(-1)?.message?.trouble, ...sending.map(({ ref, state }) => `${ref}${state}`)].join(),
    items[0]?.key,
  )
  const again = (item: ItemShown) => {
    const { message } = item
    if (!message || !conversation.may_write || message.header !== null || message.media.length > 0) return undefined
    const channel: Channel = message.channel === 'whatsapp' ? 'whatsapp' : 'texts'
    return () => send(id, { channel, text: message.body, files: [] }, known)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keyboard
    <div className={css.past} ref={place} tabIndex={0} role="log" aria-label="Messages and calls">
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
          Nothing was written yet. Say hello.
        </Center>
      )}
      <ul className={css.items}>
        {items.map((item, n) => (
          <Fragment key={item.key}>
            {dayOf(item.at) !== dayOf(items[n - 1]?.at ?? 0) && <li className={css.day}>{dayOf(item.at)}</li>}
            {item.message && (
              <MessageItem message={item.message} at={item.at} people={conversation.people} again={again(item)} />
            )}
            {item.call && <CallItem call={item.call} at={item.at} />}
          </Fragment>
        ))}
        {sending.map((one) => (
          <SendingItem
            key={one.ref}
            sending={one}
            again={() => sendAgain(one.ref, known)}
            drop={() => dispatch({ type: 'dropped', ref: one.ref })}
          />
        ))}
      </ul>
    </div>
  )
}

/** At the end, unless somebody reads what is above; and there it stays when more comes before it. */
function useScrolled(end: string, start: string | undefined) {
  const place = useRef<HTMLDivElement>(null)
  const before = useRef({ height: 0, end: '', start })
  useLayoutEffect(() => {
    const box = place.current
    if (!box) return
    const was = before.current
    const wasAtEnd = box.scrollTop + box.clientHeight >= was.height - 80
    if (was.end === '' || (was.end !== end && wasAtEnd)) box.scrollTop = box.scrollHeight
    else if (was.start !== start && was.end === end) box.scrollTop += box.scrollHeight - was.height
    before.current = { height: box.scrollHeight, end, start }
  }, [end, start])
  return place
}
