import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { jsonRows } from '../../../db/dialect.ts'
import type { CallTable, CompanyId } from '../../../db/tables.ts'
import type { Window } from '../../../http/paging.ts'
import { type Call, callRows } from './store.ts'

// Finds the calls of a page and their total from indexes alone, independent of the number of calls. Only the calls of
// the page are read, in the same statement.

export interface CallSearch {
  direction: CallTable['direction'] | undefined
  userId: number | undefined
  /** Only calls the user answered, was assigned, transferred, joined, or missed along with all others. */
  ownOf?: number | undefined
  phone: string | undefined
  /** Only calls with one of these external numbers, in digits. */
  parties?: readonly string[] | undefined
  /** The total number. */
  tags: readonly number[]
  /** Only unanswered calls. */
  missed?: boolean | undefined
  /** Only with `ownOf`: the external party has one of these numbers, or a number that contains the digits. */
  party?: { numbers: readonly string[]; digits: string } | undefined
  /** Only with `ownOf`. */
  voicemail?: boolean | undefined
}

export interface FoundCalls {
  /** In the requested order. */
  calls: Call[]
  total: number
}

export const endOfTime = 8_640_000_000_000_000

export interface Rows {
  companyId: CompanyId
  order: Window['order']
  limit: number
  offset: number
  low: number
  high: number
}

export interface FoundRow {
  calls: string
  total: number
}

export const found = (row: FoundRow | undefined): FoundCalls => ({
  calls: callRows.read(row?.calls ?? '[]'),
  total: row?.total ?? 0,
})

/** The calls of a page by id and time, in its order. */
export const callsOf = (db: Db, page: RawBuilder<unknown>, order: Window['order']) => {
  const way = sql.raw(order)
  const inOrder = sql`page.started_at ${way}, page.id ${way}`
  return sql`(select cast(${jsonRows(db, callRows.each(db), inOrder)} as text)
    from (${page}) as page join call as c on c.id = page.id)`
}

export const countOf = (rows: RawBuilder<unknown>) => sql`(select count(*) from ${rows})`

/** Builds each variant of a query once. */
export function remembered<K extends unknown[], Q>(make: (...form: K) => Q): (...form: K) => Q {
  const known = new Map<string, Q>()
  return (...form) => {
    const key = JSON.stringify(form)
    const query = known.get(key) ?? make(...form)
    known.set(key, query)
    return query
  }
}
