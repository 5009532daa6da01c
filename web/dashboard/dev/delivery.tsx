import { Alert, Badge, Button, Drawer, Group, Loader, Stack, Tabs, Text, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { count, dateTime } from '../../kit/ui/format.ts'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { Json } from './copy.tsx'
import { dueIn, useProductNow } from './product-time.ts'
import { type Attempt, type Delivery, type DeliveryDetail, deliveryStateLooks } from './webhook.ts'

export const deliveryKinds = { live: 'Live', backlog: 'Backlog', replay: 'Replay', test: 'Test' } as const

/** Status and type of a delivery. */
export function StateBadge({ delivery: { state, kind } }: { delivery: Pick<Delivery, 'state' | 'kind'> }) {
  const { label, color } = deliveryStateLooks[state]
  return (
    <Group gap={4} wrap="nowrap">
      <Badge variant="light" color={color} tt="none" miw="max-content">
        {label}
      </Badge>
      {kind !== 'live' && (
        <Badge variant="outline" color="gray" tt="none" miw="max-content">
          {deliveryKinds[kind]}
        </Badge>
      )}
    </Group>
  )
}

/** Delivery details with body and attempts. */
export function OneDelivery({ webhookId, id, close }: { webhookId: string; id: string | null; close: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', webhookId, 'delivery', id],
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data?.delivery.finished_at ? false : 2_000),
    queryFn: () =>
      api.get('/v1/webhooks/{webhook_id}/deliveries/{delivery_id}', {
        params: { webhook_id: webhookId, delivery_id: id ?? '' },
      }),
  })
  return (
    <Drawer
      opened={id !== null}
      onClose={close}
      position="right"
      size="xl"
      title="Delivery"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {!data && !error && <Loader role="status" aria-label="Loading" />}
      {data && <Detail webhookId={webhookId} delivery={data.delivery} />}
    </Drawer>
  )
}

function Detail({ webhookId, delivery }: { webhookId: string; delivery: DeliveryDetail }) {
  const mayChange = isAdmin(useSession())
  const queries = useQueryClient()
  const now = useProductNow()
  const redeliver = useMutation({
    mutationFn: () =>
      api.post('/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver', {
        params: { webhook_id: webhookId, delivery_id: delivery.id },
      }),
    onSuccess: async () => {
      notify('Redelivery queued')
      await queries.invalidateQueries({ queryKey: ['webhook', webhookId] })
    },
    onError: (error) => notifyError(error, 'Redelivery failed'),
  })
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h4">
            {delivery.event}
          </Title>
          <Text size="sm" c="dimmed">
            {delivery.resource} {delivery.resource_id}, sequence {delivery.sequence} · {dateTime(delivery.created_at)}
          </Text>
        </div>
        <Group gap="xs">
          <StateBadge delivery={delivery} />
          {mayChange && delivery.kind !== 'test' && (
            <Button size="xs" loading={redeliver.isPending} onClick={() => redeliver.mutate()}>
              Redeliver
            </Button>
          )}
        </Group>
      </Group>
      {delivery.next_attempt_at && (
        <Alert color="blue" variant="light" p="xs" role="status">
          Next attempt {dueIn(delivery.next_attempt_at, now)} ({dateTime(delivery.next_attempt_at)}).
        </Alert>
      )}
      <div>
        <Title order={3} size="h6" mb={6}>
          Body
        </Title>
        <Json value={delivery.body} label="Request body" />
      </div>
      <div>
        <Title order={3} size="h6" mb={6}>
          {delivery.attempts.length === 0 ? 'No attempts yet' : count(delivery.attempts.length, 'attempt')}
        </Title>
        <Stack gap="md">
          {delivery.attempts.toReversed().map((attempt) => (
            <OneAttempt key={`${attempt.number} ${attempt.started_at}`} attempt={attempt} />
          ))}
        </Stack>
      </div>
      <Text size="xs" c="dimmed">
        webhook-id <code>{delivery.message_id}</code>
      </Text>
    </Stack>
  )
}

function OneAttempt({ attempt }: { attempt: Attempt }) {
  const { number, status, error, explanation, started_at: at, duration_ms: ms } = attempt
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Badge variant="light" color={error === null ? 'green' : 'red'} tt="none">
          {status ?? error?.replaceAll('_', ' ')}
        </Badge>
        <Text size="sm" fw={550}>
          Attempt {number}
        </Text>
        <Text size="sm" c="dimmed">
          {dateTime(at)}, {ms} ms
        </Text>
      </Group>
      <Text size="sm">{explanation}</Text>
      <Tabs defaultValue="response" variant="outline" keepMounted={false}>
        <Tabs.List aria-label={`Attempt ${number}`}>
          <Tabs.Tab value="response">Response</Tabs.Tab>
          <Tabs.Tab value="request">Request headers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="response" pt="xs">
          <Json
            value={[...linesOf(attempt.response_headers), '', attempt.response_body || '(no body)'].join('\n')}
            label={`Response to attempt ${number}`}
            height={220}
          />
        </Tabs.Panel>
        <Tabs.Panel value="request" pt="xs">
          <Json
            value={linesOf(attempt.request_headers).join('\n')}
            label={`Request headers of attempt ${number}`}
            height={220}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

const linesOf = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
