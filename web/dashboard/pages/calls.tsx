import { Button, Center, Group, Loader, Text, Tooltip } from '@mantine/core'
import { IconMessage, IconPlayerPlay } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useFilters } from '../../kit/ui/filters.ts'
import { count, span, when } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { type Call, digitsOf, externalPartyName, outcomeOf, outcomeWords } from '../parts/call.ts'
import { CallFilters, narrowings, searchOf } from '../parts/call-filters.tsx'
import { CallSign } from '../parts/call-sign.tsx'
import { TagPill } from '../parts/tag-pill.tsx'

export default function CallsPage() {
  const filters = useFilters()
  const narrowing = narrowings[filters.get('only') ?? '']
  return (
    <Page
      title="Calls"
      lead="All calls of the last six months, newest first. Open a call to see its timeline and routing details."
    >
      <CallFilters filters={filters} />
      {narrowing ? <Narrowed filters={filters} keeps={narrowing.keeps} /> : <Everything filters={filters} />}
    </Page>
  )
}

type Filters = ReturnType<typeof useFilters>

function Everything({ filters }: { filters: Filters }) {
  const search = { ...searchOf(filters), page: filters.page, per_page: 20 }
  const { data, error, refetch } = useQuery({
    queryKey: ['calls', search],
    queryFn: () => api.get('/v1/calls/search', { query: search }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  })
  return (
    <DataTable
      {...tableOf(filters)}
      rows={data?.calls}
      meta={data?.meta}
      onPage={filters.setPage}
      error={error}
      retry={() => void refetch()}
    />
  )
}

const wanted = 20
const pagesAtOnce = 8

/** Reads further pages until enough calls match or none are left. */
async function readOn(search: ReturnType<typeof searchOf>, keeps: (call: Call) => boolean, from: number) {
  const calls: Call[] = []
  let looked = 0
  for (let page = from; page < from + pagesAtOnce; page++) {
    const found = await api.get('/v1/calls/search', { query: { ...search, page, per_page: 50 } })
    calls.push(...found.calls.filter(keeps))
    looked += found.calls.length
    if (found.calls.length === 0 || page * 50 >= Math.min(found.meta.total, 10_000))
      return { calls, looked, next: null }
    if (calls.length >= wanted) return { calls, looked, next: page + 1 }
  }
  return { calls, looked, next: from + pagesAtOnce }
}

function Narrowed({ filters, keeps }: { filters: Filters; keeps: (call: Call) => boolean }) {
  const search = searchOf(filters)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['calls', 'only', filters.get('only'), search],
    queryFn: ({ pageParam }) => readOn(search, keeps, pageParam),
    initialPageParam: 1,
    getNextPageParam: ({ next }) => next,
    refetchInterval: 30_000,
  })
  const pages = data?.pages ?? []
  // New calls that arrive meanwhile shift older ones to the next page.
  const rows = data && [...new Map(pages.flatMap(({ calls }) => calls).map((call) => [call.id, call])).values()]
  const looked = pages.reduce((sum, page) => sum + page.looked, 0)
  return (
    <>
      <DataTable {...tableOf(filters)} rows={rows} error={error} retry={() => void refetch()} />
      {rows && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {count(rows.length, 'matching call')} in the latest {looked.toLocaleString()}
          </Text>
          {hasNextPage && (
            <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Load older calls
            </Button>
          )}
        </Group>
      )}
      {!rows && !error && (
        <Center>
          <Loader size="sm" role="status" aria-label="Loading calls" />
        </Center>
      )}
    </>
  )
}

const tableOf = (filters: Filters) => ({
  label: 'Calls',
  columns,
  keyOf: ({ id }: Call) => id,
  hrefOf: ({ id }: Call) => `/dashboard/calls/${id}`,
  empty: filters.isEmpty ? (
    <Empty title="No calls yet">Inbound and outbound calls appear here as soon as they start.</Empty>
  ) : (
    <Empty
      title="No results"
      action={
        <Button variant="light" size="xs" onClick={filters.clear}>
          Clear filters
        </Button>
      }
    >
      Phone numbers must match completely, with or without the leading plus sign.
    </Empty>
  ),
})

const columns: Column<Call>[] = [
  {
    label: 'Contact',
    cell: (call) => (
      <Group gap="sm" wrap="nowrap">
        <CallSign call={call} />
        <div>
          <Text size="sm" fw={550} style={{ whiteSpace: 'nowrap' }} {...(call.archived && { c: 'dimmed' })}>
            {externalPartyName(call)}
          </Text>
          <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
            {call.contact ? digitsOf(call.raw_digits) : (call.number?.name ?? '')}
          </Text>
        </div>
      </Group>
    ),
  },
  {
    label: 'Outcome',
    cell: (call) => (
      <>
        <Text size="sm" {...(['missed', 'voicemail'].includes(outcomeOf(call)) && { c: 'var(--mantine-color-error)' })}>
          {outcomeWords(call)}
        </Text>
        {call.archived && (
          <Text size="xs" c="dimmed">
            Archived
          </Text>
        )}
      </>
    ),
    from: 'xs',
  },
  {
    label: 'Agent',
    cell: ({ user, assigned_to }) => (
      <>
        <Text size="sm">{user?.name ?? '–'}</Text>
        {assigned_to && assigned_to.id !== user?.id && (
          <Text size="xs" c="dimmed">
            Assigned to {assigned_to.name}
          </Text>
        )}
      </>
    ),
    from: 'sm',
  },
  { label: 'Number', cell: ({ number }) => <Text size="sm">{number?.name ?? '–'}</Text>, from: 'xl' },
  {
    label: 'Tags',
    cell: ({ tags }) => (
      <Group gap={4}>
        {tags.map(({ id, name }) => (
          <TagPill key={id} id={id} name={name} />
        ))}
      </Group>
    ),
    from: 'md',
  },
  {
    label: 'Recording',
    cell: (call) => (
      <Group gap={6} wrap="nowrap" c="dimmed">
        {(call.recording || call.voicemail) && (
          <Tooltip label={call.recording ? 'Recording' : 'Voicemail'}>
            <IconPlayerPlay size={16} role="img" aria-label={call.recording ? 'Recording' : 'Voicemail'} />
          </Tooltip>
        )}
        {call.comments.length > 0 && (
          <Tooltip label={count(call.comments.length, 'comment')}>
            <IconMessage size={16} role="img" aria-label={count(call.comments.length, 'comment')} />
          </Tooltip>
        )}
      </Group>
    ),
    from: 'lg',
  },
  {
    label: 'Started',
    cell: ({ started_at }) => <Text size="sm">{when(started_at)}</Text>,
  },
  { label: 'Duration', cell: (call) => <Duration call={call} />, align: 'right', from: 'xs' },
]

function Duration({ call: { status, duration } }: { call: Call }) {
  return (
    <Text size="sm" ff="monospace">
      {status === 'done' ? span(duration) : '…'}
    </Text>
  )
}
