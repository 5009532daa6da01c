import { Alert, Badge, Button, Center, Group, Loader, Tabs, Text } from '@mantine/core'
import { IconDialpad, IconHistory, IconListNumbers, IconMessage, IconSettings } from '@tabler/icons-react'
import { Suspense, useEffect } from 'react'
import { useUnread } from '../kit/inbox/data.ts'
import { useInbox } from '../kit/inbox/store.tsx'
import { lazyPart } from '../kit/load.ts'
import { Boundary } from '../kit/ui/boundary.tsx'
import { ErrorAlert } from '../kit/ui/error-alert.tsx'
import { span } from '../kit/ui/format.ts'
import { Reconnecting } from '../kit/ui/reconnecting.tsx'
import { useNow, usePhone } from './context.ts'
import { useMe } from './data.ts'
import type { PhoneState, Screen } from './model.ts'
import css from './phone.module.css'
import { CallScreen } from './screens/call.tsx'
import { Header } from './screens/header.tsx'
import { Keypad } from './screens/keypad.tsx'
import { ListeningCard } from './screens/listening-card.tsx'
import { RingCard } from './screens/ring-card.tsx'
import { WrapUpScreen } from './screens/wrap-up.tsx'
import { activeRings, otherParty, serviceTime, viewOf } from './selectors.ts'
import { useShortcuts } from './shortcuts.ts'

const Inbox = lazyPart(() => import('./screens/inbox.tsx'))
const History = lazyPart(() => import('./screens/history.tsx'))
const Dialer = lazyPart(() => import('./screens/dialer.tsx'))
const Settings = lazyPart(() => import('./screens/settings.tsx'))

const screens = [
  { screen: 'keypad', label: 'Keypad', icon: IconDialpad },
  { screen: 'inbox', label: 'Inbox', icon: IconMessage },
  { screen: 'history', label: 'History', icon: IconHistory },
  { screen: 'dialer', label: 'Dialer', icon: IconListNumbers },
  { screen: 'settings', label: 'Settings', icon: IconSettings },
] as const

/** The layout of the phone: status, connection, calls, and the screens. */
export function Frame() {
  const { state } = usePhone()
  const help = useShortcuts()
  useTitle()
  return (
    <div className={css.phone}>
      <Header />
      <ConnectionBanner />
      <ListeningCard />
      {state.isKnown ? (
        <Boundary>
          <Content />
        </Boundary>
      ) : (
        <Center flex={1}>
          <Loader role="status" aria-label="Connecting" />
        </Center>
      )}
      <Announcement />
      <Boundary>{help}</Boundary>
    </div>
  )
}

function Content() {
  const { state } = usePhone()
  const now = viewOf(state)
  switch (now.kind) {
    case 'ring':
      return (
        <main className={css.main}>
          <RingCard ring={now.ring} />
          {activeRings(state)
            .slice(1)
            .map((ring) => (
              <RingCard key={ring.key} ring={ring} isSmall />
            ))}
        </main>
      )
    case 'call':
      return (
        <main className={css.main}>
          {activeRings(state).map((ring) => (
            <RingCard key={ring.key} ring={ring} isSmall />
          ))}
          <OtherCalls front={now.call.key} />
          <CallScreen key={now.call.key} call={now.call} />
        </main>
      )
    case 'wrap_up':
      return (
        <main className={css.main}>
          <WrapUpScreen key={now.wrapUp.callId} wrapUp={now.wrapUp} />
        </main>
      )
    case 'idle':
      return <Idle screen={now.screen} />
  }
}

function Idle({ screen }: { screen: Screen }) {
  const { dispatch } = usePhone()
  const { error, refetch } = useMe()
  const { data: unread = 0 } = useUnread()
  const isThread = useInbox().state.open !== null
  return (
    <Tabs
      value={screen}
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
            <Tabs.Panel value="keypad">
              <Keypad />
            </Tabs.Panel>
            <Tabs.Panel value="inbox" mod={{ fills: isThread }}>
              <Inbox />
            </Tabs.Panel>
            <Tabs.Panel value="history">
              <History />
            </Tabs.Panel>
            <Tabs.Panel value="dialer">
              <Dialer />
            </Tabs.Panel>
            <Tabs.Panel value="settings">
              <Settings />
            </Tabs.Panel>
          </Suspense>
        </Boundary>
      </main>
      <nav aria-label="Screens">
        <Tabs.List grow aria-label="Screens">
          {screens.map(({ screen: value, label, icon: Icon }) => (
            <Tabs.Tab key={value} value={value}>
              <span className={css.tabIcon}>
                <Icon size={20} stroke={1.7} aria-hidden />
                {value === 'inbox' && unread > 0 && (
                  <Badge size="xs" circle={unread < 10} className={css.unread ?? ''} aria-hidden>
                    {unread > 99 ? '99+' : unread}
                  </Badge>
                )}
              </span>
              <span>
                {label}
                {value === 'inbox' && unread > 0 && <span className={css.unseen}>, {unread} unread</span>}
              </span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </nav>
    </Tabs>
  )
}

/** With several calls: one button per call in the background. */
function OtherCalls({ front }: { front: string }) {
  const { state, dispatch } = usePhone()
  const now = serviceTime(state, useNow()) / 1_000
  const others = state.talks.filter(({ key }) => key !== front)
  return others.map((call) => (
    <Button
      key={call.key}
      variant="default"
      fullWidth
      justify="space-between"
      rightSection={span(now - (call.answered_at ?? call.started_at))}
      onClick={() => dispatch({ type: 'front', key: call.key })}
    >
      {otherParty(call).title}
      {call.held ? ' (on hold)' : ''}
    </Button>
  ))
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
  if (talks.length > 0) return 'The call continues.'
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
