import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { rowsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { Flag } from '../db/tables.ts'

interface Head {
  webhookId: string
  orderKey: string
  precedes: string | null
  seq: number
  eventRow: number
  nextAt: number
}

const push = hotQuery<Head, never>((db, v) =>
  sql<never>`
    update delivery set next_at = ${v.nextAt}
    where webhook_id = ${v.webhookId} and order_key = ${v.orderKey} and blocking = 1 and seq > ${v.seq}
      and next_at < ${v.nextAt}`.compile(db),
)

const pushPreceded = hotQuery<Head, never>((db, v) =>
  sql<never>`
    update delivery set next_at = ${v.nextAt}
    where webhook_id = ${v.webhookId} and order_key = ${v.precedes} and blocking = 1 and event_row > ${v.eventRow}
      and next_at < ${v.nextAt}`.compile(db),
)

/** While the first delivery of a resource waits for the retry of a blocking attempt, its followers are not due. */
export async function pushFollowers(tx: Db, head: Head): Promise<void> {
  await push(tx, head)
  if (head.precedes !== null) await pushPreceded(tx, head)
}

/** When each webhook next has a due delivery: a few index steps per webhook, however long its queue is. */
export async function nextDue(db: Db): Promise<{ webhookId: string; live: number | null; bulk: number | null }[]> {
  const first = (bulk: number, priority: number) => sql`
    (select min(next_at) from delivery
     where webhook_id = w.id and bulk = ${sql.lit(bulk)} and priority = ${sql.lit(priority)} and state = 'queued')`
  const { rows } = await sql<Record<string, number | null> & { id: string }>`
    with recursive w(id) as (
      select min(webhook_id) from delivery where state = 'queued'
      union all
      select (select min(webhook_id) from delivery where state = 'queued' and webhook_id > w.id) from w
      where w.id is not null)
    select id, ${first(0, 0)} as a0, ${first(0, 1)} as a1, ${first(0, 2)} as a2,
      ${first(1, 0)} as b0, ${first(1, 1)} as b1, ${first(1, 2)} as b2
    from w where id is not null`.execute(db)
  const earliest = (...times: (number | null | undefined)[]) => {
    const known = times.filter((time) => typeof time === 'number')
    return known.length > 0 ? Math.min(...known) : null
  }
  return rows.map((row) => ({
    webhookId: row.id,
    live: earliest(row.a0, row.a1, row.a2),
    bulk: earliest(row.b0, row.b1, row.b2),
  }))
}

/** Retries that have been due for a long time; they are spread over time. */
export async function overdueRetries(db: Db, before: number): Promise<string[]> {
  const rows = await db
    .selectFrom('delivery')
    .select('id')
    .where('state', '=', 'queued')
    .where('attempts', '>', 0)
    .where('next_at', '<', before)
    .orderBy('next_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function reschedule(db: Db, times: readonly { id: string; next_at: number }[]): Promise<void> {
  await sql`
    update delivery set next_at = given.next_at
    from ${rowsFromJson(db, JSON.stringify(times), { id: 'text', next_at: 'bigint' })}
    where delivery.id = given.id and delivery.state = 'queued'`.execute(db)
}

/** After rows were rescheduled: no follower is due before the delivery it waits for. */
export async function alignFollowers(db: Db): Promise<void> {
  await sql`
    update delivery set next_at = head.next_at
    from delivery head
    where delivery.state = 'queued' and delivery.blocking = 1 and head.state = 'queued' and head.blocking = 1
      and head.attempts > 0 and head.webhook_id = delivery.webhook_id and head.order_key = delivery.order_key
      and head.seq < delivery.seq and head.next_at > delivery.next_at`.execute(db)
}

/** After the host's clock changed: no retry is later than its own pause allows. */
export async function clampTo(
  db: Db,
  bounds: readonly { attempts: number; asked: Flag; latest: number }[],
): Promise<void> {
  const shape = { attempts: 'integer', asked: 'integer', latest: 'bigint' } as const
  await sql`
    update delivery set next_at = given.latest
    from ${rowsFromJson(db, JSON.stringify(bounds), shape)}
    where delivery.state = 'queued' and delivery.attempts = given.attempts and delivery.asked = given.asked
      and delivery.next_at > given.latest`.execute(db)
}

/** For the metrics: deliveries per lane, held deliveries, and health of webhooks. Contains no names. */
export async function countWaiting(db: Db) {
  const waiting = db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .select(['delivery.bulk', 'webhook.health', ({ fn }) => fn.countAll<number>().as('n')])
    .where('delivery.state', '=', 'queued')
    .groupBy(['delivery.bulk', 'webhook.health'])
    .execute()
  const held = db
    .selectFrom('delivery')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow()
  const endpoints = db
    .selectFrom('webhook')
    .select(['status', 'health', ({ fn }) => fn.countAll<number>().as('n')])
    .where('deleted_at', 'is', null)
    .groupBy(['status', 'health'])
    .execute()
  const [counted, { n }, webhooks] = await Promise.all([waiting, held, endpoints])
  return { waiting: counted, held: n, endpoints: webhooks }
}

/** Unsettled deliveries due by `until`. One query per state, because each state has its own index. */
export async function countDueDeliveries(db: Db, until: number): Promise<number> {
  const count = async (state: 'queued' | 'leased') => {
    const { n } = await db
      .selectFrom('delivery')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('state', '=', state)
      .where('next_at', '<=', until)
      .executeTakeFirstOrThrow()
    return n
  }
  return (await count('queued')) + (await count('leased'))
}
