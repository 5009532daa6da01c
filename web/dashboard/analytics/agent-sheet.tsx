import { Anchor, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useParams } from 'react-router'
import { api, type ResponseOf } from '../../kit/api.ts'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { span } from '../../kit/ui/format.ts'
import { Page } from '../../kit/ui/page.tsx'
import { zoneOf } from '../../kit/ui/time-zones.ts'
import { dayWords, periodIn, share } from './activity.ts'
import { BarChart, Legend, type Series } from './bar-chart.tsx'
import { ChartCard } from './card.tsx'
import classes from './chart.module.css'
import { callsLinkOf } from './drill-down.ts'
import { PeriodFields } from './filter-bar.tsx'
import { FigureTiles } from './overview.tsx'

type Sheet = ResponseOf<'/v1/analytics/users/{id}'>

/** The figures of one agent. */
export function AgentSheetPage() {
  const { id = '' } = useParams()
  const filters = useFilters()
  const { user } = useSession()
  const zone = filters.get('zone') ?? zoneOf(user)
  const question = periodIn(filters, zone)
  const { data, error, refetch } = useQuery({
    queryKey: ['agent sheet', id, question],
    queryFn: () => api.get('/v1/analytics/users/{id}', { params: { id }, query: question }),
    enabled: question !== undefined,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
  return (
    <Page title={data?.name ?? 'Agent'} lead="Calls, handling time and availability of this agent.">
      <Group gap="lg">
        <Anchor component={Link} to={`/dashboard/analytics/overview${filters.query && `?${filters.query}`}`} size="sm">
          <Group gap={4}>
            <IconArrowLeft size={16} aria-hidden /> Analytics
          </Group>
        </Anchor>
        {data && (
          <Anchor component={Link} to={callsLinkOf(data)({ user: data.id })} size="sm">
            View calls
          </Anchor>
        )}
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="xs" role="search" aria-label="Agent">
        <PeriodFields filters={filters} zone={zone} />
      </SimpleGrid>
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {data ? <Figures sheet={data} /> : !error && <Skeleton height={240} />}
    </Page>
  )
}

const trend: Series[] = [
  { label: 'Inbound answered', tone: 'answered' },
  { label: 'Missed', tone: 'missed' },
  { label: 'Outbound', tone: 'outbound' },
]

const talk: Series[] = [
  { label: 'Talk time', tone: 'answered' },
  { label: 'Wrap-up time', tone: 'outbound' },
]

const long = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
const minutes = (seconds: number) => Math.round(seconds / 60)

function Figures({ sheet }: { sheet: Sheet }) {
  const { days } = sheet
  const link = callsLinkOf(sheet)
  const barOf = (date: string) => ({
    label: dayWords(date, long),
    short: dayWords(date, { day: 'numeric', month: 'short' }),
    href: link({ user: sheet.id, from: date, to: date }),
  })
  return (
    <Stack gap="lg">
      <FigureTiles tiles={tilesOf(sheet)} />
      <ChartCard
        title="Calls per day"
        hint="Missed: rings that the agent declined or did not answer"
        figures={{
          columns: ['Day', ...trend.map(({ label }) => label)],
          rows: days.map((day) => [dayWords(day.date, long), day.inbound_answered, day.missed, day.outbound]),
          hrefs: days.map(({ date }) => [barOf(date).href]),
        }}
        legend={<Legend series={trend} />}
      >
        <BarChart
          title="Calls per day"
          series={trend}
          bars={days.map((day) => ({ ...barOf(day.date), values: [day.inbound_answered, day.missed, day.outbound] }))}
        />
      </ChartCard>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" verticalSpacing="lg">
        <ChartCard
          title="Handling time per day"
          hint="Minutes"
          figures={{
            columns: ['Day', 'Talk time', 'Wrap-up time', 'Available'],
            rows: days.map((day) => [
              dayWords(day.date, long),
              span(day.talk_time),
              span(day.wrap_up_time),
              span(day.available_time),
            ]),
          }}
          legend={<Legend series={talk} />}
        >
          <BarChart
            title="Handling time per day"
            series={talk}
            bars={days.map((day) => ({
              ...barOf(day.date),
              values: [minutes(day.talk_time), minutes(day.wrap_up_time)],
            }))}
          />
        </ChartCard>
        <Availability sheet={sheet} />
      </SimpleGrid>
    </Stack>
  )
}

function tilesOf(sheet: Sheet) {
  const tiles = comparedTiles(sheet)
  const before = sheet.previous?.totals
  const hadNoCalls = before && before.inbound_answered + before.missed + before.outbound === 0
  return hadNoCalls ? tiles.map((tile) => ({ ...tile, before: null })) : tiles
}

function comparedTiles({ id, totals, previous, ...sheet }: Sheet) {
  const before = previous?.totals
  const link = callsLinkOf(sheet)
  const plain = (value: number) => value.toLocaleString()
  return [
    {
      label: 'Inbound answered',
      now: totals.inbound_answered,
      before: before?.inbound_answered,
      written: plain,
      more: `${totals.transfers_received.toLocaleString()} by transfer`,
      good: 'up' as const,
      href: link({ user: id, direction: 'inbound', outcome: 'answered' }),
    },
    {
      label: 'Missed',
      now: totals.missed,
      before: before?.missed,
      written: plain,
      more: 'rings not answered',
      good: 'down' as const,
    },
    {
      label: 'Outbound',
      now: totals.outbound,
      before: before?.outbound,
      written: plain,
      more: 'calls placed',
      href: link({ user: id, direction: 'outbound' }),
    },
    { label: 'Talk time', now: totals.talk_time, before: before?.talk_time, written: span, more: 'all calls' },
    {
      label: 'Avg. handling time',
      now: totals.average_handling_time,
      before: before?.average_handling_time,
      written: span,
      more: 'talk and wrap-up per call',
    },
    {
      label: 'Wrap-up time',
      now: totals.wrap_up_time,
      before: before?.wrap_up_time,
      written: span,
      more: `Average ${span(totals.average_wrap_up_time)}`,
    },
  ]
}

const statusLabels: Record<keyof Sheet['totals']['statuses'], string> = {
  available: 'Available',
  in_call: 'On a call',
  after_call_work: 'Wrap-up',
  do_not_disturb: 'Unavailable',
  offline: 'Offline',
}

function Availability({ sheet: { totals, previous } }: { sheet: Sheet }) {
  const statuses = Object.entries(statusLabels) as [keyof Sheet['totals']['statuses'], string][]
  const all = statuses.reduce((sum, [key]) => sum + totals.statuses[key], 0)
  const allBefore = previous && statuses.reduce((sum, [key]) => sum + previous.totals.statuses[key], 0)
  const before = (key: keyof Sheet['totals']['statuses']) =>
    previous && allBefore ? ` · period before ${share(previous.totals.statuses[key], allBefore)}` : ''
  return (
    <Paper withBorder p="md" component="section" aria-label="Availability">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Availability
        </Title>
        <ul className={classes.bars}>
          {statuses.map(([key, label]) => (
            <li key={key}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm">{label}</Text>
                <Text size="sm" className={classes.number}>
                  {span(totals.statuses[key])} · {share(totals.statuses[key], all)}
                  <Text span size="xs" c="dimmed">
                    {before(key)}
                  </Text>
                </Text>
              </Group>
              <div className={classes.track}>
                <div
                  className={classes.answered}
                  style={{ width: `${(totals.statuses[key] / Math.max(1, all)) * 100}%` }}
                />
              </div>
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  )
}
