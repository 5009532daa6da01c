import { Alert, Badge, Button, Center, Group, Loader, Tabs, Text } from '@mantine/core'
import { IconArrowLeft, IconDialpad, IconDots } from '@tabler/icons-react'
import { type ComponentType, Suspense, useEffect } from 'react'
import { useInbox } from '../kit/inbox/store.tsx'
import { lazyPart } from '../kit/load.ts'
import { Boundary } from '../kit/ui/boundary.tsx'
import { ErrorAlert } from '../kit/ui/error-alert.tsx'
import { Reconnecting } from '../kit/ui/reconnecting.tsx'
import { usePhone } from './context.ts'
import { useMe } from './data.ts'
import { useLayout } from './layout.ts'
import type { PhoneState } from './model.ts'
import css from './phone.module.css'
import type { ListName, Screen } from './places.ts'
import { listScreens, useLists } from './screen-list.tsx'
import { CallScreen } from './screens/call.tsx'
import { Header } from './screens/header.tsx'
import { Keypad } from './screens/keypad.tsx'
import { ListeningCard } from './screens/listening-card.tsx'
import { More } from './screens/more.tsx'
import { OtherCalls } from './screens/other-calls.tsx'
import { RingCard } from './screens/ring-card.tsx'
import { WrapUpScreen } from './screens/wrap-up.tsx'
import { activeRings, otherParty, viewOf } from './selectors.ts'
import { useShortcuts } from './shortcuts.ts'
import { Workspace } from './workspace.tsx'

/** In a column the navigation has room for these; More lists the others. */
const inColumn: readonly ListName[] = ['todo', 'history', 'inbox', 'contacts', 'dialer']

const ColleagueThread = lazyPart(() => import('./screens/colleague-thread.tsx'))
const Customer = lazyPart(() => import('./screens/customer.tsx'))

/** The layout of the phone: status, connection, calls, and the screens. */
export function Frame() {
  const { state } = usePhone()
  const help = useShortcuts()
  const isColumn = useLayout() === 'column'
  useTitle()
  const waiting = (
    <Center flex={1}>
      <Loader role="status" aria-label="Connecting" />
    </Center>
  )
  return (
    <div className={isColumn ? css.phone : css.desk}>
      {isColumn && <Header />}
      <ConnectionBanner />
      {isColumn && <ListeningCard />}
      {isColumn ? (
        state.isKnown ? (
          <Boundary>
            <Column />
          </Boundary>
        ) : (
          waiting
        )
      ) : (
        <Workspace call={state.isKnown ? <LivePane /> : waiting} />
      )}
      <Announcement />
      <Boundary>{help}</Boundary>
    </div>
  )
}

function Column() {
  const { state } = usePhone()
  const now = viewOf(state)
  if (now.kind === 'idle') return <Idle screen={now.screen} />
  return (
    <main className={css.main}>
      <Current />
    </main>
  )
}

/** On a desktop: the call or the wrap-up, or else the keypad. */
function LivePane() {
  return (
    <Boundary>
      <div className={css.main}>
        <Current />
      </div>
    </Boundary>
  )
}

function Current() {
  const { state } = usePhone()
  const now = viewOf(state)
  switch (now.kind) {
    case 'ring':
      return (
        <>
          <RingCard ring={now.ring} />
          {activeRings(state)
            .slice(1)
            .map((ring) => (
              <RingCard key={ring.key} ring={ring} isSmall />
            ))}
        </>
      )
    case 'call':
      return (
        <>
          {activeRings(state).map((ring) => (
            <RingCard key={ring.key} ring={ring} isSmall />
          ))}
          <OtherCalls front={now.call} />
          <CallScreen key={now.call.key} call={now.call} />
        </>
      )
    case 'wrap_up':
      return <WrapUpScreen key={now.wrapUp.callId} wrapUp={now.wrapUp} />
    case 'idle':
      return <Keypad />
  }
}

