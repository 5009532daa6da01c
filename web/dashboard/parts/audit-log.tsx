import { Alert, Badge, Code, Group, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useFilters } from '../../kit/ui/filters.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable, type Meta } from '../../kit/ui/table.tsx'

interface Entry {
  id: number
  at: string
  actor: { kind: string; id: number | null; name: string | null }
  action: string
  target: string | null
  details: unknown
  address: string | null
}

interface Answer {
  audit_log: Entry[]
  meta: Meta
  /** `intact`, or where it is broken. */
  chain?: string
}

/** Who did what. Nobody can change or delete an entry. */
export function AuditLog() {
  const filters = useFilters()
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', filters.page],
    queryFn: () => api.get<Answer>('/v1/audit_log', { page: filters.page, per_page: 20 }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      {data?.chain && <Chain chain={data.chain} />}
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
          <Empty title="Nothing has happened yet">
            Sign-ins, keys, roles, webhooks, recordings and consents are written down here.
          </Empty>
        }
      />
    </>
  )
}

function Chain({ chain }: { chain: string }) {
  return chain === 'intact' ? (
    <Group gap={6} mb="sm" c="dimmed">
      <IconShieldCheck size={16} aria-hidden />
      <Text size="sm">Every entry is as it was written: nothing was changed or taken out.</Text>
    </Group>
  ) : (
    <Alert color="red" variant="light" mb="md" icon={<IconShieldX />} title="The log was tampered with" role="alert">
      It is {chain}: that entry is not as it was written.
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
    label: 'When',
    cell: ({ at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {dateTime(at)}
      </Text>
    ),
  },
  {
    label: 'Who',
    cell: ({ actor }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {actor.name ?? `${kinds[actor.kind] ?? actor.kind}${actor.id === null ? '' : ` ${actor.id}`}`}
      </Text>
    ),
  },
  {
    label: 'What',
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
  { label: 'To', cell: ({ target }) => <Text size="sm">{target ?? '–'}</Text>, from: 'xs' },
  {
    label: 'Details',
    cell: ({ details }) =>
      details !== null && <Code style={{ overflowWrap: 'anywhere' }}>{JSON.stringify(details)}</Code>,
    from: 'md',
  },
  {
    label: 'From',
    cell: ({ address }) => (
      <Text size="sm" ff="monospace">
        {address ?? '–'}
      </Text>
    ),
    from: 'lg',
  },
]
