import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { rowsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId } from '../db/tables.ts'
import type { TraceEntry } from '../domain/call/events.ts'

// Routing details of calls, tags and flow versions.

export interface TraceLine {
  callId: number
  at: number
  entry: TraceEntry
}

const traceShape = { call_id: 'bigint', at: 'bigint', entry: 'text', n: 'integer' } as const

const insertTrace = hotQuery((db, v: { companyId: CompanyId; rows: string }) =>
  sql`insert into call_trace (call_id, company_id, at, entry)
    select call_id, ${v.companyId}, at, entry from ${rowsFromJson(db, v.rows, traceShape)} order by n`.compile(db),
)

/** Inserts the routing details of a batch in one statement. */
export async function addTrace(db: Db, companyId: CompanyId, lines: readonly TraceLine[]): Promise<void> {
  if (lines.length === 0) return
  const rows = lines.map(({ callId, at, entry }, n) => ({ call_id: callId, at, entry: JSON.stringify(entry), n }))
  await insertTrace(db, { companyId, rows: JSON.stringify(rows) })
}

const anyTag = hotQuery((db, v: { companyId: CompanyId; callId: number }) =>
  db
    .selectFrom('call_tag')
    .select('tag_id')
    .where('company_id', '=', v.companyId)
    .where('call_id', '=', v.callId)
    .limit(1)
    .compile(),
)

export async function isTagged(db: Db, companyId: CompanyId, callId: number): Promise<boolean> {
  return (await anyTag(db, { companyId, callId })).length > 0
}

export async function numberFlow(
  db: Db,
  companyId: CompanyId,
  numberId: number,
  version: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('flow_version')
    .select('document')
    .where('company_id', '=', companyId)
    .where('number_id', '=', numberId)
    .where('version', '=', version)
    .executeTakeFirst()
  return row?.document
}
