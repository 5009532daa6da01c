import { Group, Text } from '@mantine/core'
import { count } from '../../kit/ui/format.ts'
import { type Activity, type Counts, dayWords, reasonWords, share } from './activity.ts'
import { BarChart, Legend, type Series } from './bar-chart.tsx'
import { ChartCard, type Figures } from './card.tsx'
import classes from './chart.module.css'

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
const flowFigures = (first: string, rows: { label: string; of: Counts }[]): Figures => ({
  columns: [first, ...flows.map(({ label }) => label)],
  rows: rows.map(({ label, of }) => [label, ...valuesOf(of)]),
})

const long = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const

export function DayChart({ activity: { days, timezone } }: { activity: Activity }) {
  const title = 'Calls per day'
  const rows = days.map((of) => ({ label: dayWords(of.date, long), of }))
  return (
    <ChartCard
      title={title}
      hint={`Time zone: ${timezone.replaceAll('_', ' ')}`}
      figures={flowFigures('Day', rows)}
      legend={<Legend series={flows} />}
    >
      <BarChart
        title={title}
        series={flows}
        bars={rows.map(({ label, of }) => ({
          label,
          short: dayWords(of.date, { day: 'numeric', month: 'short' }),
          values: valuesOf(of),
        }))}
      />
    </ChartCard>
  )
}

export function HourChart({ activity: { hours, timezone } }: { activity: Activity }) {
  const title = 'Calls by hour of the day'
  const rows = hours.map((of) => ({ label: `${of.hour}:00 to ${of.hour + 1}:00`, of }))
  return (
    <ChartCard
      title={title}
      hint={`All days combined, time zone: ${timezone.replaceAll('_', ' ')}`}
      figures={flowFigures('Hour', rows)}
      legend={<Legend series={flows} />}
    >
      <BarChart
        title={title}
        series={flows}
        bars={rows.map(({ label, of }) => ({ label, short: String(of.hour), values: valuesOf(of) }))}
      />
    </ChartCard>
  )
}

export function ServiceChart({ activity: { days, sla_seconds: sla } }: { activity: Activity }) {
  const title = 'Service level'
  const series: Series[] = [{ label: `Answered within ${sla} s`, tone: 'answered' }]
  return (
    <ChartCard
      title={title}
      hint={`Share of inbound calls answered within ${sla} seconds, by day`}
      figures={{
        columns: ['Day', 'Within SLA', 'Outside SLA', 'Service level'],
        rows: days.map(({ date, within_sla, outside_sla }) => [
          dayWords(date, long),
          within_sla,
          outside_sla,
          share(within_sla, within_sla + outside_sla),
        ]),
      }}
    >
      <BarChart
        title={title}
        series={series}
        max={100}
        written={(value) => `${Math.round(value)} %`}
        bars={days.map(({ date, within_sla, outside_sla }) => ({
          label: dayWords(date, long),
          short: dayWords(date, { day: 'numeric', month: 'short' }),
          values: [within_sla + outside_sla === 0 ? 0 : (within_sla / (within_sla + outside_sla)) * 100],
        }))}
      />
    </ChartCard>
  )
}

const waitSeries: Series[] = [
  { label: 'Answered', tone: 'answered' },
  { label: 'Missed', tone: 'missed' },
]

export function WaitChart({ activity: { waits } }: { activity: Activity }) {
  const title = 'Wait time'
  const bars = waits.map(({ up_to: to, answered, missed }, i) => {
    const from = waits[i - 1]?.up_to ?? 0
    const label = to === null ? `more than ${from} s` : `${i === 0 ? 0 : from + 1} to ${to} s`
    return { label, short: to === null ? `> ${from} s` : `≤ ${to} s`, values: [answered, missed] }
  })
  return (
    <ChartCard
      title={title}
      hint="Time until an inbound call was answered or abandoned"
      figures={{
        columns: ['Wait time', ...waitSeries.map(({ label }) => label)],
        rows: bars.map(({ label, values }) => [label, ...values]),
      }}
      legend={<Legend series={waitSeries} />}
    >
      <BarChart title={title} series={waitSeries} bars={bars} />
    </ChartCard>
  )
}

export function MissedReasons({ activity: { missed_reasons: reasons } }: { activity: Activity }) {
  const all = reasons.reduce((sum, { calls }) => sum + calls, 0)
  const maxCalls = Math.max(1, ...reasons.map(({ calls }) => calls))
  return (
    <ChartCard
      title="Missed calls by reason"
      hint={count(all, 'missed call')}
      figures={{
        columns: ['Reason', 'Calls', 'Share'],
        rows: reasons.map(({ reason, calls }) => [reasonWords(reason), calls, share(calls, all)]),
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
                <Text size="sm">{reasonWords(reason)}</Text>
                <Text size="sm" className={classes.number}>
                  {calls.toLocaleString()} · {share(calls, all)}
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
