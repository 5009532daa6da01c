import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useFilters } from '../../kit/ui/filters.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { deliveryKinds as kinds, OneDelivery, StateBadge } from './delivery.tsx'
import { everyEvent } from './events.ts'
import { dueIn, useProductNow } from './product-time.ts'
import { type Delivery, deliveryStateLooks, deliveryStates } from './webhook.ts'

/** Deliveries of a webhook. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const filters = useFilters()
  const now = useProductNow()
  const asked = {
    state: filters.get('state'),
    event: filters.get('event'),
    kind: filters.get('kind'),
    status: filters.get('status'),
    resource_id: filters.get('resource'),
    replay_id: filters.get('replay'),
  }
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', webhookId, 'deliveries', asked, filters.page],
    refetchInterval: 3_000,
    placeholderData: (before) => before,
    queryFn: () =>
      api.get('/v1/webhooks/{webhook_id}/deliveries', {
        params: { webhook_id: webhookId },
        query: {
          ...asked,
          order: 'desc',
          page: filters.page,
        },
      }),
  })
  const setResource = useDebouncedCallback((resource: string) => filters.set({ resource }), 400)
  const setStatus = useDebouncedCallback((status: string) => filters.set({ status }), 400)
  const isFiltered = Object.values(asked).some(Boolean)
  const chosen = filters.get('delivery')
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Select
          aria-label="Status"
          placeholder="All statuses"
          clearable
          w={150}
          data={deliveryStates.map((value) => ({ value, label: deliveryStateLooks[value].label }))}
          value={asked.state}
          onChange={(state) => filters.set({ state })}
        />
        <Select
          aria-label="Event"
          placeholder="All events"
          clearable
          searchable
          w={230}
          data={everyEvent}
          value={asked.event}
          onChange={(event) => filters.set({ event })}
        />
        <Select
          aria-label="Type"
          placeholder="All types"
          clearable
          w={130}
          data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
          value={asked.kind}
          onChange={(kind) => filters.set({ kind })}
        />
        <TextInput
          aria-label="HTTP status of the last response"
          placeholder="HTTP status"
          w={120}
          inputMode="numeric"
          defaultValue={asked.status ?? ''}
          onChange={({ currentTarget: { value } }) => setStatus(/^[1-5]\d\d$/.test(value) ? value : '')}
        />
        <TextInput
          aria-label="ID of the call, user or contact"
          placeholder="Resource ID"
          w={130}
          defaultValue={asked.resource_id ?? ''}
          onChange={({ currentTarget: { value } }) => setResource(value)}
        />
        {asked.replay_id && (
          <Button variant="light" onClick={() => filters.set({ replay: null })}>
            Clear replay filter
          </Button>
        )}
      </Group>
      <DataTable
        label="Deliveries"
        columns={columnsAt(now, (delivery) => filters.set({ delivery, page: filters.page > 1 ? filters.page : null }))}
        rows={data?.deliveries}
        keyOf={({ id }) => id}
        error={error}
        retry={() => void refetch()}
        meta={data?.meta}
        onPage={filters.setPage}
        empty={
          isFiltered ? (
            <Empty
              title="No results"
              action={
                <Button variant="light" onClick={() => filters.clear()}>
                  Clear filters
                </Button>
              }
            />
          ) : (
            <Empty title="No deliveries in the last 30 days">
              Deliveries appear here when a subscribed event occurs. Send a test event to try the endpoint.
            </Empty>
          )
        }
      />
      <OneDelivery
        webhookId={webhookId}
        id={chosen}
        close={() => filters.set({ delivery: null, page: filters.page > 1 ? filters.page : null })}
      />
    </Stack>
  )
}

const columnsAt = (now: number, open: (id: string) => void): Column<Delivery>[] => [
  {
    label: 'Event',
    cell: ({ id, event, resource, resource_id: about }) => (
      <div>
        <Button
          variant="transparent"
          size="compact-sm"
          p={0}
          h="auto"
          onClick={() => open(id)}
          aria-label={`Open ${event} of ${resource} ${about}`}
        >
          {event}
        </Button>
        <Text size="xs" c="dimmed">
          {resource} {about}
        </Text>
      </div>
    ),
  },
  { label: 'Status', cell: (delivery) => <StateBadge delivery={delivery} /> },
  {
    label: 'Response',
    cell: ({ status, error }) => <Text size="sm">{status ?? error?.replaceAll('_', ' ') ?? '–'}</Text>,
  },
  { label: 'Attempts', align: 'right', cell: ({ attempts_made: n }) => <Text size="sm">{n}</Text> },
  {
    label: 'Next attempt',
    from: 'md',
    cell: ({ next_attempt_at: at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {at ? dueIn(at, now) : '–'}
      </Text>
    ),
  },
  {
    label: 'Created',
    from: 'sm',
    cell: ({ created_at: at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {dateTime(at)}
      </Text>
    ),
  },
]
