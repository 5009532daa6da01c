import { type Cell, csvLine } from '../../../domain/analytics/csv.ts'
import type { ReportFigures } from './figures.ts'

type Group = Pick<
  ReportFigures['totals'],
  'inbound' | 'inbound_answered' | 'inbound_missed' | 'outbound' | 'outbound_answered'
>

const header = [
  'Section',
  'Name',
  'Inbound',
  'Inbound answered',
  'Inbound missed',
  'Outbound',
  'Outbound connected',
  'Average wait (s)',
  'Talk time (s)',
]

/** All figures of the report: the total, then by day, number, team and agent. */
export function reportCsv({ totals, previous, days, numbers, teams, users }: ReportFigures): string {
  const line = (section: string, name: string, of: Group, wait: Cell, talk: Cell) =>
    csvLine([
      section,
      name,
      of.inbound,
      of.inbound_answered,
      of.inbound_missed,
      of.outbound,
      of.outbound_answered,
      wait,
      talk,
    ])
  const named = ({ id, name }: { id: number; name: string | null }) => name ?? `Deleted (${id})`
  const before = previous?.totals
  return [
    csvLine(header),
    line('Total', '', totals, totals.average_wait, totals.talk_time),
    ...(before ? [line('Period before', '', before, before.average_wait, before.talk_time)] : []),
    ...days.map((day) => line('Day', day.date, day, null, null)),
    ...numbers.map((number) => line('Number', named(number), number, number.average_wait, number.talk_time)),
    ...teams.map((team) => line('Team', named(team), team, team.average_wait, null)),
    ...users.map((user) => line('Agent', named(user), user, null, user.talk_time)),
  ].join('')
}
