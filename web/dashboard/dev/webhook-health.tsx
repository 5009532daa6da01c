import { Alert, Group, Paper, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { count, dateTime } from '../../kit/ui/format.ts'
import { Trouble } from '../../kit/ui/trouble.tsx'
import { fromNow, inWords, useProductNow } from './product-time.ts'
import { type Health, healthQuery } from './webhook.ts'

/** How the receiver does, and what will happen if it goes on like this. */
export function WebhookHealth({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(healthQuery(id))
  const now = useProductNow()
  if (error && !data) return <Trouble error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton role="status" height={92} aria-label="Loading" />
  const { color, title, text } = outlook(data, now)
  return (
    <Paper withBorder p="md">
      <Alert color={color} variant="light" title={title} mb="md" role="status">
        {text}
      </Alert>
      <Group gap="xl" component="dl" m={0}>
        <Figure label="Last success" value={data.last_success_at ? fromNow(data.last_success_at, now) : 'None yet'} />
        <Figure label="Failures in a row" value={String(data.consecutive_failures)} />
        <Figure label="Waiting" value={String(data.pending)} />
        <Figure label="Held" value={String(data.held)} />
        <Figure label="Answers within" value={latencyOf(data)} />
      </Group>
    </Paper>
  )
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" component="dt">
        {label}
      </Text>
      <Text fw={600} component="dd" m={0} size="sm">
        {value}
      </Text>
    </div>
  )
}

const latencyOf = ({ latency: { p50, p95 } }: Health) =>
  p50 === null ? 'Not known yet' : `${p50} ms, slow ones ${p95 ?? p50} ms`

const reasons = {
  failing: 'it did not accept an event for 120 hours and 50 attempts in a row',
  gone: 'its server answered 410 Gone',
  url_not_allowed: 'this installation may not call its address',
} as const

function outlook(health: Health, now: number): { color: string; title: string; text: string } {
  if (health.status === 'paused')
    return {
      color: 'gray',
      title: 'Paused',
      text: 'Nothing is sent. What happens meanwhile is not queued; after you resume it, replay what it has missed.',
    }
  if (health.status === 'disabled')
    return {
      color: 'red',
      title: 'Switched off by the service',
      text: `${dateTime(health.disabled_at)}: ${reasons[health.disable_reason ?? 'failing']}. ${count(health.held, 'event')} ${health.held === 1 ? 'is' : 'are'} held, for 14 days at most. Resume it, and they are sent in order.`,
    }
  if (health.health === 'failing' || health.failing_since) {
    const since = health.failing_since ? `for ${inWords(now - Date.parse(health.failing_since))}` : ''
    const end = health.disables_at ? endOf(health, inWords(Date.parse(health.disables_at) - now)) : ''
    return {
      color: health.health === 'failing' ? 'orange' : 'yellow',
      title: `${health.health === 'failing' ? 'Failing' : 'Has just failed'} ${since}`.trim(),
      text: `Nothing is lost: every event is tried 13 times in about three days. ${end}`,
    }
  }
  if (health.health === 'proven') return { color: 'green', title: 'Works', text: 'Its server accepts what is sent.' }
  return {
    color: 'blue',
    title: 'Nothing was answered lately',
    text: 'Send a test event to see whether its server answers.',
  }
}

/** Both must be so: 120 hours have passed, and 50 attempts in a row have failed. */
function endOf({ consecutive_failures: failures }: Health, left: string): string {
  const failed = `${count(failures, 'attempt')} in a row ${failures === 1 ? 'has' : 'have'} failed.`
  if (failures >= 50) return `It will be switched off in ${left} unless an event is accepted before. ${failed}`
  return `It will be switched off in ${left} at the earliest, and after 50 failures. So far ${failed}`
}
