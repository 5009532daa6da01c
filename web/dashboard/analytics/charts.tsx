import { Group, Text } from '@mantine/core'
import { differenceOf } from '../../../src/domain/analytics/change.ts'
import { count } from '../../kit/ui/format.ts'
import { type Activity, type Counts, dayWords, reasonWords, share } from './activity.ts'
import { BarChart, Legend, type Series } from './bar-chart.tsx'
import { CallsAnchor, ChartCard, type Figures } from './card.tsx'
import { ChangeMark } from './change-mark.tsx'
import classes from './chart.module.css'
import { type CallsLink, flowsOf } from './drill-down.ts'

interface ChartProps {
  activity: Activity
  link: CallsLink
}

const flows: Series[] = [
  { label: 'Inbound answered', tone: 'answered' },
  { label: 'Inbound missed', tone: 'missed' },
  { label: 'Outbound', tone: 'outbound' },
]
const valuesOf = ({ inbound_answered, inbound_missed, outbound }: Counts) => [
  inbound_answered,
  inbound_missed,
  outbound,
]
const sumOf = (counts: Counts | undefined) => (counts ? valuesOf(counts).reduce((all, n) => all + n, 0) : 0)

interface FlowRow {
  label: string
  of: Counts
  /** Undefined unless the page compares. */
  before: number | undefined
  /** The calls of the row, and of each of its series. */
  hrefs: string[]
}

const comparison = ['Period before', 'Change']

function flowFigures(first: string, rows: FlowRow[], isCompared: boolean): Figures {
  return {
    columns: [first, ...flows.map(({ label }) => label), ...(isCompared ? comparison : [])],
    rows: rows.map(({ label, of, before = 0 }) => [
      label,
      ...valuesOf(of),
      ...(isCompared ? [before, differenceOf(sumOf(of), before).words] : []),
    ]),
    hrefs: rows.map(({ hrefs }) => hrefs),
  }
}

const barOf = ({ label, of, before, hrefs: [href = '', ...hrefs] }: FlowRow, short: string) => ({
  label,
  short,
  values: valuesOf(of),
  before,
  href,
  hrefs,
})

const long = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const

export function DayChart({ activity: { days, timezone, previous }, link }: ChartProps) {
  const title = 'Calls per day'
  const rows = days.map((of, i) => {
    const only = { from: of.date, to: of.date }
    return {
      label: dayWords(of.date, long),
      of,
      before: previous ? sumOf(previous.days[i]) : undefined,
      hrefs: [link(only), ...flowsOf(link, only)],
    }
  })
  return (
    <ChartCard
      title={title}
      hint={`Time zone: ${timezone.replaceAll('_', ' ')}`}
      figures={flowFigures('Day', rows, previous !== null)}
      legend={<Legend series={flows} isCompared={previous !== null} />}
    >
      <BarChart
        title={title}
        series={flows}
        bars={rows.map((row, i) => barOf(row, dayWords(days[i]?.date ?? '', { day: 'numeric', month: 'short' })))}
      />
    </ChartCard>
  )
}

export function HourChart({ activity: { hours, timezone, previous }, link }: ChartProps) {
  const title = 'Calls by hour of the day'
  const rows = hours.map((of, i) => ({
    label: `${of.hour}:00 to ${of.hour + 1}:00`,
    of,
    before: previous ? sumOf(previous.hours[i]) : undefined,
    hrefs: [link({ hour: of.hour }), ...flowsOf(link, { hour: of.hour })],
  }))
  return (
    <ChartCard
      title={title}
      hint={`All days combined, time zone: ${timezone.replaceAll('_', ' ')}`}
      figures={flowFigures('Hour', rows, previous !== null)}
      legend={<Legend series={flows} isCompared={previous !== null} />}
    >
      <BarChart title={title} series={flows} bars={rows.map((row) => barOf(row, String(row.of.hour)))} />
    </ChartCard>
  )
}

const levelOf = (day: { within_sla: number; outside_sla: number } | undefined) =>
  day && day.within_sla + day.outside_sla > 0 ? (day.within_sla / (day.within_sla + day.outside_sla)) * 100 : undefined

