import { sql } from 'kysely'
import { type Db, looseTransaction, type Tx } from '../db/database.ts'
import { hasLateral, leaseClock, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, DeliveryKind, Flag } from '../db/tables.ts'
import { deletionEvent } from '../domain/events.ts'
import { type DeliveryTarget, destinationOf, type EndpointRow, readDestinations } from './endpoint-store.ts'

/**
 * A request for up to `n` deliveries of one webhook in one queue, except those of busy resources. For a webhook that is
 * not active only probes are claimed.
 */
export interface ClaimRequest {
  webhookId: string
  bulk: boolean
  n: number
  busy: readonly string[]
}

export interface Lease {
  token: string
  machineNow: number
  ms: number
  workerId: string
}

export interface Claimed {
  id: string
  message_id: string
  webhook_id: string
  company_id: CompanyId
  event_row: number
  event_id: string
  event_name: string
  order_key: string
  precedes: string | null
  seq: number
  kind: DeliveryKind
  bulk: Flag
  probe: Flag
  attempts: number
  replay_id: string | null
}

const claimed = sql`id, message_id, webhook_id, company_id, event_row, event_id, event_name, order_key, precedes, seq, kind, bulk, probe, attempts, replay_id`

interface Due {
  now: number
  webhookId: string
  bulk: number
  probe: number
  /** Only `integration.deleted`, after the integration was removed. */
  onlyDeletionEvent: number
  busy: string
  n: number
}

/**
 * No earlier delivery of its resource is open, and none of another resource that precedes it. Subqueries per row: with
 * stale statistics PostgreSQL would read the whole queue of the webhook for `not exists`.
 */
const isFirst = sql`
  d.seq <= coalesce(
    (select b.seq from delivery b
     where b.webhook_id = d.webhook_id and b.order_key = d.order_key and b.blocking = 1
     order by b.seq limit 1), d.seq)
  and d.event_row <= coalesce(
    (select p.event_row from delivery p
     where p.webhook_id = d.webhook_id and p.precedes = d.order_key and p.blocking = 1
     order by p.event_row limit 1), d.event_row)`

/**
 * Due, with no earlier delivery of the resource in its blocking attempts. The index skips rows of resources that are
 * busy in this process; rows behind a delivery that waits for a retry are not due (see the fan-out).
 */
const dueForOne = hotQuery<Due, Claimed & Omit<EventContent, 'row_id'>>((db, v) =>
  sql<Claimed & Omit<EventContent, 'row_id'>>`
    select d.id, d.message_id, d.webhook_id, d.company_id, d.event_row, d.event_id, d.event_name, d.order_key, d.precedes, d.seq,
      d.kind, d.bulk,
      d.probe, d.attempts, d.replay_id, e.name, e.resource, e.occurred_at, e.data, e.asset_refs
    from delivery d join event e on e.row_id = d.event_row
    where d.webhook_id = ${v.webhookId} and d.bulk = ${v.bulk} and d.state = 'queued' and d.next_at <= ${v.now}
      and d.probe >= ${v.probe} and (${v.onlyDeletionEvent} = 0 or d.event_name = ${deletionEvent})
      and d.order_key not in ${wordsFromJson(db, v.busy)} and ${isFirst}
    order by d.priority, d.next_at, d.event_row limit ${v.n}`.compile(db),
)

const leaseThese = hotQuery<Lease & { ids: string }, never>((db, v) =>
  sql<never>`
    update delivery set state = 'leased', lease_token = ${v.token}, worker_id = ${v.workerId},
      lease_until = ${leaseClock(db, v.machineNow)} + ${v.ms}
    where id in ${wordsFromJson(db, v.ids)}`.compile(db),
)

type ClaimedRow = Claimed &
  Omit<EventContent, 'row_id'> &
  Pick<
    EndpointRow,
    'url' | 'token' | 'status' | 'integration' | 'secret_current' | 'secret_previous' | 'secret_previous_until'
  >

