import { SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useFilters } from '../../kit/ui/filters.ts'
import { span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { type Activity, type Named, share } from './activity.ts'
import classes from './chart.module.css'

const views = [
  { value: 'people', label: 'People' },
  { value: 'teams', label: 'Teams' },
  { value: 'numbers', label: 'Numbers' },
]

/** The same calls, by who took them and where they came in. */
export function Breakdowns({ activity }: { activity: Activity }) {
  const filters = useFilters()
  const view = filters.get('by') ?? 'people'
  return (
    <Stack gap="sm" component="section" aria-label="By person, team and number">
      <Title order={2} size="h5">
        Who took them
      </Title>
      <SegmentedControl
        aria-label="By"
        data={views}
        value={view}
        onChange={(by) => filters.setOnly({ by: by === 'people' ? null : by })}
        style={{ alignSelf: 'flex-start' }}
      />
      <By view={view} activity={activity} />
    </Stack>
  )
}

const figure = <T,>(label: string, of: (row: T) => number | string, from?: Column<T>['from']): Column<T> => ({
  label,
  cell: (row) => {
    const value = of(row)
    return (
      <Text size="sm" className={classes.number}>
        {typeof value === 'number' ? value.toLocaleString() : value}
      </Text>
    )
  },
  align: 'right',
  ...(from && { from }),
})

const nameOf = <T extends Named>(gone: string): Column<T> => ({
  label: 'Name',
  cell: ({ name }) => <Text size="sm">{name ?? gone}</Text>,
})

const answeredShare = (row: Named) => share(row.inbound_answered, row.inbound)

type Of<K extends 'users' | 'teams' | 'numbers'> = Activity[K][number]

const people: Column<Of<'users'>>[] = [
  nameOf('Somebody who left'),
  figure('Taken', (row) => row.inbound_answered),
  figure('Made', (row) => row.outbound),
  figure('Made, answered', (row) => row.outbound_answered, 'sm'),
  figure('Talk time', (row) => span(row.talk_time)),
]

const teams: Column<Of<'teams'>>[] = [
  nameOf('A team that is gone'),
  figure('Inbound', (row) => row.inbound),
  figure('Missed', (row) => row.inbound_missed),
  figure('Answered', answeredShare),
  figure('Average wait', (row) => span(row.average_wait), 'xs'),
]

const numbers: Column<Of<'numbers'>>[] = [
  nameOf('A Number that is gone'),
  figure('Inbound', (row) => row.inbound),
  figure('Missed', (row) => row.inbound_missed),
  figure('Answered', answeredShare, 'xs'),
  figure('Outbound', (row) => row.outbound),
  figure('Average wait', (row) => span(row.average_wait), 'sm'),
  figure('Talk time', (row) => span(row.talk_time), 'sm'),
]

function By({ view, activity }: { view: string; activity: Activity }) {
  const common = { keyOf: ({ id }: Named) => id }
  if (view === 'teams') {
    const empty = <Empty title="No call was sent to a team" />
    return <DataTable {...common} label="Calls by team" columns={teams} rows={activity.teams} empty={empty} />
  }
  if (view === 'numbers') {
    const empty = <Empty title="No Number had a call" />
    return <DataTable {...common} label="Calls by Number" columns={numbers} rows={activity.numbers} empty={empty} />
  }
  return (
    <DataTable
      {...common}
      label="Calls by person"
      columns={people}
      rows={activity.users}
      hrefOf={({ id }) => `/dashboard/calls?user=${id}`}
      empty={<Empty title="Nobody took or made a call" />}
    />
  )
}
