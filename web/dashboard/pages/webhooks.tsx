import { Badge, Button, Skeleton, Text } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { useLinkedDialog } from '../../kit/ui/filters.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { everyPage } from '../../kit/ui/lists.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { ShownOnce } from '../dev/copy.tsx'
import { getsAll } from '../dev/events.ts'
import { inWords, useProductNow } from '../dev/product-time.ts'
import { type Health, healthQuery, looksOf, type Webhook } from '../dev/webhook.ts'
import { NewWebhook } from '../dev/webhook-form.tsx'
import { switchActions } from '../parts/activation.tsx'
import type { ListColumn } from '../parts/list-table.ts'
import { type ListAction, type ListChoice, ShortList } from '../parts/short-list.tsx'

type Row = Webhook & { health: Health | undefined }

export default function Webhooks() {
  const session = useSession()
  const queries = useQueryClient()
  const may = isAdmin(session)
  const navigate = useNavigate()
  const now = useProductNow()
  const [isCreating, { open, close }] = useLinkedDialog()
  const [made, setMade] = useState<{ id: string; secret: string }>()
  const { data, error, refetch } = useQuery({
    queryKey: ['webhooks', 'all'],
    queryFn: () =>
      everyPage(
        (query) => api.get('/v1/webhooks', { query: { ...query, order: 'desc' } }),
        ({ webhooks }) => webhooks,
      ),
  })
  const healths = useQueries({ queries: (data ?? []).map(({ webhook_id: id }) => healthQuery(id)) })
  const rows = data?.map((webhook, nth): Row => ({ ...webhook, health: healths[nth]?.data }))
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ['webhooks'] })
    await queries.invalidateQueries({ queryKey: ['webhook'] })
  }
  const button = may && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" lead="Deliver signed events to your own servers, in order." actions={button}>
      <ShortList
        page="webhooks"
        label="Webhooks"
        word="webhook"
        search="Name or URL"
        textsOf={({ custom_name: name, url }) => [name, url]}
        dateOf={({ created_at: at }) => at}
        choices={[healthChoice]}
        columns={columnsAt(now)}
        bulk={may ? bulkActions : []}
        refresh={refresh}
        rows={rows}
        keyOf={({ webhook_id: id }) => id}
        nameOf={({ custom_name: name }) => name}
        hrefOf={({ webhook_id: id }) => `/dashboard/webhooks/${id}`}
        error={error}
        retry={() => void refetch()}
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

const healthChoice: ListChoice<Row> = {
  name: 'health',
  label: 'Health',
  all: 'Any health',
  options: ['Healthy', 'Failing', 'Paused', 'Disabled', 'No response yet'].map((label) => ({ value: label, label })),
  of: ({ health }) => (health ? looksOf(health).label : ''),
}

/** `events_action=add` keeps the subscribed events. */
const turn = ({ webhook_id }: Row, active: boolean) =>
  api.put('/v1/webhooks/{webhook_id}', { params: { webhook_id }, query: { events_action: 'add' }, body: { active } })

const bulkActions: readonly ListAction<Row>[] = [
  ...switchActions<Row>({
    isOn: ({ active }) => active,
    set: turn,
    on: { label: 'Resume', done: 'resumed', state: 'already active' },
    off: { label: 'Pause', done: 'paused', state: 'already paused' },
  }),
  {
    label: 'Delete',
    done: 'deleted',
    icon: <IconTrash size={14} />,
    body: 'Pending deliveries are cancelled, and the delivery logs are deleted. This cannot be undone.',
    typed: 'delete',
    run: ({ webhook_id }) => api.delete('/v1/webhooks/{webhook_id}', { params: { webhook_id } }),
  },
]

const columnsAt = (now: number): ListColumn<Row>[] => [
  {
    label: 'Webhook',
    value: ({ custom_name: name }) => name,
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
    value: ({ health }) => (health ? looksOf(health).label : ''),
    cell: ({ health }) => (health ? <HealthCell health={health} now={now} /> : <Skeleton h={18} w={80} />),
  },
  {
    label: 'Events',
    value: ({ events }) => (getsAll(events) ? 1_000 : events.length),
    from: 'sm',
    cell: ({ events }) => <Text size="sm">{getsAll(events) ? 'All' : events.length}</Text>,
  },
  {
    label: 'Pending',
    value: ({ health }) => (health ? health.pending + health.held : 0),
    from: 'md',
    align: 'right',
    cell: ({ health }) => <Text size="sm">{health ? health.pending + health.held : '–'}</Text>,
  },
  {
    label: 'Created',
    value: ({ created_at: at }) => at,
    from: 'md',
    cell: ({ created_at: at }) => <Text size="sm">{dateTime(at)}</Text>,
  },
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
