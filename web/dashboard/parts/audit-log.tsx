import { Alert, Anchor, Badge, Button, Group, Text } from '@mantine/core'
import { IconShieldCheck, IconShieldX } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { dateTime } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { AuditFilters, auditQuery } from './audit-filters.tsx'
import { auditTarget, auditWords } from './audit-words.ts'
import { useColumns, usePageSize } from './table-tools.tsx'

type Entry = ResponseOf<'/v1/audit_log'>['audit_log'][number]

/** Append-only log of administrative actions. */
export function AuditLog() {
  const filters = useFilters()
  const query = auditQuery(filters)
  const order = filters.get('order') === 'asc' ? 'asc' : 'desc'
  const [size, setSize] = usePageSize('audit-log', filters)
  const { shown, menu } = useColumns('audit-log', columns)
  const { data, error, refetch } = useQuery({
    queryKey: ['audit', filters.page, size, order, query],
    queryFn: () => api.get('/v1/audit_log', { query: { page: filters.page, per_page: size, order, ...query } }),
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <Chain />
      <AuditFilters filters={filters} columns={menu} />
      <DataTable
        label="Audit log"
        columns={shown}
        rows={data?.audit_log}
        keyOf={({ id }) => id}
        meta={data?.meta}
        onPage={filters.setPage}
        onPageSize={setSize}
        sort={{ by: 'at', order, onChange: (_, next) => filters.set({ order: next === 'asc' ? next : null }) }}
        error={error}
        retry={() => void refetch()}
        empty={
          filters.isEmpty ? (
            <Empty title="No entries yet">
              Sign-ins and changes to API keys, roles, webhooks, recordings and app consents are logged here.
            </Empty>
          ) : (
            <Empty title="No results" />
          )
        }
      />
    </>
  )
}

/** Runs on demand because it reads the entire log. */
function Chain() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['audit-check'],
    queryFn: () => api.get('/v1/audit_log/check'),
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

/** `chain` is `intact`, or the position of the first invalid entry. */
function Verdict({ chain, entries }: ResponseOf<'/v1/audit_log/check'>) {
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
    sort: 'at',
    cell: ({ at }) => <Text size="sm">{dateTime(at)}</Text>,
  },
  {
    label: 'Actor',
    cell: ({ actor }) => (
      <PageLink to={actor.kind === 'user' && actor.name !== null ? `/dashboard/users/${actor.id}` : undefined}>
        {actor.name ?? `${kinds[actor.kind] ?? actor.kind}${actor.id === null ? '' : ` ${actor.id}`}`}
      </PageLink>
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
    cell: (entry) => <Target entry={entry} />,
    from: 'xs',
  },
  {
    label: 'Details',
    cell: ({ details }) => isObject(details) && <Details details={details} />,
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

function Target({ entry: { target, target_name: name, target_exists: exists } }: { entry: Entry }) {
  if (target === null) return <Text size="sm">–</Text>
  const { kind, id, page } = auditTarget(target)
  return (
    <>
      <PageLink to={exists || kind === 'Call' ? page : undefined}>{name ?? `${kind} ${id}`}</PageLink>
      {name !== null && (
        <Text size="xs" c="dimmed">
          {kind}
          {!exists && ', deleted'}
        </Text>
      )}
    </>
  )
}

function PageLink({ to, children }: { to: string | undefined; children: ReactNode }) {
  if (to === undefined) return <Text size="sm">{children}</Text>
  return (
    <Anchor component={Link} to={to} size="sm">
      {children}
    </Anchor>
  )
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function Details({ details }: { details: object }) {
  return Object.entries(details).map(([name, value]) => (
    <Text key={name} size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span inherit c="dimmed">
        {name.replaceAll('_', ' ')}:
      </Text>{' '}
      {auditWords(value)}
    </Text>
  ))
}
