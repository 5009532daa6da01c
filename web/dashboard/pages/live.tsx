import { Button, Group, Paper, SimpleGrid, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconBell, IconDeviceTv, IconHourglass, IconPhoneCall, IconUserCheck } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, span } from '../../kit/ui/format.ts'
import { Page } from '../../kit/ui/page.tsx'
import { forgetOthers } from '../conversation/live-words.ts'
import { LiveAlerts } from '../live/alert-list.tsx'
import { figuresOf, useLive } from '../live/live-data.ts'
import { LiveSettingsDrawer } from '../live/settings-drawer.tsx'
import { LiveToday } from '../live/today.tsx'
import classes from '../parts/live.module.css'
import type { LiveView } from '../parts/live.ts'
import { LiveAgents } from '../parts/live-agents.tsx'
import { LiveCalls } from '../parts/live-calls.tsx'
import { LiveQueues, waitColor } from '../parts/live-queues.tsx'

export default function LivePage() {
  const { data, error, refetch, now } = useLive()
  const [isEditing, setEditing] = useState(false)
  const session = useSession()
  useEffect(() => {
    if (data) forgetOthers(new Set(data.calls.map(({ id }) => id)))
  }, [data])
  return (
    <Page
      title="Live"
      lead="Agents, active calls and queues in real time."
      actions={
        <>
          {isAdmin(session) && (
            <Button variant="default" leftSection={<IconBell size={16} aria-hidden />} onClick={() => setEditing(true)}>
              Targets and alerts
            </Button>
          )}
          <Button
            component="a"
            href="/dashboard/wallboard"
            target="_blank"
            rel="noreferrer"
            variant="default"
            leftSection={<IconDeviceTv size={16} aria-hidden />}
          >
            Wallboard
          </Button>
        </>
      }
    >
      {isEditing && <LiveSettingsDrawer close={() => setEditing(false)} />}
      <LiveAlerts />
      {error && (
        <ErrorAlert
          error={error}
          retry={() => void refetch()}
          title={data ? 'Live updates interrupted' : 'Live data could not be loaded'}
        />
      )}
      {!data && !error && <Waiting />}
      {data && <Board live={data} now={now} />}
    </Page>
  )
}

function Waiting() {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      {[0, 1, 2, 3].map((key) => (
        <Skeleton key={key} height={96} />
      ))}
    </SimpleGrid>
  )
}

function Board({ live, now }: { live: LiveView; now: number }) {
  const { agents, calls, queues } = live
  const { free, talking, waiting, maxWait } = figuresOf(live, now)
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Figure
          icon={IconUserCheck}
          color="green"
          value={String(free)}
          label={`of ${count(agents.length, 'agent')} available`}
        />
        <Figure
          icon={IconPhoneCall}
          color="blue"
          value={String(talking)}
          label={talking === 1 ? 'answered call' : 'answered calls'}
        />
        <Figure
          icon={IconHourglass}
          color={waiting > 0 ? 'orange' : 'gray'}
          value={String(waiting)}
          label={waiting === 1 ? 'caller waiting' : 'callers waiting'}
        />
        <Figure
          icon={IconHourglass}
          color={waitColor(maxWait)}
          value={maxWait === null ? '–' : span(maxWait)}
          label="longest wait"
        />
      </SimpleGrid>
      <LiveToday />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" verticalSpacing="lg">
        <Stack gap="lg">
          <LiveCalls calls={calls} />
          <LiveQueues queues={queues} now={now} />
        </Stack>
        <LiveAgents agents={agents} calls={calls} />
      </SimpleGrid>
    </>
  )
}

function Figure({
  icon: Icon,
  color,
  value,
  label,
}: {
  icon: typeof IconHourglass
  color: string
  value: string
  label: string
}) {
  return (
    <Paper withBorder p="md">
      <Group wrap="nowrap" gap="md">
        <ThemeIcon variant="light" color={color} size={44} radius="md" visibleFrom="xs">
          <Icon size={24} stroke={1.7} />
        </ThemeIcon>
        <div>
          <Text className={classes.figure}>{value}</Text>
          <Text size="sm" c="dimmed">
            {label}
          </Text>
        </div>
      </Group>
    </Paper>
  )
}
