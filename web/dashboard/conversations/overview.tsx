import { Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, type ResponseOf } from '../../kit/api.ts'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { dayWords, share } from '../analytics/activity.ts'
import { BarChart, Legend, type Series } from '../analytics/bar-chart.tsx'
import { ChartCard } from '../analytics/card.tsx'
import classes from '../analytics/chart.module.css'
import { callsLinkOf } from '../analytics/drill-down.ts'
import { AcrossFilters, useAcross } from './filters.tsx'

type Figures = ResponseOf<'/v1/intelligence/overview'>

/** Topics, sentiment and talk ratio of all transcribed calls of a period. */
export function ConversationOverview() {
  const { filters, zone, asked } = useAcross()
  const { data, error, refetch } = useQuery({
    queryKey: ['conversations', asked],
    queryFn: () => api.get('/v1/intelligence/overview', { query: asked }),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
  return (
    <Stack gap="lg">
      <AcrossFilters filters={filters} zone={zone} />
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {data ? <Board figures={data} /> : !error && <Skeleton height={240} />}
    </Stack>
  )
}

function Board({ figures }: { figures: Figures }) {
  if (figures.calls === 0) {
    return (
      <Paper withBorder>
        <Empty title="No transcripts in this date range">
          Recorded calls are transcribed where conversation intelligence is enabled.
        </Empty>
      </Paper>
    )
  }
  const { positive, neutral, negative } = figures.sentiment
  const judged = positive + neutral + negative
  const tiles = [
    { label: 'Transcripts', value: figures.calls.toLocaleString(), more: 'calls and voicemails' },
    { label: 'Positive', value: share(positive, judged), more: `${share(negative, judged)} negative` },
    {
      label: 'Talk ratio',
      value: figures.talk_ratio === null ? '–' : `${figures.talk_ratio} %`,
      more: 'share of the talking done by agents',
    },
    { label: 'Open action items', value: figures.open_action_items.toLocaleString(), more: 'of these calls' },
  ]
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md" component="dl" m={0}>
        {tiles.map(({ label, value, more }) => (
          <Paper key={label} withBorder p="md">
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" m={0} className={classes.figure}>
              {value}
            </Text>
            <Text component="dd" m={0} size="xs" c="dimmed">
              {more}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
      <SentimentChart figures={figures} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" verticalSpacing="lg">
        <TopicBars figures={figures} />
        <Stack gap="sm" component="section" aria-label="By agent">
          <Title order={2} size="h5">
            By agent
          </Title>
          <DataTable
            label="Conversations by agent"
            columns={agentColumns}
            rows={figures.users}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => callsLinkOf(figures)({ user: id })}
            empty={<Empty title="No conversations of agents" />}
          />
        </Stack>
      </SimpleGrid>
    </>
  )
}

const moods: Series[] = [
  { label: 'Positive', tone: 'answered' },
  { label: 'Neutral', tone: 'outbound' },
  { label: 'Negative', tone: 'missed' },
]

const long = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const

function SentimentChart({ figures: { days, timezone, ...of } }: { figures: Figures }) {
  const title = 'Sentiment per day'
  const link = callsLinkOf({ timezone, ...of })
  return (
    <ChartCard
      title={title}
      hint="Sentiment of the external party"
      figures={{
        columns: ['Day', ...moods.map(({ label }) => label)],
        rows: days.map(({ date, positive, neutral, negative }) => [dayWords(date, long), positive, neutral, negative]),
      }}
      legend={<Legend series={moods} />}
    >
      <BarChart
        title={title}
        series={moods}
        bars={days.map(({ date, positive, neutral, negative }) => ({
          label: dayWords(date, long),
          short: dayWords(date, { day: 'numeric', month: 'short' }),
          values: [positive, neutral, negative],
          href: link({ from: date, to: date }),
        }))}
      />
    </ChartCard>
  )
}

function TopicBars({ figures: { topics, calls } }: { figures: Figures }) {
  const most = Math.max(1, ...topics.map((topic) => topic.calls))
  return (
    <Paper withBorder p="md" component="section" aria-label="Topics">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Topics
        </Title>
        {topics.length === 0 && (
          <Text size="sm" c="dimmed">
            No topics found. Topics are defined under Topics.
          </Text>
        )}
        <ul className={classes.bars}>
          {topics.slice(0, 12).map((topic) => (
            <li key={topic.name}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm">{topic.name}</Text>
                <Text size="sm" className={classes.number}>
                  {topic.calls.toLocaleString()} · {share(topic.calls, calls)}
                </Text>
              </Group>
              <div className={classes.track}>
                <div className={classes.outbound} style={{ width: `${(topic.calls / most) * 100}%` }} />
              </div>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  )
}

const agentColumns: Column<Figures['users'][number]>[] = [
  { label: 'Name', cell: ({ name }) => <Text size="sm">{name ?? 'Deleted user'}</Text> },
  { label: 'Calls', align: 'right', cell: ({ calls }) => <Text size="sm">{calls.toLocaleString()}</Text> },
  {
    label: 'Talk ratio',
    align: 'right',
    cell: ({ talk_ratio: ratio }) => <Text size="sm">{ratio === null ? '–' : `${ratio} %`}</Text>,
  },
  {
    label: 'Positive',
    align: 'right',
    from: 'xs',
    cell: ({ positive, neutral, negative }) => <Text size="sm">{share(positive, positive + neutral + negative)}</Text>,
  },
]
