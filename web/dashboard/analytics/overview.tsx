import { Group, Paper, SimpleGrid, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { zoneOf } from '../../kit/ui/time-zones.ts'
import { type Activity, type ActivityFilters, dayWords, isCompared, share, useActivity } from './activity.ts'
import { Breakdowns } from './breakdowns.tsx'
import { CallsAnchor } from './card.tsx'
import { ChangeMark } from './change-mark.tsx'
import classes from './chart.module.css'
import { DayChart, HourChart, MissedReasons, ServiceChart, WaitChart } from './charts.tsx'
import { type CallsLink, callsLinkOf } from './drill-down.ts'
import { FilterBar } from './filter-bar.tsx'
import { NowStrip } from './now-strip.tsx'

/** Analytics overview; the figures match the exports. */
export function Overview() {
  const filters = useFilters()
  const { user } = useSession()
  const zone = filters.get('zone') ?? zoneOf(user)
  const { data, error, refetch, isPlaceholderData } = useActivity(filters, zone)
  return (
    <Stack gap="lg">
      <NowStrip />
      <FilterBar filters={filters} zone={zone} />
      {error && <ErrorAlert error={error} retry={() => void refetch()} />}
      {data ? (
        <Stack gap="lg" aria-busy={isPlaceholderData} style={{ opacity: isPlaceholderData ? 0.6 : 1 }}>
          <Board activity={data} filters={filters} />
        </Stack>
      ) : (
        !error && <Waiting />
      )}
    </Stack>
  )
}

function Waiting() {
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }}>
      {[0, 1, 2, 3, 4, 5].map((key) => (
        <Skeleton key={key} height={92} />
      ))}
    </SimpleGrid>
  )
}

function Board({ activity, filters }: { activity: Activity; filters: ActivityFilters }) {
  const { totals } = activity
  if (totals.inbound + totals.outbound === 0) {
    return (
      <Paper withBorder>
        <Empty title="No calls in this date range">Select another date range or fewer filters.</Empty>
      </Paper>
    )
  }
  const link = callsLinkOf(activity, filters)
  // Nothing can be compared with a period without calls.
  const props = { activity: wasEmpty(activity) ? { ...activity, previous: null } : activity, link }
  return (
    <>
      <Comparison activity={activity} filters={filters} />
      <Totals activity={activity} link={link} />
      <DayChart {...props} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" verticalSpacing="lg">
        <HourChart {...props} />
        <ServiceChart {...props} />
        <WaitChart {...props} />
        <MissedReasons {...props} />
      </SimpleGrid>
      <Breakdowns {...props} />
    </>
  )
}

const short = { day: 'numeric', month: 'short', year: 'numeric' } as const

/** The period before is compared, and had no calls. */
const wasEmpty = ({ previous }: Activity) =>
  previous !== null && previous.totals.inbound + previous.totals.outbound === 0

function Comparison({ activity, filters }: { activity: Activity; filters: ActivityFilters }) {
  const { previous } = activity
  const dates = previous && [...new Set([previous.from_date, previous.to_date])].map((date) => dayWords(date, short))
  return (
    <Group gap="md">
      <Switch
        label="Compare with the period before"
        checked={isCompared(filters)}
        onChange={(event) => filters.set({ compare: event.currentTarget.checked ? null : 'off' })}
      />
      {isCompared(filters) && (
        <Text size="sm" c="dimmed">
          {dates
            ? `${dates.join(' to ')}${wasEmpty(activity) ? ': no calls to compare with' : ''}`
            : 'No comparison: the period before began more than six months ago.'}
        </Text>
      )}
    </Group>
  )
}

const levelOf = ({ within_sla, outside_sla }: Activity['totals']) =>
  within_sla + outside_sla === 0 ? null : (within_sla / (within_sla + outside_sla)) * 100

interface Tile {
  label: string
  now: number | null
  before: number | null | undefined
  written: (value: number) => string
  more: string
  good?: 'up' | 'down'
  arePercentages?: boolean
  href?: string
}

const plain = (value: number) => value.toLocaleString()

function tilesOf({ activity, link }: TotalsProps): Tile[] {
  const tiles = comparedTiles(activity, link)
  return wasEmpty(activity) ? tiles.map((tile) => ({ ...tile, before: null })) : tiles
}

function comparedTiles({ totals, sla_seconds: sla, previous }: Activity, link: CallsLink): Tile[] {
  const before = previous?.totals
  return [
    {
      label: 'Inbound calls',
      now: totals.inbound,
      before: before?.inbound,
      written: plain,
      more: `${share(totals.inbound_answered, totals.inbound)} answered`,
      href: link({ direction: 'inbound' }),
    },
    {
      label: 'Missed calls',
      now: totals.inbound_missed,
      before: before?.inbound_missed,
      written: plain,
      more: `${share(totals.inbound_missed, totals.inbound)} of inbound`,
      good: 'down',
      href: link({ outcome: 'missed' }),
    },
    {
      label: 'Outbound calls',
      now: totals.outbound,
      before: before?.outbound,
      written: plain,
      more: `${share(totals.outbound_answered, totals.outbound)} connected`,
      href: link({ direction: 'outbound' }),
    },
    {
      label: 'Service level',
      now: levelOf(totals),
      before: before && levelOf(before),
      written: (value) => `${Math.round(value)} %`,
      more: `answered within ${sla} s`,
      good: 'up',
      arePercentages: true,
      href: link({ sla: 'within', sla_seconds: sla }),
    },
    {
      label: 'Avg. wait time',
      now: totals.average_wait,
      before: before?.average_wait,
      written: span,
      more: `Avg. time to abandon ${span(totals.average_patience)}`,
      good: 'down',
    },
    {
      label: 'Talk time',
      now: totals.talk_time,
      before: before?.talk_time,
      written: span,
      more: 'inbound and outbound',
    },
  ]
}

interface TotalsProps {
  activity: Activity
  link: CallsLink
}

const Totals = (props: TotalsProps) => <FigureTiles tiles={tilesOf(props)} />

/** Figures with their change from the period before. */
export function FigureTiles({ tiles }: { tiles: Tile[] }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing="md" component="dl" m={0}>
      {tiles.map(({ label, now, before, written, more, good, arePercentages = false, href }) => (
        <Paper key={label} withBorder p="md">
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} className={classes.figure}>
            <CallsAnchor href={href}>{now === null ? '–' : written(now)}</CallsAnchor>
          </Text>
          <Text component="dd" m={0} size="xs" c="dimmed">
            {more}
          </Text>
          <Text component="dd" m={0} size="xs">
            <ChangeMark {...{ now, before, written, arePercentages }} {...(good && { good })} />
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
