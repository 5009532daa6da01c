import { Button, Center, Group, Loader, Text, Tooltip } from '@mantine/core'
import { IconMessage, IconPlayerPlay } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../kit/api.ts'
import { useFilters } from '../../kit/ui/filters.ts'
import { count, span, when } from '../../kit/ui/format.ts'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { type Column, DataTable, type Sort } from '../../kit/ui/table.tsx'
import { behindFigureOf, FigureFilters, isBehindFigure } from '../parts/behind-figure.tsx'
import { BulkBar, useBulk } from '../parts/bulk-bar.tsx'
import { type Call, digitsOf, externalPartyName, outcomeOf, outcomeWords } from '../parts/call.ts'
import { CallActions } from '../parts/call-actions.tsx'
import { CallFilters, narrowings, searchOf } from '../parts/call-filters.tsx'
import { CallSign } from '../parts/call-sign.tsx'
import { type Filters, SavedFilters, useColumns, usePageSize, useSelection } from '../parts/table-tools.tsx'
import { TagPill } from '../parts/tag-pill.tsx'

export default function CallsPage() {
  const filters = useFilters()
  const narrowing = narrowings[filters.get('only') ?? '']
  const queries = useQueryClient()
  const { shown, menu } = useColumns('calls', columns)
  const { selection, selected, clear } = useSelection(keyOf, nameOfCall, filters.query)
  const bulk = useBulk<Call>({
    word: 'call',
    nameOf: nameOfCall,
    refresh: () => queries.invalidateQueries({ queryKey: ['calls'] }),
  })
  const table = { ...tableOf(filters), columns: shown, selection, sort: sortOf(filters) }
  return (
    <Page
      title="Calls"
      lead="All calls of the last six months. Open a call to see its timeline and routing details."
      actions={
        <>
          <SavedFilters page="calls" filters={filters} />
          {menu}
        </>
      }
    >
      {isBehindFigure(filters) ? <FigureFilters filters={filters} /> : <CallFilters filters={filters} />}
      <BulkBar selected={selected.length} word="call" clear={clear} bulk={bulk}>
        <CallActions selected={selected} bulk={bulk} clear={clear} />
      </BulkBar>
      {isBehindFigure(filters) ? (
        <BehindFigure filters={filters} table={table} />
      ) : narrowing ? (
        <Narrowed filters={filters} keeps={narrowing.keeps} table={table} />
      ) : (
        <Everything filters={filters} table={table} />
      )}
    </Page>
  )
}

const keyOf = ({ id }: Call) => id
const nameOfCall = (call: Call) => `call with ${externalPartyName(call)}, ${when(call.started_at)}`

type Table = Omit<Parameters<typeof DataTable<Call>>[0], 'rows'>

/** Calls are indexed by time only. */
const sortOf = (filters: Filters): Sort => ({
  by: 'started_at',
  order: filters.get('order') === 'asc' ? 'asc' : 'desc',
  onChange: (_, order) => filters.set({ order: order === 'asc' ? order : null }),
})

function Everything({ filters, table }: { filters: Filters; table: Table }) {
  const [size, setSize] = usePageSize('calls', filters)
  const search = { ...searchOf(filters), page: filters.page, per_page: size }
  const { data, error, refetch } = useQuery({
    queryKey: ['calls', search],
    queryFn: () => api.get('/v1/calls/search', { query: search }),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  })
  return (
    <DataTable
      {...table}
      rows={data?.calls}
      meta={data?.meta}
      onPage={filters.setPage}
      onPageSize={setSize}
      error={error}
      retry={() => void refetch()}
    />
  )
}

function BehindFigure({ filters, table }: { filters: Filters; table: Table }) {
  const [size, setSize] = usePageSize('calls', filters)
  const search = { ...behindFigureOf(filters), page: filters.page, per_page: size }
  const { data, error, refetch } = useQuery({
    queryKey: ['calls', 'behind figure', search],
    queryFn: () => api.get('/v1/analytics/calls', { query: search }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
  return (
    <>
      {data && (
        <Text size="sm" c="dimmed" aria-live="polite">
          {count(data.meta.total, 'call')}
        </Text>
      )}
      <DataTable
        {...table}
        rows={data?.calls}
        meta={data?.meta}
        onPage={filters.setPage}
        onPageSize={setSize}
        error={error}
        retry={() => void refetch()}
      />
    </>
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

function Narrowed({ filters, keeps, table }: { filters: Filters; keeps: (call: Call) => boolean; table: Table }) {
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
      <DataTable {...table} rows={rows} error={error} retry={() => void refetch()} />
      {rows && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed" aria-live="polite">
            {count(rows.length, 'matching call')} in {filters.get('order') === 'asc' ? 'the first' : 'the latest'}{' '}
            {looked.toLocaleString()}
          </Text>
          {hasNextPage && (
            <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Load more calls
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
  keyOf,
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
      Search finds parts of contact names and parts of phone numbers of at least three digits.
    </Empty>
  ),
})

const columns: Column<Call>[] = [
  {
    label: 'Contact',
    isWide: true,
    cell: (call) => (
      <Group gap="sm" wrap="nowrap">
        <CallSign call={call} />
        <div>
          <Text size="sm" fw={550} truncate {...(call.archived && { c: 'dimmed' })}>
            {externalPartyName(call)}
          </Text>
          <Text size="xs" c="dimmed" truncate>
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
          <Tooltip label={count(call.comments.length, 'note')}>
            <IconMessage size={16} role="img" aria-label={count(call.comments.length, 'note')} />
          </Tooltip>
        )}
      </Group>
    ),
    from: 'lg',
  },
  {
    label: 'Started',
    sort: 'started_at',
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
