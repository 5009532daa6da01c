import { type RawBuilder, sql } from 'kysely'
import { type Db, looseTransaction, type Tx } from '../db/database.ts'
import { hasLateral, leaseClock, livingKeys, lockRow, notify, rowsFromJson, wordsFromJson } from '../db/dialect.ts'
import { hotQuery } from '../db/hot-query.ts'
import type {
  AttemptTable,
  CompanyId,
  DeliveryKind,
  DeliveryState,
  DeliveryTable,
  Flag,
  WebhookTable,
} from '../db/tables.ts'
import type { Health } from '../domain/delivery/health.ts'
import { fastPhase, maxAttempts } from '../domain/delivery/schedule.ts'
import { deletionEvent } from '../domain/events.ts'

// The dispatcher works for all companies at once: it is given webhooks by their id, and finds rows by them.

/** A webhook as the dispatcher needs it: where to, with which secrets, how it fared. */
export interface Endpoint {
  id: string
  companyId: CompanyId
  url: string
  customName: string
  token: string
  /** `paused` also when the integration it belongs to is switched off. */
  status: WebhookTable['status']
  isDeleted: boolean
  /** Its integration was removed: that is the last thing it is told. */
  isIntegrationRemoved: boolean
  secrets: { current: string | null; previous: string | null; previousUntil: number | null }
  probeUntil: number | null
  createdBy: number | null
  health: Health
}

const endpointColumns = [
  'id',
  'company_id',
  'url',
  'custom_name',
  'token',
  'status',
  'integration',
  'deleted_at',
  'secret_current',
  'secret_previous',
  'secret_previous_until',
  'probe_until',
  'created_by',
  'health',
  'consecutive_failures',
  'failing_since',
  'last_success_at',
  'warned_level',
  'cap',
  'streak',
] as const

/** Where to and with what, as it is now: an address that was changed a moment ago is called no more. */
export type Destination = Pick<
  Endpoint,
  'id' | 'url' | 'token' | 'status' | 'isDeleted' | 'isIntegrationRemoved' | 'secrets'
>

const destinationColumns = [
  'id',
  'url',
  'token',
  'status',
  'integration',
  'deleted_at',
  'secret_current',
  'secret_previous',
  'secret_previous_until',
] as const

const destinationsById = hotQuery<{ ids: string }, Pick<EndpointRow, (typeof destinationColumns)[number]>>(
  (db, { ids }) =>
    db
      .selectFrom('webhook')
      .select(destinationColumns)
      .where('id', 'in', wordsFromJson(db, ids) as RawBuilder<string>)
      .compile(),
)

async function readDestinations(db: Db, ids: readonly string[]): Promise<Map<string, Destination>> {
  const rows = await destinationsById(db, { ids: JSON.stringify(ids) })
  return new Map(rows.map((row) => [row.id, destinationOf(row)]))
}

const destinationOf = (row: Pick<EndpointRow, (typeof destinationColumns)[number]>): Destination => ({
  id: row.id,
  url: row.url,
  token: row.token,
  status: statusOf(row),
  isDeleted: row.deleted_at !== null,
  isIntegrationRemoved: row.integration === 'removed',
  secrets: { current: row.secret_current, previous: row.secret_previous, previousUntil: row.secret_previous_until },
})

const statusOf = ({ status, integration }: Pick<EndpointRow, 'status' | 'integration'>) =>
  integration === 'off' ? 'paused' : status

const endpointsById = hotQuery<{ ids: string }, EndpointRow>((db, { ids }) =>
  db
    .selectFrom('webhook')
    .select(endpointColumns)
    .where('id', 'in', wordsFromJson(db, ids) as RawBuilder<string>)
    .compile(),
)

type EndpointRow = Pick<
  { [K in keyof WebhookTable]: WebhookTable[K] extends { __select__: infer S } ? S : WebhookTable[K] },
  (typeof endpointColumns)[number]
>

export async function readEndpoints(db: Db, ids: readonly string[]): Promise<Endpoint[]> {
  return (await endpointsById(db, { ids: JSON.stringify(ids) })).map(endpointOf)
}

/** In one order for everybody, so that two processes never wait for each other. */
const lockedById = hotQuery<{ ids: string }, EndpointRow>((db, { ids }) => {
  const query = db
    .selectFrom('webhook')
    .select(endpointColumns)
    .where('id', 'in', wordsFromJson(db, ids) as RawBuilder<string>)
    .orderBy('id')
  return lockRow(db, query).compile()
})

export async function lockEndpoints(tx: Tx, ids: readonly string[]): Promise<Endpoint[]> {
  return (await lockedById(tx, { ids: JSON.stringify(ids) })).map(endpointOf)
}