/**
 * The same for many webhooks in one statement, with everything an attempt needs: each round trip delays the attempts.
 */
const claimForMany = hotQuery<Lease & { now: number; wants: string }, ClaimedRow>(
  (db, v) =>
    sql<ClaimedRow>`
    with taken as (
      update delivery set state = 'leased', lease_token = ${v.token}, worker_id = ${v.workerId},
        lease_until = ${leaseClock(db, v.machineNow)} + ${v.ms}
      where id = any (array(
        select d.id
        from json_to_recordset(${v.wants}::json) as w(webhook_id text, bulk integer, busy json, n integer)
        join webhook h on h.id = w.webhook_id and h.deleted_at is null
        cross join lateral (
          select d.id from delivery d
          where d.webhook_id = w.webhook_id and d.bulk = w.bulk and d.state = 'queued' and d.next_at <= ${v.now}
            and ((h.status = 'active' and h.integration <> 'off') or d.probe = 1)
            and (h.integration <> 'removed' or d.event_name = ${deletionEvent})
            and d.order_key not in (select json_array_elements_text(w.busy))
            and ${isFirst}
          order by d.priority, d.next_at, d.event_row
          limit w.n
          for update of d skip locked) d))
      returning ${claimed})
    select taken.*, e.name, e.resource, e.occurred_at, e.data, e.asset_refs,
      h.url, h.token, h.status, h.integration, h.secret_current, h.secret_previous, h.secret_previous_until
    from taken join event e on e.row_id = taken.event_row join webhook h on h.id = taken.webhook_id`.compile(db),
  { keepsPlan: true },
)

/** A delivery leased by this process, with everything its attempt needs. */
export interface ClaimedDelivery {
  row: Claimed
  endpoint: DeliveryTarget
  content: EventContent
}

/** Claims due deliveries of many webhooks. */
export async function claimDue(
  db: Db,
  wants: readonly ClaimRequest[],
  now: number,
  lease: Lease,
): Promise<ClaimedDelivery[]> {
  if (!hasLateral(db)) return looseTransaction(db, (tx) => claimOneByOne(tx, wants, now, lease))
  const asked = wants.map(({ webhookId, bulk, busy, n }) => ({ webhook_id: webhookId, bulk: bulk ? 1 : 0, busy, n }))
  const rows = await claimForMany(db, { ...lease, now, wants: JSON.stringify(asked) })
  return rows.map((row) => ({
    row,
    endpoint: destinationOf({ ...row, id: row.webhook_id, deleted_at: null }),
    content: { ...row, row_id: row.event_row },
  }))
}

/** SQLite has one writer: rows cannot change between the read and the update. */
async function claimOneByOne(
  tx: Tx,
  wants: readonly ClaimRequest[],
  now: number,
  lease: Lease,
): Promise<ClaimedDelivery[]> {
  const endpoints = await readDestinations(tx, [...new Set(wants.map(({ webhookId }) => webhookId))])
  const taken: ClaimedDelivery[] = []
  for (const { webhookId, bulk, busy, n } of wants) {
    const endpoint = endpoints.get(webhookId)
    if (!endpoint || endpoint.isDeleted) continue
    const probe = endpoint.status === 'active' ? 0 : 1
    const onlyDeletionEvent = endpoint.isIntegrationRemoved ? 1 : 0
    const want = { webhookId, bulk: bulk ? 1 : 0, probe, onlyDeletionEvent, n, now, busy: JSON.stringify(busy) }
    const rows = await dueForOne(tx, want)
    for (const row of rows) taken.push({ row, endpoint, content: { ...row, row_id: row.event_row } })
  }
  if (taken.length > 0) await leaseThese(tx, { ...lease, ids: JSON.stringify(taken.map(({ row }) => row.id)) })
  return taken
}

export interface EventContent {
  row_id: number
  name: string
  resource: string
  occurred_at: number
  data: string
  asset_refs: string | null
}
