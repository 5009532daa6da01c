import { isSourceObject, type SourceObject, sourceId, sourceList, sourceObject, sourceTime } from './values.ts'

// How an import reads a long list. Lists with `from` are read along the time of creation: each page starts at the time of
// the last row of the page before. Rows that are deleted meanwhile shift nothing, new rows are at the end, and the limit
// of 10,000 rows per list is never reached. Rows of one instant are read twice; they are recognized by their id.

export const rowsPerPage = 50
const maxReachableRows = 10_000

/** Where the next page starts; `from` in UNIX seconds. */
export interface ListPosition {
  from: number
  page: number
  /** Ids of rows of the second `from` that were read before. */
  seen?: string[]
  /** Of lists without `from`: the total of the first page, which shows whether rows were deleted meanwhile. */
  firstTotal?: number
  pass?: number
}

export const listStart = (from = 0): ListPosition => ({ from, page: 1 })

export interface SourceList {
  path: string
  /** The key of the list in the response. */
  root: string
  /** The column that `from` applies to; undefined: the list has no `from`. */
  timeField?: string
  query?: string
}

export function pathOfPage(
  { path, timeField, query }: SourceList,
  { from, page }: ListPosition,
  perPage = rowsPerPage,
) {
  const start = timeField === undefined || from === 0 ? '' : `&from=${from}`
  return `${path}?order=asc&page=${page}&per_page=${perPage}${start}${query ? `&${query}` : ''}`
}

export interface SourcePage {
  rows: SourceObject[]
  total: number
  /** Null at the end of the list. */
  next: ListPosition | null
}

/** Undefined if the body is not a page of this list. */
export function readSourcePage(list: SourceList, at: ListPosition, body: unknown): SourcePage | undefined {
  if (!isSourceObject(body) || !Array.isArray(body[list.root])) return undefined
  const rows = sourceList(body[list.root])
  const meta = sourceObject(body.meta)
  const perPage = typeof meta.per_page === 'number' && meta.per_page > 0 ? meta.per_page : rowsPerPage
  const before = (at.page - 1) * perPage
  const total = typeof meta.total === 'number' ? meta.total : before + rows.length
  const seen = new Set(at.seen)
  const unread = rows.filter((row) => !seen.has(sourceId(row.id) ?? ''))
  return { rows: unread, total, next: nextOf(list, at, { rows, total, perPage, isEnd: before + rows.length >= total }) }
}

function nextOf(
  { timeField }: SourceList,
  at: ListPosition,
  { rows, total, perPage, isEnd }: { rows: SourceObject[]; total: number; perPage: number; isEnd: boolean },
): ListPosition | null {
  if (timeField === undefined) {
    const firstTotal = at.firstTotal ?? total
    const pass = at.pass ?? 1
    if (!isEnd && rows.length > 0) return { ...at, page: at.page + 1, firstTotal, pass }
    // Deleted rows have moved others to pages that were read before.
    return total < firstTotal && pass < 3 ? { from: 0, page: 1, firstTotal: total, pass: pass + 1 } : null
  }
  if (isEnd || rows.length === 0) return null
  const times = rows.map((row) => Math.floor((sourceTime(row[timeField]) ?? 0) / 1_000))
  const isInOrder = times.every((time, i) => i === 0 || time >= (times[i - 1] ?? 0))
  const last = times.at(-1) ?? 0
  if (isInOrder && last > at.from) {
    const seen = rows.flatMap((row, i) => (times[i] === last ? (sourceId(row.id) ?? []) : []))
    return { from: last, page: 1, seen }
  }
  return at.page * perPage < maxReachableRows ? { ...at, page: at.page + 1 } : { from: at.from + 1, page: 1 }
}