function endpointOf(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    companyId: row.company_id,
    url: row.url,
    customName: row.custom_name,
    token: row.token,
    status: statusOf(row),
    isDeleted: row.deleted_at !== null,
    isIntegrationRemoved: row.integration === 'removed',
    secrets: { current: row.secret_current, previous: row.secret_previous, previousUntil: row.secret_previous_until },
    probeUntil: row.probe_until,
    createdBy: row.created_by,
    health: {
      state: row.health,
      consecutiveFailures: row.consecutive_failures,
      failingSince: row.failing_since,
      lastSuccessAt: row.last_success_at,
      warnedLevel: row.warned_level as Health['warnedLevel'],
      cap: row.cap,
      streak: row.streak,
    },
  }
}

const updateHealth = hotQuery<Health & { id: string }, never>((db, v) =>
  sql<never>`
    update webhook set health = ${v.state}, consecutive_failures = ${v.consecutiveFailures},
      failing_since = ${v.failingSince}, last_success_at = ${v.lastSuccessAt}, warned_level = ${v.warnedLevel},
      cap = ${v.cap}, streak = ${v.streak}
    where id = ${v.id}`.compile(db),
)

export async function saveHealth(tx: Db, id: string, health: Health): Promise<void> {
  await updateHealth(tx, { ...health, id })
}

const updateSuccess = hotQuery<Pick<Health, 'cap' | 'streak' | 'lastSuccessAt'> & { id: string }, never>((db, v) =>
  sql<never>`
    update webhook set last_success_at = ${v.lastSuccessAt}, cap = ${v.cap}, streak = ${v.streak}
    where id = ${v.id}`.compile(db),
)

/** The receiver goes on being well: the rest of its health is as it was. */
export async function saveSuccess(
  tx: Db,
  id: string,
  success: Pick<Health, 'cap' | 'streak' | 'lastSuccessAt'>,
): Promise<void> {
  await updateSuccess(tx, { ...success, id })
}

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

/** Replays among these that were cancelled: what was out when that happened is not repeated. */
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

/** What became of one attempt. */
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

/** Only rows whose lease is still held: what another process has taken over is not ours to end. */
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

/** A result that came too late is written down as that; what was said about a person erased meanwhile is not kept. */
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

/** The ids of deliveries that were ours to end, and whether a later one of its resource waits behind it. */
export type Kept = ReadonlyMap<string, boolean>

const keptOf = (rows: readonly Ended[]): Kept => new Map(rows.map(({ id, followed }) => [id, followed === 1]))

/** Ends deliveries and writes their attempts down. */
export async function record(db: Db, settled: readonly Settled[], attempts: readonly NewAttempt[]): Promise<Kept> {
  const given = { settled: JSON.stringify(settled), attempts: JSON.stringify(attempts) }
  if (hasLateral(db)) return keptOf(await recordAtOnce(db, given))
  const ended = await settle(db, given)
  const done = ended.map(({ id }) => id)
  // The usual case: nobody else had any of them.
  if (done.length === attempts.length) await logKept(db, given)
  else await logSome(db, { ...given, done: JSON.stringify(done) })
  return keptOf(ended)
}

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

/** While the first of a resource waits for its next quick attempt, those behind it need not be looked at. */
export async function pushFollowers(tx: Db, head: Head): Promise<void> {
  await push(tx, head)
  if (head.precedes !== null) await pushPreceded(tx, head)
}

/** When each webhook next has something to send: a few steps per webhook, however long its queue is. */
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

/** Leases that ran out, or all of them where only a process that is gone can have held one. */
export async function freeLeases(db: Db, which: { deadSince: number } | { machineNow: number }): Promise<string[]> {
  return 'deadSince' in which
    ? freed(db, sql`true`, which.deadSince)
    : freed(db, sql`lease_until < ${leaseClock(db, which.machineNow)}`, undefined)
}

export const freeLeasesOf = (db: Db, workerIds: readonly string[], deadSince: number | undefined): Promise<string[]> =>
  freed(db, sql`worker_id in ${wordsFromJson(db, JSON.stringify(workerIds))}`, deadSince)

