import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { useLocation } from 'react-router'
import { useFilters } from '../../kit/ui/filters.ts'
import { span } from '../../kit/ui/format.ts'
import { Empty } from '../../kit/ui/page.tsx'
import { type Column, DataTable } from '../../kit/ui/table.tsx'
import { type Activity, type Named, share } from './activity.ts'
import { CallsAnchor } from './card.tsx'
import { ChangeMark } from './change-mark.tsx'
import classes from './chart.module.css'
import type { CallsLink } from './drill-down.ts'

const views = [
  { value: 'people', label: 'Agents' },
  { value: 'teams', label: 'Teams' },
  { value: 'numbers', label: 'Numbers' },
]

const titles: Record<string, string> = { people: 'By agent', teams: 'By team', numbers: 'By number' }

interface BreakdownProps {
  activity: Activity
  link: CallsLink
}

/** Calls by agent, team and number. */
export function Breakdowns(props: BreakdownProps) {
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
      <By view={view} {...props} />
    </Stack>
  )
}

interface FigureOptions<T> {
  from?: Column<T>['from']
  /** The calls behind the figure. */
  href?: (row: T) => string
  /** The figure of the period before. */
  before?: (row: T) => number | undefined
  good?: 'up' | 'down'
}

const figure = <T,>(
  label: string,
  of: (row: T) => number | string,
  { from, href, before, good }: FigureOptions<T> = {},
): Column<T> => ({
  label,
  cell: (row) => {
    const value = of(row)
    return (
      <Group gap={6} justify="flex-end" wrap="nowrap" className={classes.number}>
        {typeof value === 'number' && <ChangeMark now={value} before={before?.(row)} {...(good && { good })} />}
        <Text size="sm">
          <CallsAnchor href={href?.(row)}>{typeof value === 'number' ? value.toLocaleString() : value}</CallsAnchor>
        </Text>
      </Group>
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
type PreviousCounts = Pick<Of<'teams'>, 'inbound' | 'inbound_missed' | 'inbound_answered' | 'outbound'>

/** The figure of the same agent, team or Number in the period before; none had no calls then. */
const earlier =
  (rows: ({ id: number } & PreviousCounts)[] | undefined) =>
  (of: (counts: PreviousCounts) => number) =>
  ({ id }: Named): number | undefined => {
    if (!rows) return undefined
    const row = rows.find((one) => one.id === id)
    return row ? of(row) : 0
  }

function peopleColumns({ activity, link }: BreakdownProps): Column<Of<'users'>>[] {
  const before = earlier(activity.previous?.users)
  const calls = (more: object) => (row: Named) => link({ user: row.id, ...more })
  return [
    nameOf('Deleted user'),
    figure('Inbound answered', (row) => row.inbound_answered, {
      href: calls({ direction: 'inbound', outcome: 'answered' }),
      before: before((of) => of.inbound_answered),
    }),
    figure('Outbound', (row) => row.outbound, {
      href: calls({ direction: 'outbound' }),
      before: before((of) => of.outbound),
    }),
    figure('Outbound connected', (row) => row.outbound_answered, {
      from: 'sm',
      href: calls({ direction: 'outbound', outcome: 'answered' }),
    }),
    figure('Talk time', (row) => span(row.talk_time)),
  ]
}

function teamColumns({ activity, link }: BreakdownProps): Column<Of<'teams'>>[] {
  const before = earlier(activity.previous?.teams)
  return [
    nameOf('Deleted team'),
    figure('Inbound', (row) => row.inbound, { before: before((of) => of.inbound) }),
    figure('Missed', (row) => row.inbound_missed, {
      href: (row) => link({ team: row.id, outcome: 'missed' }),
      before: before((of) => of.inbound_missed),
      good: 'down',
    }),
    figure('Answered', answeredShare),
    figure('Avg. wait time', (row) => span(row.average_wait), { from: 'xs' }),
  ]
}

function numberColumns({ activity, link }: BreakdownProps): Column<Of<'numbers'>>[] {
  const before = earlier(activity.previous?.numbers)
  const calls = (more: object) => (row: Named) => link({ number: row.id, ...more })
  return [
    nameOf('Deleted number'),
    figure('Inbound', (row) => row.inbound, {
      href: calls({ direction: 'inbound' }),
      before: before((of) => of.inbound),
    }),
    figure('Missed', (row) => row.inbound_missed, {
      href: calls({ outcome: 'missed' }),
      before: before((of) => of.inbound_missed),
      good: 'down',
    }),
    figure('Answered', answeredShare, { from: 'xs' }),
    figure('Outbound', (row) => row.outbound, {
      href: calls({ direction: 'outbound' }),
      before: before((of) => of.outbound),
    }),
    figure('Avg. wait time', (row) => span(row.average_wait), { from: 'sm' }),
    figure('Talk time', (row) => span(row.talk_time), { from: 'sm' }),
  ]
}

function By({ view, ...props }: { view: string } & BreakdownProps) {
  const { activity, link } = props
  const { search } = useLocation()
  const common = { keyOf: ({ id }: Named) => id }
  if (view === 'teams') {
    return (
      <DataTable
        {...common}
        label="Calls by team"
        columns={teamColumns(props)}
        rows={activity.teams}
        hrefOf={({ id }) => link({ team: id })}
        empty={<Empty title="No calls to teams" />}
      />
    )
  }
  if (view === 'numbers') {
    return (
      <DataTable
        {...common}
        label="Calls by number"
        columns={numberColumns(props)}
        rows={activity.numbers}
        hrefOf={({ id }) => link({ number: id })}
        empty={<Empty title="No calls to numbers" />}
      />
    )
  }
  return (
    <DataTable
      {...common}
      label="Calls by agent"
      columns={peopleColumns(props)}
      rows={activity.users}
      hrefOf={({ id, name }) =>
        name === null ? link({ user: id }) : `/dashboard/analytics/agents/${id}${periodOf(search)}`
      }
      empty={<Empty title="No calls by agents" />}
    />
  )
}

/** The part of the query that is the date range. */
function periodOf(search: string): string {
  const given = new URLSearchParams(search)
  const kept = ['range', 'from', 'to', 'zone'].flatMap((name) => given.getAll(name).map((value) => [name, value]))
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`
}
