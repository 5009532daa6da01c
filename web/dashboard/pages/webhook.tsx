import { Anchor, Button, Group, Menu, Skeleton, Tabs } from '@mantine/core'
import { IconChevronDown, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from 'react-router'
import { ApiError, api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { Deliveries } from '../dev/deliveries.tsx'
import { everyEvent } from '../dev/events.ts'
import { Replays } from '../dev/replays.tsx'
import { healthQuery, type Webhook, webhookQuery } from '../dev/webhook.ts'
import { WebhookEvents } from '../dev/webhook-events.tsx'
import { WebhookHealth } from '../dev/webhook-health.tsx'
import { WebhookSettings } from '../dev/webhook-settings.tsx'

const tabs = ['deliveries', 'events', 'replays', 'settings'] as const

export default function WebhookPage() {
  const { id = '' } = useParams()
  const mayChange = isAdmin(useSession())
  const filters = useFilters()
  const { data, error, refetch } = useQuery(webhookQuery(id))
  if (error instanceof ApiError && error.status === 404)
    return (
      <Page title="Webhook">
        <Empty
          title="Webhook not found"
          action={
            <Anchor component={Link} to="/dashboard/webhooks">
              All webhooks
            </Anchor>
          }
        />
      </Page>
    )
  if (error) return <ErrorAlert error={error} retry={() => void refetch()} />
  if (!data)
    return (
      <Page title="Webhook">
        <Skeleton role="status" height={320} aria-label="Loading" />
      </Page>
    )
  const tab = tabs.find((one) => one === filters.get('tab')) ?? 'deliveries'
  return (
    <Page
      title={data.custom_name}
      lead={
        <span style={{ overflowWrap: 'anywhere' }}>
          <Anchor component={Link} to="/dashboard/webhooks" size="sm">
            Webhooks
          </Anchor>{' '}
          {data.url}
        </span>
      }
      actions={mayChange && <Actions webhook={data} />}
    >
      <WebhookHealth id={id} />
      <Tabs
        value={tab}
        onChange={(next) => filters.set({ tab: next === 'deliveries' ? null : next })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
          <Tabs.Tab value="events">Events</Tabs.Tab>
          <Tabs.Tab value="replays">Replays</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <Deliveries webhookId={id} />
        </Tabs.Panel>
        <Tabs.Panel value="events">
          <WebhookEvents key={data.events.join()} webhook={data} />
        </Tabs.Panel>
        <Tabs.Panel value="replays">
          <Replays webhookId={id} show={(replay) => filters.set({ tab: null, replay })} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <WebhookSettings key={id} webhook={data} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

function Actions({ webhook }: { webhook: Webhook }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { webhook_id: id, active } = webhook
  const { data: health } = useQuery(healthQuery(id))
  const reread = () => queries.invalidateQueries({ queryKey: ['webhook', id] })
  const onError = (error: Error) => notifyError(error)
  // `events_action=add` keeps the subscribed events.
  const turn = useMutation({
    mutationFn: (on: boolean) =>
      api.put('/v1/webhooks/{webhook_id}', {
        params: { webhook_id: id },
        query: { events_action: 'add' },
        body: { active: on },
      }),
    onSuccess: async (_, on) => {
      await reread()
      notify(on ? 'Webhook resumed' : 'Webhook paused')
    },
    onError,
  })
  const test = useMutation({
    mutationFn: (event: string | undefined) =>
      api.post('/v1/webhooks/{webhook_id}/test', { params: { webhook_id: id }, body: event ? { event } : {} }),
    onSuccess: async ({ delivery }) => {
      await reread()
      notify('Test event queued')
      await navigate(`/dashboard/webhooks/${id}?delivery=${delivery.id}`)
    },
    onError,
  })
  const isOn = health ? health.status === 'active' : active
  return (
    <Group gap="xs">
      <Group gap={0} wrap="nowrap">
        <Button
          loading={test.isPending}
          onClick={() => test.mutate(undefined)}
          style={{ borderTopRightRadius: 0, borderBottomRightRadius: 0 }}
        >
          Send test event
        </Button>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <Button
              aria-label="Choose a test event"
              px={8}
              style={{ borderTopLeftRadius: 0, borderBottomLeftRadius: 0, marginLeft: 1 }}
            >
              <IconChevronDown size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={320} style={{ overflow: 'auto' }}>
            <Menu.Label>Sample payload of</Menu.Label>
            {everyEvent
              .filter((event) => webhook.events.includes(event))
              .map((event) => (
                <Menu.Item key={event} onClick={() => test.mutate(event)}>
                  {event}
                </Menu.Item>
              ))}
          </Menu.Dropdown>
        </Menu>
      </Group>
      <Button
        variant="default"
        leftSection={isOn ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
        loading={turn.isPending}
        onClick={() => turn.mutate(!isOn)}
      >
        {isOn ? 'Pause' : 'Resume'}
      </Button>
    </Group>
  )
}
