import { Alert, Anchor, Badge, Button, Code, Drawer, Group, Select, Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { dateTime, when } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { SaveError } from '../../kit/ui/save-error.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { DateFilter, dateParams, dateSpanOf } from './date-filter.tsx'
import { SearchBox } from './search-box.tsx'
import { type Filters, SavedFilters, useColumns, usePageSize } from './table-tools.tsx'

type Mail = ResponseOf<'/v1/mail_outbox'>['mails'][number]

/** All generated emails. Without a mail server, invitation and reset links are found here. */
export function MailOutbox() {
  const filters = useFilters()
  const [params] = useSearchParams()
  const order = filters.get('order') === 'asc' ? 'asc' : 'desc'
  const [size, setSize] = usePageSize('mails', filters)
  const { shown: columnsShown, menu } = useColumns('mails', columns)
  const query = { page: filters.page, per_page: size, order, ...mailQuery(filters) } as const
  const { data, error, refetch } = useQuery({
    queryKey: ['mails', query],
    queryFn: () => api.get('/v1/mail_outbox', { query }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
  const shown = data?.mails.find(({ id }) => String(id) === filters.get('mail'))
  return (
    <Stack>
      <TestEmail />
      <MailFilters filters={filters} columns={menu} />
      <DataTable
        label="Emails"
        columns={columnsShown}
        rows={data?.mails}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/dashboard/company/mails?${withParam(params, 'mail', String(id))}`}
        meta={data?.meta}
        onPage={filters.setPage}
        onPageSize={setSize}
        sort={{ by: 'created_at', order, onChange: (_, next) => filters.set({ order: next === 'asc' ? next : null }) }}
        error={error}
        retry={() => void refetch()}
        empty={
          isFiltered(filters) ? (
            <Empty title="No results" />
          ) : (
            <Empty title="No emails yet">Invitations, password resets and webhook warnings appear here.</Empty>
          )
        }
      />
      <Drawer
        opened={shown !== undefined}
        onClose={() => filters.setOnly({ mail: null })}
        position="right"
        size="lg"
        title={shown?.subject}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && <EmailText mail={shown} />}
      </Drawer>
    </Stack>
  )
}

const states = [
  { value: 'sent', label: 'Sent' },
  { value: 'failed', label: 'Failed' },
  { value: 'not_sent', label: 'Not sent' },
] as const

const mailQuery = (filters: Filters) => ({
  search: filters.get('q') ?? undefined,
  state: states.find(({ value }) => value === filters.get('state'))?.value,
  ...dateSpanOf(filters),
})

const isFiltered = (filters: Filters) => ['q', 'state', ...dateParams].some((name) => filters.get(name) !== null)

function withParam(params: URLSearchParams, name: string, value: string): string {
  const next = new URLSearchParams(params)
  next.set(name, value)
  return next.toString()
}

function MailFilters({ filters, columns: menu }: { filters: Filters; columns: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" gap="xs">
      <Group gap="xs" role="search" aria-label="Emails">
        <SearchBox label="Recipient or subject" value={filters.get('q') ?? ''} onChange={(q) => filters.set({ q })} />
        <Select
          aria-label="Status"
          placeholder="All statuses"
          clearable
          w={160}
          data={states}
          value={filters.get('state')}
          onChange={(state) => filters.set({ state })}
        />
        <DateFilter filters={filters} />
        {isFiltered(filters) && (
          <Button variant="subtle" color="gray" leftSection={<IconX size={16} aria-hidden />} onClick={filters.clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <Group gap="xs">
        <SavedFilters page="mails" filters={filters} />
        {menu}
      </Group>
    </Group>
  )
}

/** What the mail server replied, in its own words. */
function TestEmail() {
  const { mail_server: hasMailServer } = useSession()
  const queries = useQueryClient()
  const test = useMutation({
    mutationFn: () => api.post('/v1/mail_test'),
    onSettled: () => queries.invalidateQueries({ queryKey: ['mails'] }),
  })
  if (!hasMailServer) {
    return (
      <Alert color="yellow" variant="light" title="No mail server is configured">
        Emails are not sent, they are listed here only. The operator of this installation sets SMTP_URL. Until then,
        copy invitation links on the page of each user.
      </Alert>
    )
  }
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          Send test email
        </Button>
        <Text size="sm" c="dimmed">
          To your own address.
        </Text>
      </Group>
      {test.error && <SaveError error={test.error} />}
      {test.data && (
        <Alert
          color={test.data.accepted ? 'green' : 'red'}
          variant="light"
          role="status"
          title={
            test.data.accepted
              ? `The mail server accepted the email to ${test.data.to}`
              : `The mail server did not accept the email to ${test.data.to}`
          }
        >
          <Code>{test.data.reply}</Code>
        </Alert>
      )}
    </Stack>
  )
}

function State({ mail: { sent_at, error } }: { mail: Mail }) {
  const [word, color] = sent_at ? ['Sent', 'green'] : error ? ['Failed', 'red'] : ['Not sent', 'gray']
  return (
    <Badge variant="light" color={color} tt="none">
      {word}
    </Badge>
  )
}

const columns: Column<Mail>[] = [
  {
    label: 'Subject',
    cell: ({ subject }) => (
      <Text size="sm" fw={550}>
        {subject}
      </Text>
    ),
  },
  { label: 'To', cell: ({ to }) => <Text size="sm">{to}</Text>, from: 'xs' },
  { label: 'Status', cell: (mail) => <State mail={mail} /> },
  {
    label: 'Created',
    sort: 'created_at',
    cell: ({ created_at }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {when(created_at)}
      </Text>
    ),
    from: 'sm',
  },
]

function EmailText({ mail }: { mail: Mail }) {
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        To {mail.to} · created {dateTime(mail.created_at)} ·{' '}
        {mail.sent_at ? `sent ${dateTime(mail.sent_at)}` : 'not sent'}
      </Text>
      {mail.error && (
        <Text size="sm" c="var(--mantine-color-error)">
          {mail.error}
        </Text>
      )}
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {/* Only http and https URLs become links. */}
        {mail.text.split(/(https?:\/\/[^\s<>"]+)/).map((part, i) =>
          i % 2 === 1 ? (
            <Anchor key={part} href={part} size="sm">
              {part}
            </Anchor>
          ) : (
            <Fragment key={part}>{part}</Fragment>
          ),
        )}
      </Text>
    </Stack>
  )
}
