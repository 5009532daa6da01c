import { Alert, Badge, Button, Group, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useFilters } from '../../kit/ui/filters.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable, type Meta } from '../../kit/ui/table.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'

interface Entry {
  id: number
  at: string
  actor: { kind: string; id: number | null; name: string | null }
  action: string
  target: string | null
  details: Record<string, unknown> | null
  address: string | null
}

interface Answer {
  audit_log: Entry[]
  meta: Meta
}

interface Check {
  /** `intact`, or the position of the first invalid entry. */
  chain: string
  entries: number
}

/** Append-only log of administrative actions. */
export function AuditLog() {
  const filters = useFilters()
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', filters.page],
    queryFn: () => api.get<Answer>('/v1/audit_log', { page: filters.page, per_page: 20 }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Chain />
      <DataTable
        label="Audit log"
        columns={columns}
        rows={data?.audit_log}
        keyOf={({ id }) => id}
        meta={data?.meta}
        onPage={filters.setPage}
        error={error}
        retry={() => void refetch()}
        empty={
          <Empty title="No entries yet">
            Sign-ins and changes to API keys, roles, webhooks, recordings and app consents are logged here.
          </Empty>
        }
      />
    </>
  )
}

/** Runs on demand because it reads the entire log. */
function Chain() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit-check'],
    queryFn: () => api.get<Check>('/v1/audit_log/check'),
    enabled: false,
  })
  return (
    <Group gap="sm" mb="sm">
      <Button size="compact-sm" variant="default" loading={isFetching} onClick={() => void refetch()}>
        Verify log integrity
      </Button>
      {error && <ErrorAlert error={error} />}
      {data && <Verdict {...data} />}
    </Group>
  )
}

function Verdict({ chain, entries }: Check) {
  return chain === 'intact' ? (
    <Group gap={6} c="dimmed" role="status">
      <IconShieldCheck size={16} aria-hidden />
      <Text size="sm">All {entries} entries verified: none were modified or removed.</Text>
    </Group>
  ) : (
    <Alert color="red" variant="light" icon={<IconShieldX />} title="Log integrity check failed" role="alert">
      The log is {chain}: this entry was modified or removed.
    </Alert>
  )
}

const kinds: Record<string, string> = {
  key: 'API key',
  token: 'Integration',
  operator: 'Operator',
  unknown: 'Not signed in',
  user: 'User',
}

const columns: Column<Entry>[] = [
  {
    label: 'Time',
    cell: ({ at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {dateTime(at)}
      </Text>
    ),
  },
  {
    label: 'Actor',
    cell: ({ actor }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {actor.name ?? `${kinds[actor.kind] ?? actor.kind}${actor.id === null ? '' : ` ${actor.id}`}`}
      </Text>
    ),
  },
  {
    label: 'Action',
    cell: ({ action }) => (
      <Badge
        variant="light"
        color={/fail|refus|delete|revoke/.test(action) ? 'red' : 'gray'}
        tt="none"
        miw="max-content"
      >
        {action.replaceAll(/[._]/g, ' ')}
      </Badge>
    ),
  },
  {
    label: 'Target',
    cell: ({ target }) => <Text size="sm">{target?.replace('_', ' ').replace(':', ' ') ?? '–'}</Text>,
    from: 'xs',
  },
  {
    label: 'Details',
    cell: ({ details }) => details !== null && <Details details={details} />,
    from: 'md',
  },
  {
    label: 'IP address',
    cell: ({ address }) => (
      <Text size="sm" ff="monospace">
        {address ?? '–'}
      </Text>
    ),
    from: 'lg',
  },
]

function Details({ details }: { details: NonNullable<Entry['details']> }) {
  return Object.entries(details).map(([name, value]) => (
    <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span inherit c="dimmed">
        {name.replaceAll('_', ' ')}:
      </Text>{' '}
      {typeof value === 'string' ? value : JSON.stringify(value)}
    </Text>
  ))
}
