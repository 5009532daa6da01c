import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { jsonArray, jsonRows } from '../../../db/dialect.ts'
import { hotQuery } from '../../../db/hot-query.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { Window } from '../../../http/paging.ts'
import { day } from '../../../lib/clock.ts'
import { filtered } from './search-filter-store.ts'
import {
  type CallSearch,
  callsOf,
  countOf,
  endOfTime,
  type FoundCalls,
  type FoundRow,
  found,
  type Rows,
  remembered,
} from './search-rows-store.ts'

/** `since`: start of the readable period. */
export async function pageOfCalls(
  db: Db,
  companyId: CompanyId,
  search: CallSearch,
  window: Window,
  since: number,
): Promise<FoundCalls> {
  const { order, limit, offset } = window
  const range = { low: Math.max(window.from ?? since, since), high: window.to ?? endOfTime }
  if (range.low > range.high) return { calls: [], total: 0 }
  const rows = { companyId, order, limit, offset, ...range }
  const { userId, ownOf, phone, tags, direction } = search
  if (ownOf !== undefined && userId !== undefined && userId !== ownOf) return { calls: [], total: 0 }
  const isMissed = search.missed === true
  const isFiltered =
    (userId ?? ownOf ?? phone ?? search.parties) !== undefined ||
    tags.length > 0 ||
    (isMissed && direction !== undefined)
  if (isFiltered) return filtered(db, rows, search)
  return whole(db, rows, isMissed ? 'missed' : direction ? 'one direction' : 'all', direction)
}

// All calls, those of one direction, or the missed ones: whole days are taken from daily counts; only the first and last
// day are counted.

type Kind = 'all' | 'one direction' | 'missed'

interface WholeValues {
  companyId: CompanyId
  direction: string
  limit: number
  offset: number
  pageLow: number
  pageHigh: number
  low: number
  lowEnd: number
  highStart: number
  high: number
  lowDay: number
  highDay: number
}

async function whole(db: Db, rows: Rows, kind: Kind, direction: CallSearch['direction']): Promise<FoundCalls> {
  const { companyId, order, limit, offset, low, high } = rows
  const edges = edgesOf(low, high)
  const given = { companyId, ...(direction && { direction }), ...edges }
  const place = offset < deep ? { low, high, offset } : await withoutSkippedDays(db, rows, given, kind)
  const [row] = await wholeQueries(order, kind)(db, {
    ...given,
    limit,
    offset: place.offset,
    pageLow: place.low,
    pageHigh: place.high,
  })
  return found(row)
}

/** The parts of the first and last day within the range. */
function edgesOf(low: number, high: number) {
  const lowDay = Math.floor(low / day)
  const highDay = Math.floor(high / day)
  const lowEnd = Math.min(high, (lowDay + 1) * day - 1)
  return { low, lowEnd, lowDay, highDay, high, highStart: lowDay === highDay ? high + 1 : highDay * day }
}

const wholeQueries = remembered((order: Window['order'], kind: Kind) =>
  hotQuery<WholeValues, FoundRow>((db, v) => {
    const page = calls(v, kind, v.pageLow, v.pageHigh)
    const way = sql.raw(order)
    const ordered = sql`select id, started_at from ${page} order by started_at ${way}, id ${way}
      limit ${v.limit} offset ${v.offset}`
    const days = sql`(select coalesce(sum(n), 0) from ${daysInside(v, kind)})`
    const total = sql`cast(${countOf(calls(v, kind, v.low, v.lowEnd))} + ${days}
      + ${countOf(calls(v, kind, v.highStart, v.high))} as bigint)`
    return sql<FoundRow>`select ${callsOf(db, ordered, order)} as calls, ${total} as total`.compile(db)
  }),
)

const calls = (v: WholeValues, kind: Kind, low: number, high: number) => sql`call
  where company_id = ${v.companyId} ${kindCondition(v, kind)} and started_at >= ${low} and started_at <= ${high}`

function kindCondition(v: WholeValues, kind: Kind) {
  if (kind === 'one direction') return sql`and direction = ${v.direction}`
  return kind === 'missed' ? sql`and missed_call_reason is not null` : sql``
}

const daysInside = (v: WholeValues, kind: Kind) => sql`
  ${kind === 'missed' ? sql`missed_call_count` : sql`call_count`}
  where company_id = ${v.companyId} and day > ${v.lowDay} and day < ${v.highDay}
    ${kind === 'one direction' ? sql`and direction = ${v.direction}` : sql``}`

// Below this offset, walking the index costs less than another statement.
const deep = 1_000

/** The same page of a shorter list: whole days are skipped by their counts instead of call by call. */
async function withoutSkippedDays(
  db: Db,
  { order, offset, low, high }: Rows,
  given: Partial<WholeValues> & ReturnType<typeof edgesOf>,
  kind: Kind,
): Promise<{ low: number; high: number; offset: number }> {
  const [row] = await dayQueries(kind)(db, given)
  const inside: [number, number][] = JSON.parse(row?.days ?? '[]')
  const spans = [
    { from: low, n: row?.first ?? 0 },
    ...inside.map(([number, n]) => ({ from: number * day, n })),
    { from: given.highStart, n: row?.last ?? 0 },
  ].map((span, i, all) => ({ ...span, to: (all[i + 1]?.from ?? high + 1) - 1 }))
  let left = offset
  for (const span of order === 'asc' ? spans : spans.reverse()) {
    if (left < span.n)
      return order === 'asc' ? { low: span.from, high, offset: left } : { low, high: span.to, offset: left }
    left -= span.n
  }
  return { low: high + 1, high, offset: 0 }
}

const dayQueries = remembered((kind: Kind) =>
  hotQuery<WholeValues, { days: string; first: number; last: number }>((db, v) => {
    const perDay = sql`select day, cast(sum(n) as bigint) as n from ${daysInside(v, kind)} group by day`
    const pair = sql`${jsonRows(db, jsonArray(db, sql`day, n`), sql`day`)}`
    return sql<{ days: string; first: number; last: number }>`
      select (select cast(${pair} as text) from (${perDay}) as days) as days,
        ${countOf(calls(v, kind, v.low, v.lowEnd))} as first,
        ${countOf(calls(v, kind, v.highStart, v.high))} as last`.compile(db)
  }),
)