function Idle({ screen: wanted }: { screen: Screen }) {
  const { dispatch } = usePhone()
  const { error, refetch } = useMe()
  const all = useLists()
  const lists = all.filter(({ screen }) => inColumn.includes(screen))
  const others = all.filter(({ screen }) => !inColumn.includes(screen))
  const isThread = useInbox().state.open !== null
  const { item } = usePhone().state
  // A screen that the user no longer has, such as the dialer without a campaign, is replaced.
  const screen: Screen = wanted === 'more' || all.some((one) => one.screen === wanted) ? wanted : 'keypad'
  const isOther = others.some((one) => one.screen === screen)
  const tab = isOther ? 'more' : screen
  const fills = (screen === 'inbox' && isThread) || (screen === 'team' && item?.kind === 'colleague')
  return (
    <Tabs
      value={tab}
      onChange={(value) => dispatch({ type: 'screen', screen: (value ?? 'keypad') as Screen })}
      inverted
      keepMounted={false}
      className={css.idle}
      classNames={{ panel: css.panel ?? '', list: css.tabs ?? '', tab: css.tab ?? '' }}
    >
      <main className={css.main}>
        {error && <ErrorAlert error={error} retry={() => void refetch()} />}
        <Boundary key={screen}>
          <Suspense
            fallback={
              <Center py="xl">
                <Loader role="status" aria-label="Loading" />
              </Center>
            }
          >
            <Tabs.Panel value={tab} mod={{ fills }}>
              {isOther && !fills && <BackToMore />}
              {screen === 'more' ? <More lists={others} /> : <Content screen={screen} />}
            </Tabs.Panel>
          </Suspense>
        </Boundary>
      </main>
      <nav aria-label="Screens">
        <Tabs.List grow aria-label="Screens">
          <ColumnTab screen="keypad" label="Keypad" icon={IconDialpad} badge={0} />
          {lists.map((entry) => (
            <ColumnTab key={entry.screen} {...entry} />
          ))}
          <ColumnTab
            screen="more"
            label="More"
            icon={IconDots}
            badge={others.reduce((sum, { badge }) => sum + badge, 0)}
          />
        </Tabs.List>
      </nav>
    </Tabs>
  )
}

function BackToMore() {
  const { dispatch } = usePhone()
  return <BackTo label="More" onClick={() => dispatch({ type: 'screen', screen: 'more' })} />
}

function BackTo({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      w="fit-content"
      mb={4}
      leftSection={<IconArrowLeft size={16} aria-hidden />}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

/** A contact or a conversation replaces its list. */
function Content({ screen }: { screen: Exclude<Screen, 'more'> }) {
  const { state, dispatch } = usePhone()
  const { item } = state
  if (screen === 'keypad') return <Keypad />
  if (screen === 'contacts' && item?.kind === 'customer') {
    return (
      <>
        <BackTo label="All contacts" onClick={() => dispatch({ type: 'item', item: null })} />
        <Customer number={item.number} callId={null} />
      </>
    )
  }
  if (screen === 'team' && item?.kind === 'colleague') return <ColleagueThread id={item.id} />
  const List = listScreens[screen]
  return <List />
}

interface ColumnTabProps {
  screen: Screen
  label: string
  icon: ComponentType<{ size?: number; stroke?: number }>
  badge: number
}

function ColumnTab({ screen, label, icon: Icon, badge }: ColumnTabProps) {
  return (
    <Tabs.Tab value={screen}>
      <span className={css.tabIcon}>
        <Icon size={20} stroke={1.7} aria-hidden />
        {badge > 0 && (
          <Badge size="xs" circle={badge < 10} className={css.unread ?? ''} aria-hidden>
            {badge > 99 ? '99+' : badge}
          </Badge>
        )}
      </span>
      <span>
        {label}
        {badge > 0 && <span className={css.unseen}>, {badge} unread</span>}
      </span>
    </Tabs.Tab>
  )
}

function ConnectionBanner() {
  const { state, live } = usePhone()
  const { connection, isKnown } = state
  if (connection === 'replaced') {
    return (
      <Alert color="gray" variant="light" radius={0} py="xs" role="status">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm">This phone is open in another window.</Text>
          <Button size="compact-sm" variant="light" color="gray" flex="none" onClick={() => live.reopen()}>
            Use here
          </Button>
        </Group>
      </Alert>
    )
  }
  const isLost = connection === 'lost' || (connection === 'connecting' && isKnown)
  return <Reconnecting isLost={isLost}>{isKnown && outageText(state)}</Reconnecting>
}

function outageText({ talks, unsent }: PhoneState): string {
  if (unsent.left.length > 0) return 'You have left the call. It ends for the other party when the connection is back.'
  if (talks.length > 0) return 'Your call stays open here.'
  return 'New calls ring when the connection is back.'
}

/** For screen readers. */
function Announcement() {
  const { state } = usePhone()
  const [ring] = activeRings(state)
  const party = ring && otherParty(ring)
  const text = party ? `Incoming call: ${party.title}${ring.number ? ` on ${ring.number.name}` : ''}` : ''
  return (
    <div className={css.unseen} aria-live="assertive" role="status">
      {text}
    </div>
  )
}

function useTitle() {
  const { state } = usePhone()
  const [ring] = activeRings(state)
  const call = state.talks[0]
  const title = ring ? `Ringing: ${otherParty(ring).title}` : call ? otherParty(call).title : 'Phone'
  useEffect(() => {
    document.title = `${title} · Hookswitch`
  }, [title])
}
