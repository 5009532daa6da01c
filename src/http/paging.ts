import { type Static, Type } from 'typebox'
import { badRequest } from './errors.ts'
import { nullable, oneOf } from './schemas.ts'

const seconds = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }))

const pageFields = {
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
  per_page: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
}
const orderField = { order: Type.Optional(oneOf(['asc', 'desc'], { default: 'asc' })) }
const rangeFields = {
  from: seconds('UNIX seconds: earliest creation date'),
  to: seconds('UNIX seconds: latest creation date'),
}

/** Query of every list; some also have `from` and `to`. */
export const PageQuery = Type.Object({ ...pageFields, ...orderField })
export const RangeQuery = Type.Object({ ...rangeFields, ...orderField, ...pageFields })

export const Meta = Type.Object({
  count: Type.Integer({ description: 'Items on this page' }),
  total: Type.Integer({ description: 'Items of the whole search, exactly' }),
  current_page: Type.Integer(),
  per_page: Type.Integer(),
  next_page_link: nullable(Type.String({ description: 'null on the last page' })),
  previous_page_link: nullable(Type.String({ description: 'null on the first page' })),
})

/** The rows of a page. `from` and `to` are inclusive milliseconds. */
export interface Window {
  page: number
  perPage: number
  limit: number
  offset: number
  order: 'asc' | 'desc'
  from: number | undefined
  to: number | undefined
  /** Items beyond this one cannot be reached by paging. */
  wall: number
}

type ListQuery = Static<typeof PageQuery> & Partial<Pick<Static<typeof RangeQuery>, 'from' | 'to'>>

// Far beyond any row, and still exact in milliseconds: for clients that send milliseconds.
const endOfTime = 1e12

export function windowOf(query: ListQuery, wall = Number.POSITIVE_INFINITY): Window {
  const { page = 1, per_page: perPage = 20, order = 'asc', from, to } = query
  if (from !== undefined && to !== undefined && from > to) throw badRequest('`from` must not be after `to`')
  const offset = (page - 1) * perPage
  if (offset >= wall) {
    throw badRequest(`Only the first ${wall} items can be reached by pages; use \`from\` to go further`)
  }
  return {
    page,
    perPage,
    limit: Math.min(perPage, wall - offset),
    offset,
    order,
    from: from === undefined ? undefined : Math.min(from, endOfTime) * 1_000,
    to: to === undefined ? undefined : Math.min(to, endOfTime) * 1_000 + 999,
    wall,
  }
}

/** URL of the list: links to other pages keep all other parameters. */
export interface ListUrl {
  base: string
  path: string
  search: string
}

export function metaOf(place: ListUrl, window: Window, count: number, total: number): Static<typeof Meta> {
  const { page, perPage, offset, wall } = window
  const reached = offset + perPage
  const lastPage = Math.max(1, Math.ceil(Math.min(total, wall) / perPage))
  return {
    count,
    total,
    current_page: page,
    per_page: perPage,
    next_page_link: reached < Math.min(total, wall) ? linkTo(place, page + 1, perPage) : null,
    previous_page_link: page > 1 ? linkTo(place, Math.min(page - 1, lastPage), perPage) : null,
  }
}

function linkTo({ base, path, search }: ListUrl, page: number, perPage: number): string {
  const parameters = new URLSearchParams(search)
  parameters.delete('page')
  parameters.delete('per_page')
  parameters.append('page', String(page))
  parameters.append('per_page', String(perPage))
  return `${base}${path}?${parameters}`
}