/** Due at once, with no attempt used up; a delivery that ends five processes has failed once. */
async function freed(db: Db, whose: RawBuilder<unknown>, deadSince: number | undefined): Promise<string[]> {
  const { rows } = await sql<
    Pick<DeliveryTable, 'id' | 'webhook_id' | 'company_id' | 'event_row' | 'kind' | 'attempts'>
  >`
    update delivery set lease_token = null, lease_until = null,
      state = case when lost_leases >= 4 and attempts + 1 >= ${sql.lit(maxAttempts)} then 'exhausted' else 'queued' end,
      blocking = case when lost_leases >= 4 and attempts + 1 >= ${sql.lit(fastPhase)} then 0 else blocking end,
      attempts = case when lost_leases >= 4 then attempts + 1 else attempts end,
      lost_leases = case when lost_leases >= 4 then 0 else lost_leases + 1 end
    where state = 'leased' and ${whose}
    returning id, webhook_id, company_id, event_row, kind, attempts`.execute(db)
  // A process that only hangs may still tell how it ended. Of one that is dead nobody will: the receiver may have got it.
  const lost = deadSince === undefined ? [] : rows
  const attempts = lost.map((row) => ({
    delivery_id: row.id,
    company_id: row.company_id,
    event_row: row.event_row,
    n: row.attempts + 1,
    kind: row.kind,
    started_at: deadSince ?? 0,
    duration_ms: 0,
    phase: 'sent',
    status: null,
    error_class: 'lost',
    detail: 'the process that sent it ended',
    request_headers: '',
    response_headers: '',
    response_body: '',
    worker_id: '',
  }))
  for (let i = 0; i < attempts.length; i += 500) await record(db, [], attempts.slice(i, i + 500))
  const webhookIds = rows.map(({ webhook_id }) => webhook_id)
  // The process that owns the webhook may be another one: it need not wait for its next sweep.
  const woken = [...new Set(webhookIds)]
  for (let i = 0; i < woken.length; i += 100) await notify(db, 'delivery', woken.slice(i, i + 100).join(','))
  return webhookIds
}

/** A process that ends in order gives back what it never sent. */
export async function returnLeases(db: Db, workerId: string): Promise<void> {
  await sql`
    update delivery set state = 'queued', lease_token = null, lease_until = null
    where state = 'leased' and worker_id = ${workerId}`.execute(db)
}

/** Retries that fell due long ago: they come back little by little, not all in one second. */
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

/** After rows were moved in time: nobody stands before the one it waits for. */
export async function alignFollowers(db: Db): Promise<void> {
  await sql`
    update delivery set next_at = head.next_at
    from delivery head
    where delivery.state = 'queued' and delivery.blocking = 1 and head.state = 'queued' and head.blocking = 1
      and head.attempts > 0 and head.webhook_id = delivery.webhook_id and head.order_key = delivery.order_key
      and head.seq < delivery.seq and head.next_at > delivery.next_at`.execute(db)
}

/** The host's clock was set: nothing may lie further ahead than its own pause. */
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

export interface Worker {
  id: string
  fresh: boolean
  /** Silent for so long that its leases are anybody's. */
  gone: boolean
  /** It has ended; otherwise it may only hang. */
  dead: boolean
}

/** Says that this process lives, and who else does. */
export async function beat(
  db: Db,
  me: { id: string; startedAt: number; build: string; lifeKey: number },
  limits: { beatMs: number; freshMs: number; goneMs: number; machineNow: number },
): Promise<Worker[]> {
  const now = leaseClock(db, limits.machineNow)
  await sql`
    insert into worker (id, started_at, heartbeat_at, build, life_key)
    values (${me.id}, ${me.startedAt}, ${now}, ${me.build}, ${me.lifeKey})
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`.execute(db)
  const { rows } = await sql<{ id: string; age: number; life_key: number }>`
    select id, ${now} - heartbeat_at as age, life_key from worker`.execute(db)
  const living = await livingKeys(db)
  return rows.map(({ id, age, life_key }) => {
    // Its connection may be about to come back, so one beat is waited for; a process that hangs keeps its connection.
    const isDead = !living.has(life_key) && age > limits.beatMs
    return { id, fresh: age < limits.freshMs && !isDead, gone: age > limits.goneMs || isDead, dead: isDead }
  })
}

export async function forgetWorkers(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await db
      .deleteFrom('worker')
      .where('id', 'in', [...ids])
      .execute()
}

/** For the metrics: what waits in each lane, what is held, and how webhooks fare. No name of anybody. */
export async function countWaiting(db: Db) {
  const waiting = await db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .select(['delivery.bulk', 'webhook.health', ({ fn }) => fn.countAll<number>().as('n')])
    .where('delivery.state', '=', 'queued')
    .groupBy(['delivery.bulk', 'webhook.health'])
    .execute()
  const held = await db
    .selectFrom('delivery')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('state', '=', 'held')
    .executeTakeFirstOrThrow()
  const endpoints = await db
    .selectFrom('webhook')
    .select(['status', 'health', ({ fn }) => fn.countAll<number>().as('n')])
    .where('deleted_at', 'is', null)
    .groupBy(['status', 'health'])
    .execute()
  return { waiting, held: held.n, endpoints }
}

/** How many are due up to the instant and not settled; asked state by state, because each has its own index. */
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
