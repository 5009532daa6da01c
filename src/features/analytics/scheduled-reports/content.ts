import { differenceOf } from '../../../domain/analytics/change.ts'
import { missedReasonLabels } from '../../../domain/call/record.ts'
import type { ReportFigures } from './figures.ts'
import type { ScheduledReportSettings } from './settings.ts'

// What a scheduled report shows, for its HTML and its plain text alike.

export interface Figure {
  label: string
  value: string
  note: string
  /** From the period before; undefined without one. */
  change: { words: string; tone: 'better' | 'worse' | 'even' } | undefined
}

export interface FigureTable {
  title: string
  columns: string[]
  rows: { name: string; cells: string[] }[]
  /** Rows that are on the Analytics page only. */
  more: number
}

export interface ReportContent {
  name: string
  company: string
  /** `9 to 15 November 2026` */
  dates: string
  timeZone: string
  filters: string[]
  comparedWith: string | undefined
  isEmpty: boolean
  figures: Figure[]
  missed: { reason: string; calls: string }[]
  tables: FigureTable[]
  /** The Analytics page, with the same filters and period. */
  url: string
  missedUrl: string
  hasAttachment: boolean
}

const shownRows = 10

export function reportContent(options: {
  name: string
  company: string
  settings: ScheduledReportSettings
  filters: string[]
  figures: ReportFigures
  dashboard: string
}): ReportContent {
  const { name, company, settings, filters, figures, dashboard } = options
  const { totals, missed_reasons, from_date, to_date } = figures
  // Nothing can be compared with a period without calls.
  const previous = figures.previous && callsIn(figures.previous.totals) > 0 ? figures.previous : null
  return {
    name,
    company,
    dates: dateWords(from_date, to_date),
    timeZone: settings.time_zone,
    filters,
    comparedWith: figures.previous ? comparedDates(figures.previous) : undefined,
    isEmpty: callsIn(totals) === 0,
    figures: keyFigures({ ...figures, previous }),
    missed: missed_reasons.map(({ reason, calls }) => ({ reason: missedReasonLabels[reason], calls: plain(calls) })),
    tables: [
      tableOf('By number', numberColumns, figures.numbers, previous?.numbers),
      tableOf('By agent', agentColumns, figures.users, previous?.users),
    ].filter(({ rows }) => rows.length > 0),
    url: `${dashboard}/dashboard/analytics/overview?${pageQuery(settings, figures)}`,
    missedUrl: `${dashboard}/dashboard/calls?${callsQuery(settings, figures)}`,
    hasAttachment: settings.attach_csv,
  }
}

const callsIn = ({ inbound, outbound }: ReportFigures['totals']) => inbound + outbound

const comparedDates = ({ from_date, to_date, totals }: NonNullable<ReportFigures['previous']>) =>
  `${dateWords(from_date, to_date)}${callsIn(totals) === 0 ? ', which had no calls' : ''}`

const plain = (value: number) => value.toLocaleString('en')