export function ServiceChart({ activity: { days, sla_seconds: sla, previous }, link }: ChartProps) {
  const title = 'Service level'
  const series: Series[] = [{ label: `Answered within ${sla} s`, tone: 'answered' }]
  const only = (date: string, more: object = {}) => link({ from: date, to: date, sla_seconds: sla, ...more })
  return (
    <ChartCard
      title={title}
      hint={`Share of inbound calls answered within ${sla} seconds, by day`}
      figures={{
        columns: ['Day', 'Within SLA', 'Outside SLA', 'Service level', ...(previous ? ['Period before'] : [])],
        rows: days.map(({ date, within_sla, outside_sla }, i) => {
          const before = previous?.days[i]
          return [
            dayWords(date, long),
            within_sla,
            outside_sla,
            share(within_sla, within_sla + outside_sla),
            ...(previous ? [before ? share(before.within_sla, before.within_sla + before.outside_sla) : '–'] : []),
          ]
        }),
        hrefs: days.map(({ date }) => [undefined, only(date, { sla: 'within' }), only(date, { sla: 'outside' })]),
      }}
      legend={previous && <Legend series={series} isCompared />}
    >
      <BarChart
        title={title}
        series={series}
        max={100}
        written={(value) => `${Math.round(value)} %`}
        bars={days.map((day, i) => ({
          label: dayWords(day.date, long),
          short: dayWords(day.date, { day: 'numeric', month: 'short' }),
          values: [levelOf(day) ?? 0],
          before: levelOf(previous?.days[i]),
          href: only(day.date, { sla: 'outside' }),
          hrefs: [only(day.date, { sla: 'within' })],
        }))}
      />
    </ChartCard>
  )
}

const waitSeries: Series[] = [
  { label: 'Answered', tone: 'answered' },
  { label: 'Missed', tone: 'missed' },
]

export function WaitChart({ activity: { waits, previous }, link }: ChartProps) {
  const title = 'Wait time'
  const bars = waits.map(({ up_to: to, answered, missed }, i) => {
    const from = waits[i - 1]?.up_to ?? 0
    const label = to === null ? `more than ${from} s` : `${i === 0 ? 0 : from + 1} to ${to} s`
    const before = previous?.waits[i]
    const only = { wait: to ?? 0 }
    return {
      label,
      short: to === null ? `> ${from} s` : `≤ ${to} s`,
      values: [answered, missed],
      before: previous ? (before?.answered ?? 0) + (before?.missed ?? 0) : undefined,
      href: link(only),
      hrefs: [link({ ...only, outcome: 'answered' }), link({ ...only, outcome: 'missed' })],
    }
  })
  return (
    <ChartCard
      title={title}
      hint="Time until an inbound call was answered or abandoned"
      figures={{
        columns: ['Wait time', ...waitSeries.map(({ label }) => label), ...(previous ? comparison : [])],
        rows: bars.map(({ label, values, before = 0 }) => [
          label,
          ...values,
          ...(previous ? [before, differenceOf((values[0] ?? 0) + (values[1] ?? 0), before).words] : []),
        ]),
        hrefs: bars.map(({ href, hrefs }) => [href, ...hrefs]),
      }}
      legend={<Legend series={waitSeries} isCompared={previous !== null} />}
    >
      <BarChart title={title} series={waitSeries} bars={bars} />
    </ChartCard>
  )
}

export function MissedReasons({ activity: { missed_reasons: reasons, previous }, link }: ChartProps) {
  const all = reasons.reduce((sum, { calls }) => sum + calls, 0)
  const maxCalls = Math.max(1, ...reasons.map(({ calls }) => calls))
  const before = (reason: string) =>
    previous ? (previous.missed_reasons.find((one) => one.reason === reason)?.calls ?? 0) : undefined
  return (
    <ChartCard
      title="Missed calls by reason"
      hint={count(all, 'missed call')}
      figures={{
        columns: ['Reason', 'Calls', 'Share', ...(previous ? comparison : [])],
        rows: reasons.map(({ reason, calls }) => [
          reasonWords(reason),
          calls,
          share(calls, all),
          ...(previous ? [before(reason) ?? 0, differenceOf(calls, before(reason) ?? 0).words] : []),
        ]),
        hrefs: reasons.map(({ reason }) => [link({ reason })]),
      }}
    >
      {all === 0 ? (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          No missed calls.
        </Text>
      ) : (
        <ul className={classes.bars}>
          {reasons.map(({ reason, calls }) => (
            <li key={reason}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm">
                  <CallsAnchor href={link({ reason })}>{reasonWords(reason)}</CallsAnchor>
                </Text>
                <Text size="sm" className={classes.number}>
                  {calls.toLocaleString()} · {share(calls, all)}{' '}
                  <ChangeMark now={calls} before={before(reason)} good="down" />
                </Text>
              </Group>
              <div className={classes.track}>
                <div className={classes.missed} style={{ width: `${(calls / maxCalls) * 100}%` }} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </ChartCard>
  )
}
