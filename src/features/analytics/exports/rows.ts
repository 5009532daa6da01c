import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'
import { callCells, namesIn, type ReportNames, ringCells, type Sla } from '../../../domain/analytics/calls.ts'
import { type Cell, secondsBetween } from '../../../domain/analytics/csv.ts'
import { callFilter, inTeams, ringFilter } from '../../../domain/analytics/filters.ts'
import { periodsOf, type ReportRange } from '../../../domain/analytics/range.ts'
import type { Filters, ReportParams } from '../../../domain/analytics/report-params.ts'
import { isUserReport, sourceOf, type UserReport } from '../../../domain/analytics/reports.ts'
import { periodOf, type StatusPeriod, statusWord, type UserStatusChange } from '../../../domain/analytics/statuses.ts'
import {
  countParty,
  countRing,
  countStatus,
  newTally,
  type Tally,
  tallyCells,
} from '../../../domain/analytics/tally.ts'
import type { Zone } from '../../../domain/analytics/zone.ts'
import type { Granular } from '../../../domain/availability.ts'
import {
  callsStarted,
  countCalls,
  countRings,
  namesFor,
  partiesOf,
  type ReportUser,
  reportUsers,
  ringsStarted,
  statusesOf,
} from './report-store.ts'

// Rows of a report, batch by batch.

/** Rows, and the number of source rows read for them: the progress out of `all`. */
export interface Batch {
  rows: Cell[][]
  looked: number
}

export interface Report {
  all: number
  batches: AsyncGenerator<Batch>
}

const some = 1_000

interface ReportContext {
  db: Db
  companyId: CompanyId
  params: ReportParams
  range: ReportRange
  zone: Zone
  names: ReportNames
}

export async function openReport(
  db: Db,
  companyId: CompanyId,
  params: ReportParams,
  range: ReportRange,
  zone: Zone,
): Promise<Report> {
  const users = await reportUsers(db, companyId)
  const names = await namesFor(db, companyId, users)
  const context: ReportContext = { db, companyId, params, range, zone, names }
  const { reportName, filters } = params
  if (reportName === 'CALLS_HISTORY') {
    return { all: await countCalls(db, companyId, range), batches: callRows(context) }
  }
  if (reportName === 'USER_ACTIVITY_RINGING_ATTEMPTS') {
    return { all: await countRings(db, companyId, range), batches: ringRows(context) }
  }
  const people = users.filter((user) => isWanted(filters, user))
  const batches = isUserReport(reportName) ? userRows(context, reportName, people) : statusRows(context, people)
  return { all: people.length, batches }
}

const isWanted = (filters: Filters, { id, teamIds }: Pick<ReportUser, 'id' | 'teamIds'>) =>
  (filters.userIDs === undefined || filters.userIDs.includes(id)) && inTeams(filters, teamIds)

export const slaOf = ({ slaSeconds, slaReasons }: ReportParams): Sla => ({
  seconds: slaSeconds,
  reasons: new Set(slaReasons),
})

async function* callRows({ db, companyId, params, range, zone, names }: ReportContext): AsyncGenerator<Batch> {
  const matches = callFilter(params.filters, zone)
  const sla = slaOf(params)
  for await (const calls of callsStarted(db, companyId, range, some)) {
    const rows = calls.filter(matches).map((call) => callCells(call, names, zone, sla))
    yield { rows, looked: calls.length }
  }
}

async function* ringRows({ db, companyId, params, range, zone, names }: ReportContext): AsyncGenerator<Batch> {
  const matches = ringFilter(params.filters, zone)
  for await (const rings of ringsStarted(db, companyId, range, some)) {
    const wanted = rings.filter(
      (ring) =>
        matches(ring) && isWanted(params.filters, { id: ring.userId, teamIds: [...names.teamsOf(ring.userId)] }),
    )
    yield { rows: wanted.map((ring) => ringCells(ring, names, zone)), looked: rings.length }
  }
}

