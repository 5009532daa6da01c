import { type Static, type TSchema, Type } from 'typebox'
import type { CompanyId } from '../../../db/tables.ts'
import type { Caller } from '../../../http/caller.ts'
import { badRequest, tooManyRequests } from '../../../http/errors.ts'
import { lineWriter } from '../../../http/line-writer.ts'
import { type Pieces, type Route, route } from '../../../http/route.ts'
import type { Services } from '../../../services.ts'
import { actorOf, auditAlone } from '../audit/record.ts'
import { findIntegration } from '../credentials/integrations-store.ts'

// Exports all objects of one kind as a stream without pages: one line of JSON per object, with a cursor to continue
// after it. Rows are read in the order of an index on columns that never change, so that no row that existed at the
// start is skipped. To add a kind, add one bulkRoute({…}) to its feature.

/** Position of a row: the sort column of the list, which must never change, and the id. */
export interface RowPosition {
  at: number
  id: number
}

export interface Bulk<Query extends object> {
  /** Last segment of the path. */
  kind: string
  /** Key of the object in its line. */
  word: string
  view: TSchema
  description: string
  query: Parameters<typeof Type.Object>[0]
  /** Rows after the position, in order; fewer than `limit` end the export. */
  read(asked: BulkRequest<Query>, after: RowPosition, limit: number): Promise<BulkRow[]>
}

export interface BulkRow {
  place: RowPosition
  view: object
}

export interface BulkRequest<Query> {
  services: Services
  companyId: CompanyId
  query: Query
  /** The numbers that the integration is restricted to; null for all. */
  numberIds: readonly number[] | null
}

const some = 200
const maxConcurrent = 2
const start: RowPosition = { at: 0, id: 0 }

export const cursorQuery = {
  cursor: Type.Optional(
    Type.String({ maxLength: 64, description: 'Cursor of the last line received: the export continues after it' }),
  ),
}

type CursorQuery = Static<ReturnType<typeof Type.Object<typeof cursorQuery>>>

export function bulkRoute<Query extends object>(bulk: Bulk<Query>): Route {
  const write = lineWriter(Type.Object({ cursor: Type.String(), [bulk.word]: bulk.view }))
  return route({
    method: 'GET',
    path: `/v1/export/${bulk.kind}`,
    summary: `Export all ${bulk.kind}`,
    description:
      `Hookswitch extension, for data beyond the 10,000 objects that pages reach. ${bulk.description} The ` +
      `response is application/x-ndjson: one line \`{"cursor": …, "${bulk.word}": …}\` per object, oldest ` +
      'first, and `{"cursor": …, "end": true}` at the end. After an interruption, repeat the request with the ' +
      'last cursor. A company can run two exports at a time.',
    tag: 'Bulk export',
    query: Type.Object({ ...cursorQuery, ...bulk.query }),
    errors: [
      { status: 400, when: 'the cursor is invalid' },
      { status: 429, when: 'the company already runs two exports' },
    ],
    reply: { status: 200, stream: 'application/x-ndjson' },
    async handle({ query, caller, services, address }) {
      const after = placeIn(bulk.kind, (query as CursorQuery).cursor)
      const { companyId } = caller
      if (openOf(services, companyId) >= maxConcurrent) {
        throw tooManyRequests(`A company can run ${maxConcurrent} exports at a time; wait until one has finished`, 5)
      }
      const numberIds = await onlyNumbers(services, caller)
      const entry = { actor: actorOf(caller), action: `${bulk.kind}.exported`, address }
      if (after === start) await auditAlone(services, companyId, entry)
      return lines(bulk, { services, companyId, query: query as Query, numberIds }, after, write) as never
    },
  })
}

type Write = (line: Record<string, unknown>) => string

async function* lines<Query extends object>(
  bulk: Bulk<Query>,
  asked: BulkRequest<Query>,
  from: RowPosition,
  write: Write,
): Pieces {
  const { services, companyId } = asked
  count(services, companyId, 1)
  try {
    let after = from
    for (;;) {
      const rows = await bulk.read(asked, after, some)
      after = rows.at(-1)?.place ?? after
      const isEnd = rows.length < some
      const end = isEnd ? `${JSON.stringify({ cursor: cursorOf(bulk.kind, after), end: true })}\n` : ''
      yield rows.map(({ place, view }) => write({ cursor: cursorOf(bulk.kind, place), [bulk.word]: view })).join('') +
        end
      if (isEnd) return
      // With SQLite a batch contains no asynchronous wait, so other requests need a turn between batches.
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  } finally {
    count(services, companyId, -1)
  }
}

const cursorOf = (kind: string, { at, id }: RowPosition) => `${kind}.${at.toString(36)}.${id.toString(36)}`

function placeIn(kind: string, cursor: string | undefined): RowPosition {
  if (cursor === undefined) return start
  const [, of, at = '', id = ''] = /^([a-z]{1,20})\.([0-9a-z]{1,10})\.([0-9a-z]{1,10})$/.exec(cursor) ?? []
  if (of !== kind) throw badRequest(`\`cursor\` must be the cursor of a line of an export of ${kind}`)
  return { at: Number.parseInt(at, 36), id: Number.parseInt(id, 36) }
}

async function onlyNumbers({ db }: Services, { companyId, via }: Caller): Promise<readonly number[] | null> {
  if (via.kind !== 'token') return null
  const integration = await findIntegration(db, companyId, { kind: 'oauth', row: via.id })
  return integration?.onlyNumbers ?? null
}

const open = new WeakMap<Services, Map<CompanyId, number>>()

const openOf = (services: Services, companyId: CompanyId) => open.get(services)?.get(companyId) ?? 0

function count(services: Services, companyId: CompanyId, change: 1 | -1): void {
  const known = open.get(services) ?? new Map<CompanyId, number>()
  open.set(services, known)
  const left = (known.get(companyId) ?? 0) + change
  if (left > 0) known.set(companyId, left)
  else known.delete(companyId)
}
