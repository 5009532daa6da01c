import { Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useSession } from '../../kit/session.tsx'
import { ErrorAlert } from '../../kit/ui/error-alert.tsx'
import { useFilters } from '../../kit/ui/filters.ts'
import { span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { zoneOf } from '../../kit/ui/time-zones.ts'
import { type Activity, share, useActivity } from './activity.ts'
import { Breakdowns } from './breakdowns.tsx'
import classes from './chart.module.css'
import { DayChart, HourChart, MissedReasons, ServiceChart, WaitChart } from './charts.tsx'
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
          <Board activity={data} />
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

function Board({ activity }: { activity: Activity }) {
  const { totals } = activity
  if (totals.inbound + totals.outbound === 0) {
    return (
      <Paper withBorder>
        <Empty title="No calls in this date range">Select another date range or fewer filters.</Empty>
      </Paper>
    )
  }
  return (
    <>
      <Totals activity={activity} />
      <DayChart activity={activity} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" verticalSpacing="lg">
        <HourChart activity={activity} />
        <ServiceChart activity={activity} />
        <WaitChart activity={activity} />
        <MissedReasons activity={activity} />
      </SimpleGrid>
      <Breakdowns activity={activity} />
    </>
  )
}

function Totals({ activity: { totals, sla_seconds: sla } }: { activity: Activity }) {
  const judged = totals.within_sla + totals.outside_sla
  const tiles = [
    {
      label: 'Inbound calls',
      value: totals.inbound,
      more: `${share(totals.inbound_answered, totals.inbound)} answered`,
    },
    {
      label: 'Missed calls',
      value: totals.inbound_missed,
      more: `${share(totals.inbound_missed, totals.inbound)} of inbound`,
    },
    {
      label: 'Outbound calls',
      value: totals.outbound,
      more: `${share(totals.outbound_answered, totals.outbound)} connected`,
    },
    { label: 'Service level', value: share(totals.within_sla, judged), more: `answered within ${sla} s` },
    {
      label: 'Avg. wait time',
      value: span(totals.average_wait),
      more: `Avg. time to abandon ${span(totals.average_patience)}`,
    },
    { label: 'Talk time', value: span(totals.talk_time), more: 'inbound and outbound' },
  ]
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing="md" component="dl" m={0}>
      {tiles.map(({ label, value, more }) => (
        <Paper key={label} withBorder p="md">
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} className={classes.figure}>
            {typeof value === 'number' ? value.toLocaleString() : value}
          </Text>
          <Text component="dd" m={0} size="xs" c="dimmed">
            {more}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  )
}
