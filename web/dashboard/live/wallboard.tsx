import { ActionIcon, Center, Group, Loader, Tooltip } from '@mantine/core'
import {
  IconAlertTriangle,
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconMoon,
  IconSun,
  IconX,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { canViewDashboard, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { span } from '../../kit/ui/format.ts'
import { useReachable } from '../../kit/ui/reconnecting.tsx'
import { useScheme } from '../../kit/ui/scheme.ts'
import { OnlyPhone } from '../only-phone.tsx'
import type { LiveView } from '../parts/live.ts'
import { activeOf, alertText, useLiveAlerts } from './alerts.ts'
import { figuresOf, useLive } from './live-data.ts'
import { todayFigures, useToday, verdict } from './today.tsx'
import classes from './wallboard.module.css'

/** Figures for a screen on the wall. During an outage the last known figures stay. */
export default function WallboardPage() {
  return canViewDashboard(useSession()) ? <Wallboard /> : <OnlyPhone />
}

function Wallboard() {
  const { company } = useSession()
  const { data, error, refetch, now } = useLive()
  const isReachable = useReachable()
  useWakeLock()
  useEffect(() => {
    document.title = 'Wallboard · Hookswitch'
  }, [])
  return (
    <main className={classes.board}>
      <header className={classes.head}>
        <h1 className={classes.name}>{company.name}</h1>
        <Group gap="md" wrap="nowrap">
          {data && <span className={classes.time}>{clock.format(now * 1_000)}</span>}
          <Controls />
        </Group>
      </header>
      {(!isReachable || (data && error)) && (
        <div className={classes.lost} role="status">
          Reconnecting… These figures are from {data ? clock.format(data.now * 1_000) : 'before the outage'}.
        </div>
      )}
      {!data && error && (
        <ErrorAlert error={error} retry={() => void refetch()} title="Live data could not be loaded" />
      )}
      {!data && !error && (
        <Center flex={1}>
          <Loader role="status" aria-label="Loading" />
        </Center>
      )}
      {data && <Figures live={data} now={now} />}
    </main>
  )
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

interface TileProps {
  label: string
  value: string
  note?: string | undefined
  tone?: 'good' | 'bad' | undefined
}

function Figures({ live, now }: { live: LiveView; now: number }) {
  const { data: today } = useToday()
  const alerts = activeOf(useLiveAlerts())
  const { agents, free, talking, waiting, maxWait } = figuresOf(live, now)
  const isRaised = (...kinds: string[]) => alerts.some(({ kind }) => kinds.includes(kind))
  const tiles: TileProps[] = [
    { label: 'Callers waiting', value: String(waiting), tone: isRaised('waiting_calls') ? 'bad' : undefined },
    {
      label: 'Longest wait',
      value: maxWait === null ? '–' : span(maxWait),
      tone: isRaised('longest_wait') ? 'bad' : undefined,
    },
    {
      label: 'Agents available',
      value: String(free),
      note: `of ${agents}`,
      tone: isRaised('no_agent') ? 'bad' : undefined,
    },
    { label: talking === 1 ? 'Active call' : 'Active calls', value: String(talking) },
    ...(today ? todayFigures(today) : []).map(({ label, value, of, target, isMet }, index) => ({
      label: index === 0 ? 'Answered today' : label,
      value: index === 0 && today ? String(today.today.answered) : value,
      note:
        index === 0 && today ? `of ${today.today.offered}` : [of, target, verdict(isMet)].filter(Boolean).join(' · '),
      tone: tones[String(isMet)],
    })),
  ]
  return (
    <>
      {alerts.map((alert) => (
        <div key={alert.id} className={classes.alert} role="alert">
          <IconAlertTriangle size="1.2em" aria-hidden />
          {alertText(alert)}
        </div>
      ))}
      <div className={classes.grid}>
        {tiles.map((tile) => (
          <Tile key={tile.label} {...tile} />
        ))}
      </div>
    </>
  )
}

const tones: Record<string, TileProps['tone']> = { true: 'good', false: 'bad' }

function Tile({ label, value, note, tone }: TileProps) {
  const shown = value.replace(/\s/g, '')
  return (
    <section className={classes.tile} data-tone={tone} aria-label={label}>
      <div className={classes.value} data-long={widthOf(shown) > 4.2 || undefined}>
        {shown}
      </div>
      <div className={classes.label}>{label}</div>
      {note && <div className={classes.note}>{note}</div>}
    </section>
  )
}

/** In digits; a percent sign is wider and punctuation narrower than one. */
const widthOf = (text: string) =>
  [...text].reduce((width, sign) => width + (sign === '%' ? 1.6 : /[.,:]/.test(sign) ? 0.5 : 1), 0)

function Controls() {
  const { scheme, toggleScheme } = useScheme()
  const [isFull, setFull] = useState(document.fullscreenElement !== null)
  useEffect(() => {
    const follow = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', follow)
    return () => document.removeEventListener('fullscreenchange', follow)
  }, [])
  const toggleFull = () => {
    const change = isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen()
    // Refused by the browser or its policy: the page stays usable.
    change.catch(() => {})
  }
  const buttons = [
    {
      label: scheme === 'dark' ? 'Switch to light mode' : 'Switch to dark mode',
      icon: scheme === 'dark' ? IconSun : IconMoon,
      run: toggleScheme,
    },
    ...(document.fullscreenEnabled
      ? [
          {
            label: isFull ? 'Exit full screen' : 'Full screen',
            icon: isFull ? IconArrowsMinimize : IconArrowsMaximize,
            run: toggleFull,
          },
        ]
      : []),
    { label: 'Close wallboard', icon: IconX, run: () => window.location.assign('/dashboard/live') },
  ]
  return (
    <Group gap={4} wrap="nowrap">
      {buttons.map(({ label, icon: Icon, run }) => (
        <Tooltip key={label} label={label}>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label} onClick={run}>
            <Icon size={20} />
          </ActionIcon>
        </Tooltip>
      ))}
    </Group>
  )
}

/** Keeps the screen on. The browser releases the lock while the page is hidden. */
function useWakeLock(): void {
  useEffect(() => {
    let lock: { release: () => Promise<void> } | undefined
    let isGone = false
    const take = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
      // Refused, for example on battery: the screen then follows the settings of the device.
      const taken = await navigator.wakeLock.request('screen').catch(() => undefined)
      if (isGone) void taken?.release()
      else lock = taken
    }
    void take()
    const again = () => void take()
    document.addEventListener('visibilitychange', again)
    return () => {
      isGone = true
      document.removeEventListener('visibilitychange', again)
      void lock?.release()
    }
  }, [])
}
