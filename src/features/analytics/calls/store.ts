import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { readApart } from '../../../db/dialect.ts'
import type { CompanyId } from '../../../db/tables.ts'
import type { MissedReason } from '../../../domain/call/record.ts'
import { callsIn, type Narrowing, waited } from '../activity/store.ts'
import type { Span } from '../exports/report-store.ts'

/** The calls behind a figure of the Analytics page. */
export interface CallsBehind extends Narrowing {
  direction: 'inbound' | 'outbound' | undefined
  outcome: 'answered' | 'missed' | 'not_answered' | undefined
  reason: MissedReason | undefined
  /** Parts of the period with one offset from UTC, and the hour of the day there. */
  hours: readonly HourSpan[] | undefined
  /** Wait time in seconds; `to` is inclusive and undefined for the last step. */
  wait: { from: number; to: number | undefined } | undefined
  /** Answered within so many seconds, or not. */
  sla: { seconds: number; isWithin: boolean } | undefined
}

export interface HourSpan extends Span {
  offsetMs: number
  hour: number
}

const isMissed = sql`(direction = 'inbound' and answered_at is null and missed_call_reason is not null)`

function conditionsOf({ direction, outcome, reason, hours, wait, sla }: CallsBehind): RawBuilder<unknown> {
  const all: RawBuilder<unknown>[] = []
  if (direction) all.push(sql`direction = ${direction}`)
  if (outcome === 'answered') all.push(sql`answered_at is not null`)
  if (outcome === 'missed') all.push(isMissed)
  if (outcome === 'not_answered') all.push(sql`answered_at is null and ended_at is not null`)
  if (reason) all.push(sql`missed_call_reason = ${reason}`)
  if (hours) {
    const spans = hours.map(
      ({ from, to, offsetMs, hour }) => sql`(started_at >= ${from} and started_at < ${to}
        and (started_at + ${offsetMs}) / 3600000 % 24 = ${hour})`,
    )
    all.push(spans.length === 0 ? sql`1 = 0` : sql`(${sql.join(spans, sql` or `)})`)
  }
  const isJudged = sql`direction = 'inbound' and (answered_at is not null or ${isMissed})`
  if (wait) {
    all.push(isJudged, sql`${waited} >= ${wait.from}`)
    if (wait.to !== undefined) all.push(sql`${waited} <= ${wait.to}`)
  }
  if (sla) {
    const isWithin = sql`(answered_at is not null and ${waited} <= ${sla.seconds})`
    all.push(isJudged, sla.isWithin ? isWithin : sql`not ${isWithin}`)
  }
  return all.length === 0 ? sql`` : sql`and ${sql.join(all, sql` and `)}`
}

interface CallsPage {
  order: 'asc' | 'desc'
  limit: number
  offset: number
}

/** The ids of a page, and the number of all calls. */
export async function pageOfCallsBehind(
  db: Db,
  companyId: CompanyId,
  span: Span,
  behind: CallsBehind,
  { order, limit, offset }: CallsPage,
): Promise<{ ids: number[]; total: number }> {
  const rows = sql`${callsIn(db, companyId, span, behind)} ${conditionsOf(behind)}`
  const way = sql.raw(order)
  const page = sql<{ id: number }>`select id from ${rows}
    order by started_at ${way}, id ${way} limit ${limit} offset ${offset}`.compile(db)
  const count = sql<{ n: number }>`select cast(count(*) as bigint) as n from ${rows}`.compile(db)
  const [ids, [counted]] = [await readApart(db, page), await readApart(db, count)]
  return { ids: ids.map(({ id }) => id), total: counted?.n ?? 0 }
}