function keyFigures({ totals, previous, sla_seconds: sla }: ReportFigures): Figure[] {
  const before = previous?.totals
  const share = (part: number, whole: number) => (whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`)
  return [
    figure('Inbound calls', totals.inbound, before?.inbound, plain, {
      note: `${share(totals.inbound_answered, totals.inbound)} answered`,
    }),
    figure('Missed calls', totals.inbound_missed, before?.inbound_missed, plain, {
      note: `${share(totals.inbound_missed, totals.inbound)} of inbound`,
      good: 'down',
    }),
    figure('Outbound calls', totals.outbound, before?.outbound, plain, {
      note: `${share(totals.outbound_answered, totals.outbound)} connected`,
    }),
    figure('Service level', levelOf(totals), before && levelOf(before), (value) => `${Math.round(value)} %`, {
      note: `answered within ${sla} s`,
      good: 'up',
      arePercentages: true,
    }),
    figure('Avg. wait time', totals.average_wait, before?.average_wait, spanWords, {
      note: `Avg. time to abandon ${spanWords(totals.average_patience)}`,
      good: 'down',
    }),
    figure('Talk time', totals.talk_time, before?.talk_time, spanWords, { note: 'inbound and outbound' }),
  ]
}

const levelOf = ({ within_sla, outside_sla }: ReportFigures['totals']) =>
  within_sla + outside_sla === 0 ? null : (within_sla / (within_sla + outside_sla)) * 100

function figure(
  label: string,
  now: number | null,
  before: number | null | undefined,
  written: (value: number) => string,
  { note, good, arePercentages = false }: { note: string; good?: 'up' | 'down'; arePercentages?: boolean },
): Figure {
  const value = now === null ? '–' : written(now)
  if (now === null || before === null || before === undefined) return { label, value, note, change: undefined }
  const { way, words } = differenceOf(now, before, arePercentages, written)
  const tone = good === undefined || way === 'same' ? 'even' : way === good ? 'better' : 'worse'
  return { label, value, note, change: { words, tone } }
}

interface Group {
  id: number
  name: string | null
  inbound: number
  outbound: number
}

interface Column<G> {
  label: string
  cell: (group: G) => string
}

const numberColumns: Column<ReportFigures['numbers'][number]>[] = [
  { label: 'Inbound', cell: ({ inbound }) => plain(inbound) },
  { label: 'Missed', cell: ({ inbound_missed: missed }) => plain(missed) },
  { label: 'Outbound', cell: ({ outbound }) => plain(outbound) },
  { label: 'Talk time', cell: ({ talk_time: talk }) => spanWords(talk) },
]

const agentColumns: Column<ReportFigures['users'][number]>[] = [
  { label: 'Inbound answered', cell: ({ inbound_answered: answered }) => plain(answered) },
  { label: 'Outbound', cell: ({ outbound }) => plain(outbound) },
  { label: 'Talk time', cell: ({ talk_time: talk }) => spanWords(talk) },
]

function tableOf<G extends Group>(
  title: string,
  columns: readonly Column<G>[],
  groups: readonly G[],
  before: readonly Omit<Group, 'name'>[] | undefined,
): FigureTable {
  const calls = (group: Omit<Group, 'name'> | undefined) => (group ? group.inbound + group.outbound : 0)
  const change = (group: G) =>
    differenceOf(calls(group), calls(before?.find(({ id }) => id === group.id)), false, plain).words
  return {
    title,
    columns: [...columns.map(({ label }) => label), ...(before ? ['Change'] : [])],
    rows: groups.slice(0, shownRows).map((group) => ({
      name: group.name ?? 'Deleted',
      cells: [...columns.map(({ cell }) => cell(group)), ...(before ? [change(group)] : [])],
    })),
    more: Math.max(0, groups.length - shownRows),
  }
}

/** `1:02:03`, or `2:03` below one hour. */
function spanWords(seconds: number | null): string {
  if (seconds === null) return '–'
  const two = (n: number) => String(n).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** `Monday 9 November 2026`, `9 to 15 November 2026` or `28 December 2026 to 3 January 2027`. */
function dateWords(from: string, to: string): string {
  const format = (date: string, style: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { ...style, timeZone: 'UTC' }).format(Date.parse(`${date}T00:00:00Z`))
  const whole = { day: 'numeric', month: 'long', year: 'numeric' } as const
  if (from === to) return `${format(from, { weekday: 'long' })} ${format(from, whole)}`
  const isSameYear = from.slice(0, 4) === to.slice(0, 4)
  const isSameMonth = from.slice(0, 7) === to.slice(0, 7)
  const { year: _year, ...dayAndMonth } = whole
  const first = isSameMonth ? { day: 'numeric' as const } : isSameYear ? dayAndMonth : whole
  return `${format(from, first)} to ${format(to, whole)}`
}

function subjects({ number_ids, team_ids, user_ids }: ScheduledReportSettings): [name: string, value: string][] {
  const all = { number: number_ids, team: team_ids, user: user_ids }
  return Object.entries(all).flatMap(([name, ids]) => ids.map((id): [string, string] => [name, String(id)]))
}

function pageQuery(settings: ScheduledReportSettings, { from_date, to_date }: ReportFigures): string {
  return new URLSearchParams([
    ['range', 'custom'],
    ['from', from_date],
    ['to', to_date],
    ['zone', settings.time_zone],
    ...subjects(settings),
    ['sla', String(settings.sla_seconds)],
    ...(settings.compare ? [] : [['compare', 'off'] as [string, string]]),
  ]).toString()
}

const callsQuery = (settings: ScheduledReportSettings, { from_date, to_date }: ReportFigures) =>
  new URLSearchParams([
    ['zone', settings.time_zone],
    ['from', from_date],
    ['to', to_date],
    ...subjects(settings),
    ['outcome', 'missed'],
  ]).toString()
