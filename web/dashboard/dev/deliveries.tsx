import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconRefresh, IconX } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { count, dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { notify, notifyError } from '../../kit/ui/toast.tsx'
import { BulkBar } from '../parts/bulk-bar.tsx'
import { DateFilter, dateSpanOf } from '../parts/date-filter.tsx'
import { SearchBox } from '../parts/search-box.tsx'
import { type Filters, SavedFilters, useColumns, usePageSize, useSelection } from '../parts/table-tools.tsx'
import { deliveryKinds as kinds, OneDelivery, StateBadge } from './delivery.tsx'
import { everyEvent } from './events.ts'
import { dueIn, useProductNow } from './product-time.ts'
import { type Delivery, deliveryStateLooks, deliveryStates } from './webhook.ts'

const askedBy = (filters: Filters) => ({
  state: filters.get('state'),
  event: filters.get('event'),
  kind: filters.get('kind'),
  status: filters.get('status'),
  resource_id: filters.get('resource'),
  replay_id: filters.get('replay'),
  ...dateSpanOf(filters),
})

const nameOf = ({ event, resource, resource_id: about }: Delivery) => `${event} of ${resource} ${about}`

/** Deliveries of a webhook. */
export function Deliveries({ webhookId }: { webhookId: string }) {
  const filters = useFilters()
  const now = useProductNow()
  const mayChange = isAdmin(useSession())
  const asked = askedBy(filters)
  const order = filters.get('order') === 'asc' ? 'asc' : 'desc'
  const [size, setSize] = usePageSize('deliveries', filters)
  const { data, error, refetch } = useQuery({
    queryKey: ['webhook', webhookId, 'deliveries', asked, order, size, filters.page],
    refetchInterval: 3_000,
    placeholderData: (before) => before,
    queryFn: () =>
      api.get('/v1/webhooks/{webhook_id}/deliveries', {
        params: { webhook_id: webhookId },
        query: { ...asked, order, page: filters.page, per_page: size },
      }),
  })
  const open = (delivery: string | null) => filters.setOnly({ delivery })
  const { shown, menu } = useColumns('deliveries', columnsAt(now, open))
  const { selection, selected, clear } = useSelection(({ id }: Delivery) => id, nameOf, JSON.stringify(asked))
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-start" gap="xs">
        <DeliveryFilters filters={filters} />
        <Group gap="xs">
          <SavedFilters page="deliveries" filters={filters} />
          {menu}
        </Group>
      </Group>
      <Redeliver webhookId={webhookId} selected={selected} clear={clear} />
      <DataTable
        label="Deliveries"
        columns={shown}
        rows={data?.deliveries}
        keyOf={({ id }) => id}
        selection={mayChange ? selection : undefined}
        sort={{
          by: 'created_at',
          order,
          onChange: (_, next) => filters.set({ order: next === 'asc' ? next : null }),
        }}
        error={error}
        retry={() => void refetch()}
        meta={data?.meta}
        onPage={filters.setPage}
        onPageSize={setSize}
        empty={
          Object.values(asked).some(Boolean) ? (
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
      <OneDelivery webhookId={webhookId} id={filters.get('delivery')} close={() => open(null)} />
    </Stack>
  )
}

/** One replay of all selected deliveries; tests are not repeated. */
function Redeliver(props: { webhookId: string; selected: Delivery[]; clear: () => void }) {
  const { webhookId, selected, clear } = props
  const queries = useQueryClient()
  const ids = selected.filter(({ kind }) => kind !== 'test').map(({ id }) => id)
  const replay = useMutation({
    mutationFn: () =>
      api.post('/v1/webhooks/{webhook_id}/replays', {
        params: { webhook_id: webhookId },
        body: { delivery_ids: ids },
      }),
    onSuccess: async () => {
      clear()
      notify(`Redelivery of ${count(ids.length, 'delivery', 'deliveries')} queued`)
      await queries.invalidateQueries({ queryKey: ['webhook', webhookId] })
    },
    onError: (error) => notifyError(error, 'Redelivery failed'),
  })
  const bulk = { progress: undefined, failures: [], dismiss: clear }
  return (
    <BulkBar selected={selected.length} word="delivery" many="deliveries" clear={clear} bulk={bulk}>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} />}
        loading={replay.isPending}
        disabled={ids.length === 0}
        onClick={() => replay.mutate()}
      >
        Redeliver
      </Button>
    </BulkBar>
  )
}

function DeliveryFilters({ filters }: { filters: Filters }) {
  const asked = askedBy(filters)
  return (
    <Group gap="xs" role="search" aria-label="Deliveries">
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
      <DateFilter filters={filters} />
      <SearchBox
        label="HTTP status of the last response"
        placeholder="HTTP status"
        width={140}
        value={asked.status ?? ''}
        accepts={(text) => /^([1-5]\d\d)?$/.test(text)}
        onChange={(status) => filters.set({ status })}
      />
      <SearchBox
        label="ID of the call, user or contact"
        placeholder="Resource ID"
        width={150}
        value={asked.resource_id ?? ''}
        onChange={(resource) => filters.set({ resource })}
      />
      {!filters.isEmpty && (
        <Button variant="subtle" color="gray" leftSection={<IconX size={14} />} onClick={filters.clear}>
          {asked.replay_id ? 'Clear replay filter' : 'Clear filters'}
        </Button>
      )}
    </Group>
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
    sort: 'created_at',
    from: 'sm',
    cell: ({ created_at: at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {dateTime(at)}
      </Text>
    ),
  },
]