async function* statusRows(context: ReportContext, people: readonly ReportUser[]): AsyncGenerator<Batch> {
  const { params, zone, names } = context
  const { hours, userStatuses, nextUserStatuses } = params.filters
  const isAsked = ({ status, next, from }: StatusPeriod) =>
    (userStatuses === undefined || userStatuses.includes(statusWord(status))) &&
    (nextUserStatuses === undefined || (next !== null && nextUserStatuses.includes(statusWord(next)))) &&
    (hours === undefined || hours.includes(zone.hourOf(from)))
  for (const user of people) {
    let rows: Cell[][] = []
    for await (const period of periodsOfUser(context, user)) {
      if (isAsked(period)) rows.push(statusCells(user, period, names, zone))
      if (rows.length < some) continue
      yield { rows, looked: 0 }
      rows = []
    }
    yield { rows, looked: 1 }
  }
}

const statusCells = (user: ReportUser, period: StatusPeriod, names: ReportNames, zone: Zone): Cell[] => [
  user.id,
  user.name,
  namesIn(user.teamIds, names.team),
  statusWord(period.status),
  period.reason,
  zone.iso(period.from),
  period.isOpen ? null : zone.iso(period.to),
  secondsBetween(period.from, period.to),
  period.next && statusWord(period.next),
]

/** Includes the previous status, if known. */
async function* periodsOfUser(
  { db, companyId, range }: Pick<ReportContext, 'db' | 'companyId' | 'range'>,
  user: ReportUser,
): AsyncGenerator<StatusPeriod & { before: Granular | null }> {
  let last: UserStatusChange | undefined
  let before: Granular | null = null
  for await (const changes of statusesOf(db, companyId, user, range, some)) {
    for (const change of changes) {
      const period = last && periodOf(last, change, range)
      if (period) yield { ...period, before }
      before = last?.granular ?? null
      last = change
    }
  }
  const present = last && periodOf(last, null, range)
  if (present) yield { ...present, before }
}

async function* userRows(
  context: ReportContext,
  report: UserReport,
  people: readonly ReportUser[],
): AsyncGenerator<Batch> {
  const { range, zone, names, params } = context
  const periods = periodsOf(range, zone, params.dateBreakdown)
  for (const user of people) {
    const tallies = periods.map(newTally)
    await count(context, report, user, tallies)
    const rows = tallies.map((tally): Cell[] => [
      tally.period.fromDate,
      tally.period.toDate,
      user.id,
      user.name,
      namesIn(user.teamIds, names.team),
      ...tallyCells(report, tally, zone),
    ])
    yield { rows, looked: 1 }
  }
}

const count = (context: ReportContext, report: UserReport, user: ReportUser, tallies: readonly Tally[]) =>
  countFrom(sourceOf(report), context, user, tallies)

type CountContext = Omit<ReportContext, 'params' | 'names'> & { params: Pick<ReportParams, 'filters'> }

/** Adds the rows of one source to the totals of a user. */
export async function countFrom(
  source: ReturnType<typeof sourceOf>,
  context: CountContext,
  user: ReportUser,
  tallies: readonly Tally[],
): Promise<void> {
  const { db, companyId, range, zone, params } = context
  switch (source) {
    case 'statuses':
      for await (const period of periodsOfUser(context, user)) countStatus(tallies, period, period.before)
      return
    case 'rings': {
      const matches = ringFilter(params.filters, zone)
      for await (const rings of ringsStarted(db, companyId, range, some, user.id)) {
        for (const ring of rings) if (matches(ring)) countRing(tallies, ring)
      }
      return
    }
    case 'calls': {
      const matches = callFilter(params.filters, zone, false)
      for await (const parties of partiesOf(db, companyId, user.id, range, some)) {
        for (const party of parties) if (matches(party.call)) countParty(tallies, party, range.now)
      }
    }
  }
}
