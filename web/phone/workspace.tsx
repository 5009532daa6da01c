import { ActionIcon, Badge, Center, Group, Loader, Tabs, Text } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { useInbox } from '../kit/inbox/store.tsx'
import { lazyPart } from '../kit/load.ts'
import { Boundary } from '../kit/ui/boundary.tsx'
import { Empty } from '../kit/ui/page.tsx'
import { usePhone } from './context.ts'
import { useLayout } from './layout.ts'
import type { Item, ListName } from './places.ts'
import { type ListEntry, listScreens, useLists } from './screen-list.tsx'
import { Header } from './screens/header.tsx'
import { ListeningCard } from './screens/listening-card.tsx'
import { viewOf } from './selectors.ts'
import css from './workspace.module.css'

const { OneConversation, ConversationsPane } = {
  OneConversation: lazyPart(async () => ({ default: (await import('./screens/inbox.tsx')).OneConversation })),
  ConversationsPane: lazyPart(async () => ({ default: (await import('./screens/inbox.tsx')).ConversationsPane })),
}
const ColleagueThread = lazyPart(() => import('./screens/colleague-thread.tsx'))
const Customer = lazyPart(() => import('./screens/customer.tsx'))
const SelectedCall = lazyPart(async () => ({ default: (await import('./screens/customer.tsx')).SelectedCall }))

/** Screens that fill the list and the item. */
const wholeScreens: readonly ListName[] = ['settings', 'dialer']

/** The phone on a desktop: lists, the selected item, and the call or keypad, which is always visible. */
export function Workspace({ call }: { call: ReactNode }) {
  const { state, dispatch } = usePhone()
  const layout = useLayout()
  const lists = useLists()
  const current = lists.find(({ screen }) => screen === state.list) ?? lists[0]
  const list = current?.screen ?? 'todo'
  const item = useShownItem(list)
  useCustomerOfCall()
  const isWhole = wholeScreens.includes(list)
  const isItemOnly = layout === 'two panes' && item !== null && !isWhole
  const panel = (
    <Tabs.Panel value={list} className={css.panel ?? ''}>
      <Loaded key={list}>{list === 'inbox' ? <ConversationsPane /> : <ListScreen list={list} />}</Loaded>
    </Tabs.Panel>
  )
  return (
    <Tabs
      value={list}
      onChange={(value) => dispatch({ type: 'screen', screen: (value ?? 'todo') as ListName })}
      orientation="vertical"
      keepMounted={false}
      className={css.workspace ?? ''}
      mod={{ panes: layout === 'three panes' && !isWhole ? 3 : 2 }}
    >
      <nav className={css.rail} aria-label="Screens">
        <Tabs.List aria-label="Screens" classNames={{ list: css.tabs ?? '' }}>
          {lists.map((entry) => (
            <RailTab key={entry.screen} entry={entry} />
          ))}
        </Tabs.List>
      </nav>
      {isWhole || (layout === 'two panes' && !isItemOnly) ? (
        <main className={isWhole ? css.whole : css.list}>{panel}</main>
      ) : (
        <>
          {!isItemOnly && (
            <section className={css.list} aria-label={current?.label}>
              {panel}
            </section>
          )}
          <main className={css.item}>
            {isItemOnly && item.kind !== 'conversation' && item.kind !== 'colleague' && (
              <Group mb="xs">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="lg"
                  aria-label="Back to the list"
                  onClick={() => dispatch({ type: 'item', item: null })}
                >
                  <IconArrowLeft size={20} aria-hidden />
                </ActionIcon>
                <Text size="sm">{current?.label}</Text>
              </Group>
            )}
            <Loaded key={JSON.stringify(item)}>
              <ShownItem item={item} />
            </Loaded>
          </main>
        </>
      )}
      <aside className={css.live} aria-label="Phone">
        <Header />
        <ListeningCard />
        {call}
      </aside>
    </Tabs>
  )
}

function ListScreen({ list }: { list: ListName }) {
  const Content = listScreens[list]
  return <Content />
}

function Loaded({ children }: { children: ReactNode }) {
  return (
    <Boundary>
      <Suspense
        fallback={
          <Center py="xl">
            <Loader role="status" aria-label="Loading" />
          </Center>
        }
      >
        {children}
      </Suspense>
    </Boundary>
  )
}

function RailTab({ entry: { screen, label, icon: Icon, badge } }: { entry: ListEntry }) {
  return (
    <Tabs.Tab
      value={screen}
      className={css.tab ?? ''}
      leftSection={<Icon size={20} stroke={1.7} aria-hidden />}
      rightSection={
        badge > 0 && (
          <Badge size="sm" circle={badge < 10} aria-hidden>
            {badge > 99 ? '99+' : badge}
          </Badge>
        )
      }
    >
      {label}
      {badge > 0 && <span className={css.unseen}>, {badge} unread</span>}
    </Tabs.Tab>
  )
}

type Shown = Item | { kind: 'conversation'; id: string }

/** The selected item, the open conversation, or the customer of the current call. */
function useShownItem(list: ListName): Shown | null {
  const { state } = usePhone()
  const { open } = useInbox().state
  if (state.item) return state.item
  return list === 'inbox' && open !== null ? { kind: 'conversation', id: open } : null
}

function ShownItem({ item }: { item: Shown | null }) {
  const { state } = usePhone()
  if (item === null && state.list === 'team') {
    return (
      <Empty title="No conversation selected">
        Select the message icon beside a colleague. Only the two of you can read what you write.
      </Empty>
    )
  }
  if (item === null) {
    return (
      <Empty title="Nothing selected">
        Select a call, voicemail, message or contact to see everything with this customer in one thread. The customer of
        a call is shown when it begins.
      </Empty>
    )
  }
  switch (item.kind) {
    case 'conversation':
      return <OneConversation id={item.id} />
    case 'colleague':
      return <ColleagueThread id={item.id} />
    case 'customer':
      return <Customer number={item.number} callId={item.callId} />
    case 'call':
      return <SelectedCall id={item.id} />
  }
}

/** Shows the customer when a call begins; the user may select something else meanwhile. */
function useCustomerOfCall() {
  const { state, dispatch } = usePhone()
  const view = viewOf(state)
  const call = view.kind === 'call' ? view.call : view.kind === 'ring' ? view.ring : undefined
  const number = call?.external?.startsWith('+') ? call.external : undefined
  const callId = call?.call_id ?? null
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (!call || !number || callId === null || shown.current === call.key) return
    shown.current = call.key
    dispatch({ type: 'item', item: { kind: 'customer', number, callId } })
  }, [call, number, callId, dispatch])
}
