import { Anchor, Group, Paper, Select, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { api } from '../../kit/api.ts'
import { isAdmin, useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty, Page } from '../../kit/ui/page.tsx'
import { shownMs } from '../agents/chat.ts'
import { type CountedText, costWords, type Performance, percentWords, purposeLabels } from '../agents/performance.ts'
import { BarChart, Legend, type Series } from '../analytics/bar-chart.tsx'
import { ChartCard } from '../analytics/card.tsx'
import { isForbidden } from '../conversation/data.ts'

const periods = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
  { value: '366', label: 'Last year' },
]
const all = 'all'

const BackLink = () => (
  <Anchor component={Link} to="/dashboard/agents" size="sm">
    All AI agents
  </Anchor>
)

export default function AgentsPerformancePage() {
  const may = isAdmin(useSession())
  const [query, setQuery] = useSearchParams()
  const days = periods.some(({ value }) => value === query.get('days')) ? Number(query.get('days')) : 30
  const agentId = query.get('agent') ?? undefined
  const { data, error, refetch } = useQuery({
    queryKey: ['agents', 'performance', days, agentId],
    queryFn: () =>
      api.get('/v1/ai_agent_performance', { query: { days, ...(agentId !== undefined && { agent_id: agentId }) } }),
    enabled: may,
    placeholderData: keepPreviousData,
  })
  // The names of all agents, also while the figures of one are shown.
  const { data: everyAgent } = useQuery({
    queryKey: ['agents', 'performance', days, undefined],
    queryFn: () => api.get('/v1/ai_agent_performance', { query: { days } }),
    enabled: may,
  })
  if (!may || isForbidden(error)) {
    return (
      <Page title="Performance" lead={<BackLink />}>
        {may ? (
          <Empty title="Not included in your plan">AI agents are an add-on.</Empty>
        ) : (
          <Empty title="Admin access required">Contact an owner or admin to see the figures of AI agents.</Empty>
        )}
      </Page>
    )
  }
  const change = (name: string, value: string | null, standard: string) =>
    setQuery(
      (now) => {
        if (value === null || value === standard) now.delete(name)
        else now.set(name, value)
        return now
      },
      { replace: true },
    )
  const names = (everyAgent ?? data)?.agents ?? []
  return (
    <Page
      title="Performance"
      lead={<BackLink />}
      actions={
        <Group gap="xs">
          <Select
            aria-label="AI agent"
            allowDeselect={false}
            w={180}
            data={[
              { value: all, label: 'All AI agents' },
              ...names.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={agentId ?? all}
            onChange={(value) => change('agent', value, all)}
          />
          <Select
            aria-label="Period"
            allowDeselect={false}
            w={150}
            data={periods}
            value={String(days)}
            onChange={(value) => change('days', value, '30')}
          />
        </Group>
      }
    >
      {error ? (
        <ErrorAlert error={error} retry={() => void refetch()} />
      ) : data ? (
        <Figures data={data} />
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  )
}

const series: Series[] = [
  { label: 'Contained', tone: 'answered' },
  { label: 'Escalated', tone: 'missed' },
]
const long = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const
const dayWords = (date: string, how: Intl.DateTimeFormatOptions) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { timeZone: 'UTC', ...how })

function Figures({ data }: { data: Performance }) {
  const hasCalls = data.agents.some(({ calls }) => calls > 0)
  if (!hasCalls && data.purposes.length === 0) {
    return (
      <Empty title="No calls or LLM requests in this period">
        Calls of AI agents, what they did not understand, their response times and the LLM tokens they use appear here.
      </Empty>
    )
  }
  return (
    <Stack gap="lg">
      {!data.is_complete && (
        <Text size="sm" c="dimmed">
          The period has more than 20,000 calls. The figures are those of the latest 20,000.
        </Text>
      )}
      <AgentTable data={data} />
      {hasCalls && (
        <>
          <ChartCard
            title="Calls per day"
            hint="Contained: ended without an escalation. Days are in UTC"
            figures={{
              columns: ['Day', 'Contained', 'Escalated'],
              rows: data.daily.map(({ date, contained, escalated }) => [dayWords(date, long), contained, escalated]),
            }}
            legend={<Legend series={series} />}
          >
            <BarChart
              title="Calls per day"
              series={series}
              bars={data.daily.map(({ date, contained, escalated }) => ({
                label: dayWords(date, long),
                short: dayWords(date, { day: 'numeric', month: 'short' }),
                values: [contained, escalated],
              }))}
            />
          </ChartCard>
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" verticalSpacing="lg">
            <Counts title="Escalation reasons" none="No call was escalated." items={data.escalation_reasons} />
            <Counts title="Not understood" none="The AI agents understood every turn." items={data.misunderstood} />
          </SimpleGrid>
        </>
      )}
      <Purposes data={data} />
    </Stack>
  )
}

function AgentTable({ data: { agents } }: { data: Performance }) {
  if (agents.length === 0) return null
  return (
    <Section title="By AI agent">
      <Table.ScrollContainer minWidth={820}>
        <Table aria-label="By AI agent">
          <Heads names={['AI agent', 'Calls', 'Contained', 'Latency p50', 'Latency p95', ...tokenHeads]} />
          <Table.Tbody>
            {agents.map(({ id, name, calls, contained, latency_p50: p50, latency_p95: p95, use }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Anchor component={Link} to={`/dashboard/agents/${id}`} size="sm">
                    {name}
                  </Anchor>
                </Table.Td>
                <Cells
                  values={[
                    calls.toLocaleString(),
                    percentWords(contained, calls),
                    p50 === null ? '–' : shownMs(p50),
                    p95 === null ? '–' : shownMs(p95),
                    ...tokenFigures(use),
                  ]}
                />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}

function Purposes({ data: { purposes } }: { data: Performance }) {
  if (purposes.length === 0) return null
  return (
    <Section
      title="LLM requests of the company"
      hint="Costs require prices in the connection string of the LLM: input_price and output_price, per million tokens"
    >
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label="LLM requests of the company">
          <Heads names={['Purpose', ...tokenHeads]} />
          <Table.Tbody>
            {purposes.map(({ purpose, use }) => (
              <Table.Tr key={purpose}>
                <Table.Td>{purposeLabels[purpose]}</Table.Td>
                <Cells values={tokenFigures(use)} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  )
}

const tokenHeads = ['Requests', 'Failed', 'Input tokens', 'Output tokens', 'Cost']
const tokenFigures = (use: Performance['purposes'][number]['use']) => [
  use.requests.toLocaleString(),
  use.failed.toLocaleString(),
  use.input_tokens.toLocaleString(),
  use.output_tokens.toLocaleString(),
  costWords(use.cost),
]

const Heads = ({ names }: { names: string[] }) => (
  <Table.Thead>
    <Table.Tr>
      {names.map((name, at) => (
        <Table.Th key={name} miw={at === 0 ? 90 : undefined} ta={at === 0 ? 'left' : 'right'}>
          {name}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
)

const Cells = ({ values }: { values: string[] }) =>
  values.map((value, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: columns are fixed
    <Table.Td key={at} ta="right">
      {value}
    </Table.Td>
  ))

function Counts({ title, none, items }: { title: string; none: string; items: readonly CountedText[] }) {
  return (
    <Section title={title}>
      {items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <Table aria-label={title}>
          <Table.Tbody>
            {items.map(({ text, count, call_ids: calls }) => (
              <Table.Tr key={text}>
                <Table.Td>{text}</Table.Td>
                <Table.Td ta="right">{count.toLocaleString()}</Table.Td>
                <Table.Td>
                  <Group gap={6}>
                    {calls.map((id) => (
                      <Anchor
                        key={id}
                        component={Link}
                        to={`/dashboard/calls/${id}`}
                        size="xs"
                        aria-label={`Call ${id}`}
                      >
                        #{id}
                      </Anchor>
                    ))}
                  </Group>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}

function Section({ title, hint, children }: { title: string; hint?: string; children: React.ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h5" mb={hint ? 0 : 'sm'}>
        {title}
      </Title>
      {hint && (
        <Text size="xs" c="dimmed" mb="sm">
          {hint}
        </Text>
      )}
      {children}
    </Paper>
  )
}
