import { Badge, Button, Skeleton, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useFilters, useLinkedDialog } from '../../kit/ui/filters.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { ShownOnce } from '../dev/copy.tsx'
import { getsAll } from '../dev/events.ts'
import { inWords, useProductNow } from '../dev/product-time.ts'
import { type Health, healthQuery, looksOf, type Webhook } from '../dev/webhook.ts'
import { NewWebhook } from '../dev/webhook-form.tsx'

type Row = Webhook & { health: Health | undefined }

export default function Webhooks() {
  const session = useSession()
  const filters = useFilters()
  const navigate = useNavigate()
  const now = useProductNow()
  const [isCreating, { open, close }] = useLinkedDialog()
  const [made, setMade] = useState<{ id: string; secret: string }>()
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', filters.page],
    queryFn: () => api.get('/v1/webhooks', { query: { page: filters.page, order: 'desc' } }),
  })
  const healths = useQueries({ queries: (data?.webhooks ?? []).map(({ webhook_id: id }) => healthQuery(id)) })
  const rows = data?.webhooks.map((webhook, nth): Row => ({ ...webhook, health: healths[nth]?.data }))
  const button = isAdmin(session) && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" lead="Deliver signed events to your own servers, in order." actions={button}>
      <DataTable
        label="Webhooks"
        columns={columnsAt(now)}
        rows={rows}
        keyOf={({ webhook_id: id }) => id}
        hrefOf={({ webhook_id: id }) => `/dashboard/webhooks/${id}`}
        error={error}
        retry={() => void refetch()}
        meta={data?.meta}
        onPage={filters.setPage}
        empty={
          <Empty title="No webhooks yet" action={button}>
            Register an endpoint URL to receive events about calls, users, contacts and more in real time.
          </Empty>
        }
      />
      <NewWebhook opened={isCreating} close={close} made={({ webhook_id: id }, secret) => setMade({ id, secret })} />
      <ShownOnce
        title="Webhook created"
        secrets={made && [{ label: 'Signing secret', value: made.secret }]}
        close={() => {
          const id = made?.id
          setMade(undefined)
          if (id) void navigate(`/dashboard/webhooks/${id}`)
        }}
      >
        <Text size="sm">Your server uses this secret to verify the signature of each request.</Text>
      </ShownOnce>
    </Page>
  )
}

const columnsAt = (now: number): Column<Row>[] => [
  {
    label: 'Webhook',
    cell: ({ custom_name: name, url }) => (
      <div>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {url}
        </Text>
      </div>
    ),
  },
  {
    label: 'Health',
    cell: ({ health }) => (health ? <HealthCell health={health} now={now} /> : <Skeleton h={18} w={80} />),
  },
  {
    label: 'Events',
    from: 'sm',
    cell: ({ events }) => <Text size="sm">{getsAll(events) ? 'All' : events.length}</Text>,
  },
  {
    label: 'Pending',
    from: 'md',
    align: 'right',
    cell: ({ health }) => <Text size="sm">{health ? health.pending + health.held : '–'}</Text>,
  },
  { label: 'Created', from: 'md', cell: ({ created_at: at }) => <Text size="sm">{dateTime(at)}</Text> },
]

function HealthCell({ health, now }: { health: Health; now: number }) {
  const { label, color } = looksOf(health)
  return (
    <div>
      <Badge variant="light" color={color} tt="none">
        {label}
      </Badge>
      {health.health === 'failing' && health.disables_at && (
        <Text size="xs" c="dimmed">
          Disabled in {inWords(Date.parse(health.disables_at) - now)}
        </Text>
      )}
    </div>
  )
}
