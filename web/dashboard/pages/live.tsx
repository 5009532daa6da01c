import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconHourglass, IconPhoneCall, IconUserCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, span } from '../../kit/ui/format.ts'
import { Page } from '../../kit/ui/page.tsx'
import { forgetOthers } from '../conversation/live-words.ts'
import classes from '../parts/live.module.css'
import type { LiveView } from '../parts/live.ts'
import { LiveAgents } from '../parts/live-agents.tsx'
import { LiveCalls } from '../parts/live-calls.tsx'
import { LiveQueues, waitColor } from '../parts/live-queues.tsx'

/** Server time in seconds, extrapolated between two reads. In the sandbox it may be paused or ahead of browser time. */
function useNow(data: LiveView | undefined, readAt: number): number {
  const [here, setHere] = useState(Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setHere(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  if (!data) return 0
  return data.now + Math.min(5, Math.max(0, Math.round((here - readAt) / 1_000)))
}

export default function LivePage() {
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['live'],
    queryFn: () => api.get('/v1/live'),
    refetchInterval: 2_000,
    // The next interval retries.
    retry: false,
  })
  const now = useNow(data, dataUpdatedAt)
  useEffect(() => {
    if (data) forgetOthers(new Set(data.calls.map(({ id }) => id)))
  }, [data])
  return (
    <Page title="Live" lead="Agents, active calls and queues in real time.">
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
  const free = agents.filter(({ availability }) => availability === 'available').length
  const talking = calls.filter(({ state }) => state === 'connected' || state === 'on_hold').length
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0)
  const maxWait = queues.length === 0 ? null : now - Math.min(...queues.map((queue) => queue.longest_since))
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
          label={talking === 1 ? 'active call' : 'active calls'}
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
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" verticalSpacing="lg">
        <Stack gap="lg">
          <LiveCalls calls={calls} now={now} />
          <LiveQueues queues={queues} now={now} />
        </Stack>
        <LiveAgents agents={agents} calls={calls} now={now} />
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
