import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { greater, leaseClock, notify, notifying, rowsFromJson, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type { CompanyId, DeliveryTable } from '../db/tables.ts'
import { isServiceEventName } from '../domain/events.ts'
import type { Clock } from '../lib/clock.ts'
import { ulid } from '../lib/ulid.ts'
import {
  type AttemptSlot,
  type Inserted,
  type PlannedDelivery,
  reserveSlots,
  sendAfterCommit,
  type TargetRow,
  targetColumns,
} from './direct-dispatch.ts'
import type { WrittenEvent } from './log.ts'

export interface Taking {
  company: CompanyId
  key: string
  name: string
  /**
   * Value of `all_events` that matches a webhook without a list of events: 1, or 2 (never stored) for service events.
   */
  everything: number
  except: string
  token: number
  number: number
}

/**
 * Assigns the next sequence number of each (webhook, resource) subscribed to the event. The `stream` row stays locked
 * until commit, so numbers follow commit order; rows are locked in webhook order, which prevents deadlocks.
 */
export const takingNumbers = (v: Taking) => sql<Stream>`
    insert into stream (webhook_id, resource_key, company_id, last_seq)
    select w.id, ${v.key}, w.company_id, 1 from webhook w
    where w.company_id = ${v.company} and w.deleted_at is null and w.status in ('active', 'disabled')
      and w.integration = 'on'
      and (w.all_events = ${v.everything}
           or exists (select 1 from webhook_event s where s.webhook_id = w.id and s.name = ${v.name}))
      and w.id <> ${v.except} and cast(${v.token} as bigint) in (0, coalesce(w.oauth_token_id, -1))
      and not exists (
        select 1 from oauth_token t
        where t.id = w.oauth_token_id and t.company_id = ${v.company}
          and (t.revoked_at is not null or (t.restricted = 1 and cast(${v.number} as bigint) <> 0 and not exists (
            select 1 from oauth_token_number n
            where n.token_id = t.id and n.number_id = ${v.number} and n.company_id = ${v.company}))))
    order by w.id
    on conflict (webhook_id, resource_key) do update set last_seq = stream.last_seq + 1
    returning webhook_id, last_seq`

/** The sequence number of the next delivery of this webhook. */
export interface Stream {
  webhook_id: string
  last_seq: number
}

const takeNumbers = hotQuery<Taking, Stream>((db, v) => takingNumbers(v).compile(db))

export const takingOf = (
  companyId: CompanyId,
  {
    resourceKey,
    stream = resourceKey,
    name,
    audience,
    numberId,
  }: Pick<WrittenEvent, 'resourceKey' | 'stream' | 'name' | 'audience' | 'numberId'>,
): Taking => ({
  company: companyId,
  key: stream,
  name,
  everything: isServiceEventName(name) ? 2 : 1,
  except: audience && 'except' in audience ? audience.except : '',
  token: audience && 'token' in audience ? audience.token : 0,
  number: numberId ?? 0,
})

/** Lets companies without webhooks skip the fan-out. */
const anyWebhook = hotQuery<{ company: CompanyId }, { id: string }>((db, v) =>
  sql<{ id: string }>`select id from webhook where company_id = ${v.company} and deleted_at is null limit 1`.compile(
    db,
  ),
)

/**
 * Inserts one delivery per subscribed webhook in the transaction of the change, so no crash can separate them. Returns
 * the webhooks with deliveries to send now.
 */
export async function fanOut(
  tx: Tx,
  clock: Clock,
  companyId: CompanyId,
  events: readonly WrittenEvent[],
  lateMs: number,
): Promise<Set<string>> {
  const woken = new Set<string>()
  const deliveries: PlannedDelivery[] = []
  const real = events.filter(({ test }) => !test)
  if (real.length === 0 || (await anyWebhook(tx, { company: companyId })).length === 0) return woken
  for (const event of real) {
    const streams = await takeNumbers(tx, takingOf(companyId, event))
    for (const { webhook_id, last_seq } of streams) {
      deliveries.push({ event, row: newDelivery(clock, companyId, event, webhook_id, last_seq, lateMs) })
    }
  }
  if (deliveries.length === 0) return woken
  const reserved = lateMs > 0 ? noneReserved : reserveSlots(tx, deliveries)
  const inserted = await insertAll(tx, { rows: rowsOf(deliveries, reserved) })
  const states = new Map(inserted.map(({ delivery_id, delivery_state }) => [delivery_id, delivery_state]))
  for (const { row } of deliveries) if (states.get(row.id) !== 'leased') woken.add(row.webhook_id)
  const leased = deliveries.filter(({ row }) => states.get(row.id) === 'leased')
  const targets =
    leased.length === 0 ? [] : await targetsOf(tx, { ids: JSON.stringify(leased.map(({ row }) => row.webhook_id)) })
  const byId = new Map(targets.map((target) => [target.id, target]))
  sendAfterCommit(
    tx,
    deliveries,
    reserved,
    inserted.flatMap((one) => {
      const target = byId.get(one.webhook_id)
      return target ? { ...one, ...target } : []
    }),
  )
  return woken
}

const noneReserved: ReadonlyMap<string, AttemptSlot> = new Map()

/** Deliveries as the statement reads them, with the lease of those that may be sent right after the commit. */
const rowsOf = (deliveries: readonly PlannedDelivery[], reserved: ReadonlyMap<string, AttemptSlot>) =>
  JSON.stringify(deliveries.map(({ row }) => ({ ...row, ...reserved.get(row.id)?.lease })))

const targetsOf = hotQuery<{ ids: string }, TargetRow>((db, { ids }) =>
  db
    .selectFrom('webhook')
    .select(targetColumns)
    .where('id', 'in', wordsFromJson(db, ids) as RawBuilder<string>)
    .compile(),
)

/** Due immediately plus `lateMs`; all other columns derive from the event and the webhook. */
export function newDelivery(
  clock: Clock,
  companyId: CompanyId,
  event: Pick<WrittenEvent, 'id' | 'rowId' | 'name' | 'resourceKey' | 'stream' | 'precedes'>,
  webhookId: string,
  seq: number,
  lateMs = 0,
): DeliveryTable {
  const at = clock.now()
  const machine = clock.machineNow()
  return {
    id: `dlv_${ulid(machine)}`,
    message_id: `msg_${ulid(machine)}`,
    webhook_id: webhookId,
    company_id: companyId,
    event_row: event.rowId,
    event_id: event.id,
    event_name: event.name,
    resource_key: event.resourceKey,
    seq,
    order_key: event.stream ?? event.resourceKey,
    precedes: event.precedes ?? null,
    replay_of: null,
    replay_id: null,
    state: 'queued',
    blocking: 1,
    kind: 'live',
    bulk: 0,
    probe: 0,
    priority: priorityOf(event.name),
    attempts: 0,
    lost_leases: 0,
    next_at: at + lateMs,
    asked: 0,
    lease_token: null,
    lease_until: null,
    worker_id: null,
    created_at: at,
    finished_at: null,
    last_status: null,
    last_error: null,
  }
}

const shape = {
  id: 'text',
  message_id: 'text',
  webhook_id: 'text',
  company_id: 'bigint',
  event_row: 'bigint',
  event_id: 'text',
  event_name: 'text',
  resource_key: 'text',
  seq: 'bigint',
  order_key: 'text',
  precedes: 'text',
  replay_of: 'text',
  replay_id: 'text',
  blocking: 'integer',
  kind: 'text',
  bulk: 'integer',
  probe: 'integer',
  priority: 'integer',
  attempts: 'integer',
  lost_leases: 'integer',
  next_at: 'bigint',
  asked: 'integer',
  created_at: 'bigint',
} as const satisfies Partial<Record<keyof DeliveryTable, string>>

/** Absent in rows that are not to be leased. */
const leaseShape = { lease_token: 'text', worker_id: 'text', lease_ms: 'bigint', machine_now: 'bigint' } as const

/**
 * Deliveries of a disabled webhook are held, probes excepted. Behind a delivery that waits for a retry, a new one is
 * not due before that retry. A delivery with a lease is leased if its webhook is active and nothing precedes it.
 */
const insertingAll = (db: Db, rows: string) => {
  const head = sql`
    (select case when b.state = 'queued' and b.attempts > 0 then b.next_at else 0 end from delivery b
     where b.webhook_id = given.webhook_id and b.order_key = given.order_key and b.blocking = 1
     order by b.seq limit 1)`
  const predecessor = sql`
    (select p.event_row from delivery p
     where p.webhook_id = given.webhook_id and p.precedes = given.order_key and p.blocking = 1 limit 1)`
  const isLeased = sql`(n.lease_token is not null and n.status = 'active' and n.integration = 'on'
    and n.head_at is null and n.predecessor is null)`
  const names = Object.keys(shape)
  const values = names.map((name) =>
    name === 'next_at' ? greater(db, sql`n.next_at`, sql`coalesce(n.head_at, 0)`) : sql`n.${sql.ref(name)}`,
  )
  return sql`
    insert into delivery (${sql.join(names.map((name) => sql.ref(name)))}, state, lease_token, worker_id, lease_until)
    select ${sql.join(values)},
      case when n.status is null then 'cancelled' when n.status = 'disabled' and n.probe = 0 then 'held'
        when ${isLeased} then 'leased' else 'queued' end,
      case when ${isLeased} then n.lease_token end, case when ${isLeased} then n.worker_id end,
      case when ${isLeased} then ${leaseClock(db, sql`n.machine_now`)} + n.lease_ms end
    from (
      select given.*, w.status, w.integration, ${head} as head_at,
        case when given.lease_token is null then null else ${predecessor} end as predecessor
      from ${rowsFromJson(db, rows, { ...shape, ...leaseShape })}
      left join webhook w on w.id = given.webhook_id and w.company_id = given.company_id) n`
}

type InsertedRow = Inserted & { webhook_id: string }
const inserted = sql`id as delivery_id, webhook_id, state as delivery_state`

const insertAll = hotQuery<{ rows: string }, InsertedRow>((db, { rows }) =>
  sql<InsertedRow>`${insertingAll(db, rows)} returning ${inserted}`.compile(db),
)

const insertAndWake = hotQuery<{ rows: string }, Inserted & TargetRow>(
  (db, { rows }) =>
    sql<Inserted & TargetRow>`
    with added as (${insertingAll(db, rows)} returning ${inserted})
    select added.delivery_id, added.delivery_state,
      ${sql.join(targetColumns.map((name) => sql.ref(`w.${name}`)))},
      (select ${notifying('delivery', sql`string_agg(waiting.webhook_id, ',')`)} from added waiting
       where waiting.delivery_state = 'queued' having count(*) > 0)
    from added join webhook w on w.id = added.webhook_id`.compile(db),
  { keepsPlan: true, unawaited: true },
)

/** Variant for one event on PostgreSQL: deliveries and notification in one statement. */
export async function deliverTo(
  tx: Tx,
  clock: Clock,
  companyId: CompanyId,
  event: WrittenEvent,
  streams: readonly Stream[],
  lateMs: number,
): Promise<void> {
  if (streams.length === 0) return
  const deliveries = streams.map(({ webhook_id, last_seq }) => ({
    event,
    row: newDelivery(clock, companyId, event, webhook_id, last_seq, lateMs),
  }))
  const reserved = lateMs > 0 ? noneReserved : reserveSlots(tx, deliveries)
  const added = await insertAndWake(tx, { rows: rowsOf(deliveries, reserved) })
  sendAfterCommit(tx, deliveries, reserved, added)
}

export async function insertDeliveries(tx: Tx, deliveries: readonly DeliveryTable[]): Promise<void> {
  if (deliveries.length > 0) await insertAll(tx, { rows: JSON.stringify(deliveries) })
}

/**
 * Call events first, together with the start of wrap-up, which `call.hungup` waits for. Utterances of active calls
 * last: they are numerous and quickly outdated.
 */
function priorityOf(name: string): number {
  if (name.startsWith('call.') || name.startsWith('user.wut_start')) return 0
  return name === 'realtime_transcription.utterances_received' ? 2 : 1
}

/** Only a hint: the dispatcher's sweep finds deliveries whose notification was lost. */
export async function wakeDispatcher(tx: Tx, webhookIds: Iterable<string>): Promise<void> {
  const ids = [...webhookIds].join(',')
  if (ids !== '') await notify(tx, 'delivery', ids)
}
