import { SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useFilters } from '../../kit/ui/filters.ts'
import { span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { type Activity, type Named, share } from './activity.ts'
import classes from './chart.module.css'

const views = [
  { value: 'people', label: 'Agents' },
  { value: 'teams', label: 'Teams' },
  { value: 'numbers', label: 'Numbers' },
]

const titles: Record<string, string> = { people: 'By agent', teams: 'By team', numbers: 'By number' }

/** Calls by agent, team and number. */
export function Breakdowns({ activity }: { activity: Activity }) {
  const filters = useFilters()
  const view = filters.get('by') ?? 'people'
  return (
    <Stack gap="sm" component="section" aria-label="By agent, team and number">
      <Title order={2} size="h5">
        {titles[view] ?? titles.people}
      </Title>
      <SegmentedControl
        aria-label="Group by"
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
  nameOf('Deleted user'),
  figure('Inbound answered', (row) => row.inbound_answered),
  figure('Outbound', (row) => row.outbound),
  figure('Outbound connected', (row) => row.outbound_answered, 'sm'),
  figure('Talk time', (row) => span(row.talk_time)),
]

const teams: Column<Of<'teams'>>[] = [
  nameOf('Deleted team'),
  figure('Inbound', (row) => row.inbound),
  figure('Missed', (row) => row.inbound_missed),
  figure('Answered', answeredShare),
  figure('Avg. wait time', (row) => span(row.average_wait), 'xs'),
]

const numbers: Column<Of<'numbers'>>[] = [
  nameOf('Deleted number'),
  figure('Inbound', (row) => row.inbound),
  figure('Missed', (row) => row.inbound_missed),
  figure('Answered', answeredShare, 'xs'),
  figure('Outbound', (row) => row.outbound),
  figure('Avg. wait time', (row) => span(row.average_wait), 'sm'),
  figure('Talk time', (row) => span(row.talk_time), 'sm'),
]

function By({ view, activity }: { view: string; activity: Activity }) {
  const common = { keyOf: ({ id }: Named) => id }
  if (view === 'teams') {
    const empty = <Empty title="No calls to teams" />
    return <DataTable {...common} label="Calls by team" columns={teams} rows={activity.teams} empty={empty} />
  }
  if (view === 'numbers') {
    const empty = <Empty title="No calls to numbers" />
    return <DataTable {...common} label="Calls by number" columns={numbers} rows={activity.numbers} empty={empty} />
  }
  return (
    <DataTable
      {...common}
      label="Calls by agent"
      columns={people}
      rows={activity.users}
      hrefOf={({ id }) => `/dashboard/calls?user=${id}`}
      empty={<Empty title="No calls by agents" />}
    />
  )
}
