import { sql } from 'kysely'
import { type Db, looseTransaction, type Tx } from '../db/database.ts'
import { hasLateral, leaseClock, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, DeliveryKind, Flag } from '../db/tables.ts'
import { deletionEvent } from '../domain/events.ts'
import { type Destination, destinationOf, type EndpointRow, readDestinations } from './endpoint-store.ts'

/**
 * Work for one webhook in one kind of lane: at most `n` rows, none of a resource that is under way. While it is switched off,
 * only what is there to see whether it answers.
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
  /** Only what it is told when its integration is removed. */
  onlyDeletionEvent: number
  busy: string
  n: number
}

/**
 * No earlier delivery of its own order is open, and none of another resource that precedes it. Asked row by row: as `not exists` a server with old statistics would read all that waits for the webhook at each claim.
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
 * Due, and no earlier one of its resource is still in its quick attempts. Rows of resources that are under way in this
 * process are passed over in the index; those behind one that waits for a retry are not due (see the fan-out).
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

type TakenRow = Claimed &
  Omit<EventContent, 'row_id'> &
  Pick<
    EndpointRow,
    'url' | 'token' | 'status' | 'integration' | 'secret_current' | 'secret_previous' | 'secret_previous_until'
  >

/** The same for many webhooks, with all that is to be sent, in one statement: every answer has to wait for its turn. */
const takeForMany = hotQuery<Lease & { now: number; wants: string }, TakenRow>(
  (db, v) =>
    sql<TakenRow>`
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

/** A delivery that is this process's until its lease ends, with everything its attempt needs. */
export interface ClaimedDelivery {
  row: Claimed
  endpoint: Destination
  content: EventContent
}

/** Takes what is due for many webhooks. */
export async function claimDue(
  db: Db,
  wants: readonly ClaimRequest[],
  now: number,
  lease: Lease,
): Promise<ClaimedDelivery[]> {
  if (!hasLateral(db)) return looseTransaction(db, (tx) => takeOneByOne(tx, wants, now, lease))
  const asked = wants.map(({ webhookId, bulk, busy, n }) => ({ webhook_id: webhookId, bulk: bulk ? 1 : 0, busy, n }))
  const rows = await takeForMany(db, { ...lease, now, wants: JSON.stringify(asked) })
  return rows.map((row) => ({
    row,
    endpoint: destinationOf({ ...row, id: row.webhook_id, deleted_at: null }),
    content: { ...row, row_id: row.event_row },
  }))
}

/** One writer: what is read is still so when it is written. */
async function takeOneByOne(
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
