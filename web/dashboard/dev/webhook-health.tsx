import { Alert, Group, Paper, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, dateTime } from '../../kit/ui/format.ts'
import { fromNow, inWords, useProductNow } from './product-time.ts'
import { type Health, healthQuery } from './webhook.ts'

/** Health of the endpoint, and when failures disable it. */
export function WebhookHealth({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(healthQuery(id))
  const now = useProductNow()
  if (error && !data) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data) return <Skeleton role="status" height={92} aria-label="Loading" />
  const { color, title, text } = outlook(data, now)
  return (
    <Paper withBorder p="md">
      <Alert color={color} variant="light" title={title} mb="md" role="status">
        {text}
      </Alert>
      <Group gap="xl" component="dl" m={0}>
        <Figure label="Last success" value={data.last_success_at ? fromNow(data.last_success_at, now) : 'None yet'} />
        <Figure label="Consecutive failures" value={String(data.consecutive_failures)} />
        <Figure label="Pending" value={String(data.pending)} />
        <Figure label="Held until resumed" value={String(data.held)} />
        <Figure label="Latency" value={latencyOf(data)} />
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

const latencyOf = ({ latency: { p50, p95 } }: Health) => (p50 === null ? '–' : `p50 ${p50} ms, p95 ${p95 ?? p50} ms`)

const reasons = {
  failing: 'the endpoint accepted no event for 120 hours and 50 consecutive attempts',
  gone: 'the endpoint responded with 410 Gone',
  url_not_allowed: 'the endpoint URL is not allowed on this installation',
} as const

function outlook(health: Health, now: number): { color: string; title: string; text: string } {
  if (health.status === 'paused')
    return {
      color: 'gray',
      title: 'Paused',
      text: 'No events are sent. Events that occur while paused are not queued; replay them after you resume the webhook.',
    }
  if (health.status === 'disabled')
    return {
      color: 'red',
      title: 'Disabled',
      text: `${dateTime(health.disabled_at)}: ${reasons[health.disable_reason ?? 'failing']}. ${count(health.held, 'event')} ${health.held === 1 ? 'is' : 'are'} held for up to 14 days. Resume the webhook to send them in order.`,
    }
  if (health.health === 'failing' || health.failing_since) {
    const since = health.failing_since ? `for ${inWords(now - Date.parse(health.failing_since))}` : ''
    const end = health.disables_at ? endOf(health, inWords(Date.parse(health.disables_at) - now)) : ''
    return {
      color: health.health === 'failing' ? 'orange' : 'yellow',
      title: `${health.health === 'failing' ? 'Failing' : 'Recent failures'} ${since}`.trim(),
      text: `No events are lost: each event is attempted 13 times over about three days. ${end}`,
    }
  }
  if (health.health === 'proven') return { color: 'green', title: 'Healthy', text: 'The endpoint accepts events.' }
  return {
    color: 'blue',
    title: 'No recent responses',
    text: 'Send a test event to check the endpoint.',
  }
}

/** A webhook is disabled after 120 hours and 50 consecutive failures. */
function endOf({ consecutive_failures: failures }: Health, left: string): string {
  const failed = `${count(failures, 'consecutive attempt')} ${failures === 1 ? 'has' : 'have'} failed.`
  if (failures >= 50) return `The webhook will be disabled in ${left} unless the endpoint accepts an event. ${failed}`
  return `The webhook will be disabled in ${left} at the earliest, after 50 failures. So far, ${failed}`
}
