import { Anchor, Group, Paper, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { api } from '../../kit/api.ts'
import { span } from '../../kit/ui/format.ts'
import { Dot } from '../../kit/ui/people.tsx'
import classes from './chart.module.css'

/** Live figures in one line. */
export function NowStrip() {
  const { data } = useQuery({
    queryKey: ['live'],
    queryFn: () => api.get('/v1/live'),
    refetchInterval: 5_000,
    retry: false,
  })
  const free = data?.agents.filter(({ availability }) => availability === 'available').length
  const talking = data?.calls.filter(({ state }) => state === 'connected' || state === 'on_hold').length
  const waiting = data?.queues.reduce((sum, queue) => sum + queue.waiting, 0)
  const maxWait = data && data.queues.length > 0 ? Math.max(...data.queues.map((q) => q.longest_wait_seconds)) : null
  const parts = [
    { label: 'available', value: free, color: 'green' },
    { label: talking === 1 ? 'active call' : 'active calls', value: talking, color: 'blue' },
    { label: waiting === 1 ? 'caller waiting' : 'callers waiting', value: waiting, color: waiting ? 'orange' : 'gray' },
  ]
  return (
    <Paper withBorder px="md" py="xs" component="section" aria-label="Now">
      <Group justify="space-between" gap="xs">
        <Group gap="lg">
          <Text size="sm" fw={600}>
            Now
          </Text>
          {parts.map(({ label, value, color }) => (
            <Group key={label} gap={8} wrap="nowrap">
              <Dot color={color} />
              <Text size="sm">
                <strong className={classes.number}>{value ?? '–'}</strong> {label}
              </Text>
            </Group>
          ))}
          {maxWait !== null && (
            <Text size="sm" c="dimmed">
              longest wait {span(maxWait)}
            </Text>
          )}
        </Group>
        <Anchor component={Link} to="/dashboard/live" size="sm">
          Open Live
        </Anchor>
      </Group>
    </Paper>
  )
}
