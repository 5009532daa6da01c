import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { hasLateral, rowsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { AttemptTable, DeliveryState, Flag } from '../db/tables.ts'

/** Cancelled replays among these: a delivery that was in flight at the cancellation is not retried. */
export async function cancelledAmong(tx: Tx, replayIds: readonly string[]): Promise<Set<string>> {
  if (replayIds.length === 0) return new Set()
  const rows = await tx
    .selectFrom('replay')
    .select('id')
    .where('id', 'in', [...replayIds])
    .where('state', '=', 'cancelled')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The result of one attempt, as written to its delivery. */
export interface Settled {
  id: string
  token: string
  state: DeliveryState
  blocking: Flag
  probe: Flag
  attempts: number
  next_at: number
  asked: Flag
  finished_at: number | null
  last_status: number | null
  last_error: string | null
}

const settledShape = {
  id: 'text',
  token: 'text',
  state: 'text',
  blocking: 'integer',
  probe: 'integer',
  attempts: 'integer',
  next_at: 'bigint',
  asked: 'integer',
  finished_at: 'bigint',
  last_status: 'integer',
  last_error: 'text',
} as const satisfies Record<keyof Settled, string>

export type NewAttempt = Omit<AttemptTable, 'id'> & { event_row: number }

const attemptShape = {
  delivery_id: 'text',
  company_id: 'bigint',
  n: 'integer',
  kind: 'text',
  started_at: 'bigint',
  duration_ms: 'integer',
  phase: 'text',
  status: 'integer',
  error_class: 'text',
  detail: 'text',
  request_headers: 'text',
  response_headers: 'text',
  response_body: 'text',
  worker_id: 'text',
} as const satisfies Record<keyof Omit<NewAttempt, 'event_row'>, string>

/** Only rows whose lease this process still holds; another process may have taken over the delivery. */
const settling = (db: Db, rows: string) => sql`
  update delivery set state = given.state, blocking = case when delivery.blocking = 0 then 0 else given.blocking end,
    probe = given.probe, attempts = given.attempts, next_at = given.next_at, asked = given.asked,
    finished_at = given.finished_at, last_status = given.last_status, last_error = given.last_error,
    lost_leases = 0, lease_token = null, lease_until = null
  from ${rowsFromJson(db, rows, settledShape)}
  where delivery.id = given.id and delivery.state = 'leased' and delivery.lease_token = given.token
  returning delivery.id, case when delivery.precedes is not null or exists (
    select 1 from delivery f where f.webhook_id = delivery.webhook_id and f.order_key = delivery.order_key
      and f.blocking = 1 and f.seq > delivery.seq) then 1 else 0 end as followed`

/**
 * A result that arrives after the lease ended is recorded as `lost`. The response is dropped if the event was redacted
 * during the attempt.
 */
function logging(db: Db, rows: string, done?: RawBuilder<unknown>) {
  const names = Object.keys(attemptShape)
  const values = names.map((name) => {
    const value = sql`given.${sql.ref(name)}`
    if (name === 'error_class' && done) return sql`case when done.id is null then 'lost' else ${value} end`
    return name.startsWith('response_') ? sql`case when e.redacted_at is null then ${value} else '' end` : value
  })
  return sql`
    insert into attempt (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(values)}
    from ${rowsFromJson(db, rows, { ...attemptShape, event_row: 'bigint' })}
    left join event e on e.row_id = given.event_row
    ${done ? sql`left join ${done} on done.id = given.delivery_id` : sql``}
    where ${done ? sql`done.id is not null or exists (select 1 from delivery d where d.id = given.delivery_id)` : sql`true`}`
}

interface Recording {
  settled: string
  attempts: string
  done: string
}

interface Ended {
  id: string
  followed: Flag
}

const recordAtOnce = hotQuery<Recording, Ended>(
  (db, v) =>
    sql<Ended>`
    with done as (${settling(db, v.settled)}), logged as (${logging(db, v.attempts, sql`done`)})
    select id, followed from done`.compile(db),
  { keepsPlan: true },
)

const settle = hotQuery<Recording, Ended>((db, v) => sql<Ended>`${settling(db, v.settled)}`.compile(db))

const logKept = hotQuery<Recording, never>((db, v) => sql<never>`${logging(db, v.attempts)}`.compile(db))

const logSome = hotQuery<Recording, never>((db, v) =>
  sql<never>`${logging(db, v.attempts, sql`(select value as id from json_each(${v.done})) as done`)}`.compile(db),
)

/** Ids of deliveries whose lease this process still held, and whether a later one of the resource waits. */
export type Kept = ReadonlyMap<string, boolean>

const keptOf = (rows: readonly Ended[]): Kept => new Map(rows.map(({ id, followed }) => [id, followed === 1]))

/** Settles deliveries and stores their attempts. */
export async function record(db: Db, settled: readonly Settled[], attempts: readonly NewAttempt[]): Promise<Kept> {
  const given = { settled: JSON.stringify(settled), attempts: JSON.stringify(attempts) }
  if (hasLateral(db)) return keptOf(await recordAtOnce(db, given))
  const ended = await settle(db, given)
  const done = ended.map(({ id }) => id)
  // The common case: this process still held every lease.
  if (done.length === attempts.length) await logKept(db, given)
  else await logSome(db, { ...given, done: JSON.stringify(done) })
  return keptOf(ended)
}
