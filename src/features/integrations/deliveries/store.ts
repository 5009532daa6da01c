import { type SelectQueryBuilder, sql, type UpdateObject } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { readApart, unindexed, unindexedText, usingIndex } from '../../../db/dialect.ts'
import type { AttemptTable, CompanyId, DeliveryKind, DeliveryState, DeliveryTable, Tables } from '../../../db/tables.ts'
import { deletionEvent, eventKind, eventNames, serviceEventNames } from '../../../domain/events.ts'
import type { Window } from '../../../http/paging.ts'

// The delivery log, and bulk changes to it. Small batches keep transactions short.

export type Delivery = DeliveryTable
export type Attempt = Omit<AttemptTable, 'id'>

export interface DeliveryFilter {
  state?: DeliveryState | undefined
  event?: string | undefined
  resourceId?: string | undefined
  status?: number | undefined
  kind?: DeliveryKind | undefined
  replayId?: string | undefined
}

type Query = SelectQueryBuilder<Tables, 'delivery', object>

function matching(db: Db, companyId: CompanyId, webhookId: string, filter: DeliveryFilter, window: Window): Query {
  // The company is checked on the webhook: a check on each delivery would read every counted row.
  const mine = db.selectFrom('webhook').select('id').where('id', '=', webhookId).where('company_id', '=', companyId)
  const lead = leadOf(filter)
  const webhook = lead === 'resource' ? unindexedText(db, 'webhook_id') : 'webhook_id'
  let query = db.selectFrom('delivery').where(webhook, '=', mine) as Query
  if (window.from !== undefined) query = query.where('created_at', '>=', window.from)
  if (window.to !== undefined) query = query.where('created_at', '<=', window.to)
  if (filter.state !== undefined) query = query.where(inState(db, filter.state))
  if (filter.event !== undefined)
    query = query.where(lead === 'event' ? 'event_name' : unindexedText(db, 'event_name'), '=', filter.event)
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind)
  if (filter.replayId !== undefined) query = query.where('replay_id', '=', filter.replayId)
  if (filter.status !== undefined) query = query.where(withStatus(filter.status, lead === 'status'))
  if (filter.resourceId !== undefined) {
    // Resource keys have the form `call:12`; any kind matches. A resource has few events, and an event few deliveries.
    const keys = resourceKinds.map((kind) => `${kind}:${filter.resourceId}`)
    const events = db
      .selectFrom('event')
      .select('row_id')
      .where('company_id', '=', companyId)
      .where('resource_key', 'in', keys)
    query = query.where('event_row', 'in', events)
  }
  return query
}

/** The most selective filter determines the index; the others filter its result. */
function leadOf({ resourceId, replayId, state, status, event }: DeliveryFilter) {
  if (resourceId !== undefined) return 'resource'
  if (replayId !== undefined) return 'replay'
  if (state !== undefined && failed.includes(state)) return 'state'
  if (status !== undefined && status >= 300) return 'status'
  return event === undefined ? 'time' : 'event'
}

// Reports and conversation results have resource kinds of their own.
const resourceKinds = [
  ...new Set([...eventNames, ...serviceEventNames].map((name): string => eventKind(name).resource)),
  'export',
  'insight',
]

const failed: readonly DeliveryState[] = ['exhausted', 'expired', 'cancelled']

/** Failed deliveries are few and have a partial index, which a database uses only if the statement contains the literal. */
function inState(db: Db, state: DeliveryState) {
  if (!failed.includes(state)) return sql<boolean>`${unindexedText(db, 'state')} = ${state}`
  const words = sql.join(failed.map((one) => sql.lit(one)))
  return sql<boolean>`state in (${words}) and ${unindexedText(db, 'state')} = ${state}`
}

/** The same for rejected deliveries. */
const withStatus = (status: number, leads: boolean) =>
  leads
    ? sql<boolean>`last_status >= 300 and last_status = ${status}`
    : sql<boolean>`${unindexed('last_status')} = ${status}`

/** `total` counts up to the last page. */
export async function pageOfDeliveries(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  filter: DeliveryFilter,
  window: Window,
) {
  const mine = matching(db, companyId, webhookId, filter, window)
  const within = mine.select(sql`1`.as('one')).limit(window.wall)
  const count = db.selectFrom(within.as('within')).select(({ fn }) => fn.countAll<number>().as('total'))
  // IDs first, from a covering index; with full rows SQLite would choose an index that needs a look-up per row.
  const ids = mine
    .select('id')
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
  const page = db
    .selectFrom('delivery')
    .selectAll()
    .where(unindexed('company_id'), '=', companyId)
    .where('id', 'in', ids)
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
  const deliveries = await readApart(db, page.compile())
  // A page that is not full ends the list, so that filters with few results are evaluated once.
  const isEnd = deliveries.length < window.limit && (deliveries.length > 0 || window.offset === 0)
  if (isEnd) return { deliveries, total: window.offset + deliveries.length }
  const [counted] = await readApart(db, count.compile())
  return { deliveries, total: counted?.total ?? 0 }
}

export async function findDelivery(db: Db, companyId: CompanyId, webhookId: string, id: string) {
  return db
    .selectFrom('delivery')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function findContent(db: Db, companyId: CompanyId, row: number) {
  return db
    .selectFrom('event')
    .select(['row_id', 'name', 'resource', 'occurred_at', 'data', 'asset_refs'])
    .where('company_id', '=', companyId)
    .where('row_id', '=', row)
    .executeTakeFirst()
}

export async function attemptsOfDelivery(db: Db, companyId: CompanyId, deliveryId: string): Promise<Attempt[]> {
  return db
    .selectFrom('attempt')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('delivery_id', '=', deliveryId)
    .orderBy('id')
    .execute()
}

const indexOf = { queued: 'delivery_due', leased: 'delivery_leased', held: 'delivery_held' }

/** Each state has a partial index, which a database considers only when the statement contains the literal. */
async function waitingIn(db: Db, companyId: CompanyId, webhookId: string, state: 'queued' | 'leased' | 'held') {
  // Few deliveries are in flight at a time, for all webhooks together.
  const webhook = state === 'leased' ? unindexedText(db, 'webhook_id') : sql.ref('webhook_id')
  const { rows } = await sql<{ n: number; oldest: number | null }>`
    select count(*) as n, min(created_at) as oldest from delivery ${usingIndex(db, indexOf[state])}
    where state = ${sql.lit(state)} and ${webhook} = ${webhookId} and ${unindexed('company_id')} = ${companyId}`.execute(
    db,
  )
  return { state, n: rows[0]?.n ?? 0, oldest: rows[0]?.oldest ?? null }
}

/** Pending deliveries and the age of the oldest, and recent response times. */
export async function outlookOf(db: Db, companyId: CompanyId, webhookId: string) {
  const mine = db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
  const waiting = await Promise.all(
    (['queued', 'leased', 'held'] as const).map((state) => waitingIn(db, companyId, webhookId, state)),
  )
  const lately = await mine
    .select(['id', 'state', 'finished_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(200)
    .execute()
  const times = await db
    .selectFrom('attempt')
    .select('duration_ms')
    .where('delivery_id', 'in', lately.map(({ id }) => id).concat(''))
    .where(unindexed('company_id'), '=', companyId)
    .where('status', 'is not', null)
    .orderBy('duration_ms')
    .execute()
  const of = (...states: DeliveryState[]) => waiting.filter(({ state }) => states.includes(state))
  const pending = of('queued', 'leased')
  const oldest = pending.flatMap((one) => one.oldest ?? [])
  return {
    pending: pending.reduce((sum, { n }) => sum + n, 0),
    held: of('held').reduce((sum, { n }) => sum + n, 0),
    oldestPendingAt: oldest.length > 0 ? Math.min(...oldest) : null,
    durations: times.map(({ duration_ms }) => duration_ms),
    lastSuccessAt: Math.max(
      0,
      ...lately.map(({ state, finished_at }) => (state === 'delivered' ? (finished_at ?? 0) : 0)),
    ),
  }
}

type Change = UpdateObject<Tables, 'delivery', 'delivery'>

/** Moves one batch of deliveries from one state to another. */
async function move(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  from: 'queued' | 'held',
  change: Change,
  limit: number,
  only: (query: Query) => Query = (query) => query,
): Promise<number> {
  const mine = db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
    .where('state', '=', from) as Query
  return changed(
    await db
      .updateTable('delivery')
      .set(change)
      .where('id', 'in', only(mine).select('id').limit(limit))
      .where('company_id', '=', companyId)
      .where('state', '=', from)
      .executeTakeFirst(),
  )
}

/** Probes continue unless the owner paused the webhook; tests continue always. */
export function holdSome(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  isPaused: boolean,
  limit: number,
): Promise<number> {
  return move(db, companyId, webhookId, 'queued', { state: 'held', probe: 0 }, limit, (query) =>
    isPaused ? query.where('kind', '<>', 'test') : query.where('probe', '=', 0),
  )
}

/** Queues held deliveries again, in the backlog; the order per resource is kept. */
export function releaseSome(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  at: number,
  limit: number,
): Promise<number> {
  const kind = sql<DeliveryKind>`case when kind = 'live' then 'backlog' else kind end`
  const change: Change = { state: 'queued', kind, bulk: 1, probe: 0, next_at: at }
  return move(db, companyId, webhookId, 'held', change, limit, (query) => query.orderBy('created_at'))
}

/** Whether the attempt of a test event created after `since` has not ended. */
export async function isTestAwaited(db: Db, companyId: CompanyId, webhookId: string, since: number): Promise<boolean> {
  const row = await db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
    .where('state', 'in', ['queued', 'leased'])
    .where('kind', '=', 'test')
    .where('created_at', '>', since)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Cancels all deliveries except the deletion event of a removed integration. */
export async function cancelSome(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  at: number,
  limit: number,
): Promise<number> {
  const change: Change = { state: 'cancelled', blocking: 0, finished_at: at }
  const queued = await move(db, companyId, webhookId, 'queued', change, limit, (query) =>
    query.where('event_name', '<>', deletionEvent),
  )
  return queued > 0 ? queued : move(db, companyId, webhookId, 'held', change, limit)
}

/** Next attempt of the deletion event; undefined once it was delivered or has failed for good. */
export async function deletionEventDue(db: Db, companyId: CompanyId, webhookId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('delivery')
    .select('next_at')
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
    .where('event_name', '=', deletionEvent)
    .where('kind', '<>', 'test')
    .where('state', 'in', ['queued', 'leased'])
    .limit(1)
    .executeTakeFirst()
  return row?.next_at
}

const changed = (result: { numUpdatedRows?: bigint; numDeletedRows?: bigint }) =>
  Number(result.numUpdatedRows ?? result.numDeletedRows ?? 0n)

/** Whether an attempt is in flight. Few are, so that a scan is cheap. */
export async function isUnderWay(db: Db, companyId: CompanyId, webhookId: string): Promise<boolean> {
  const row = await db
    .selectFrom('delivery')
    .select('id')
    .where('state', '=', 'leased')
    .where(unindexedText(db, 'webhook_id'), '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes deliveries of a deleted webhook with their attempts. */
export async function deleteSome(db: Db, companyId: CompanyId, webhookId: string, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
    .limit(limit)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  await db
    .deleteFrom('attempt')
    .where('delivery_id', 'in', ids)
    .where(unindexed('company_id'), '=', companyId)
    .execute()
  await db.deleteFrom('delivery').where('id', 'in', ids).where(unindexed('company_id'), '=', companyId).execute()
  return ids.length
}

/**
 * Queues one delivery as a probe of a disabled webhook: the oldest held one, else the newest exhausted one. An existing probe
 * is not duplicated.
 */
export async function putForward(db: Db, companyId: CompanyId, webhookId: string, at: number): Promise<boolean> {
  const mine = db
    .selectFrom('delivery')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
  const row =
    (await mine.where('state', '=', 'held').orderBy('created_at').orderBy('seq').limit(1).executeTakeFirst()) ??
    (await mine
      .where(unindexedText(db, 'state'), '=', 'exhausted')
      .where('kind', '<>', 'test')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst())
  if (!row) return false
  await db
    .updateTable('delivery')
    .set({ state: 'queued', probe: 1, bulk: 0, next_at: at })
    .where('company_id', '=', companyId)
    .where('id', '=', row.id)
    .where('state', 'in', ['held', 'exhausted'])
    .execute()
  return true
}

export async function exhaustedSince(db: Db, companyId: CompanyId, since: number) {
  const rows = await db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .select(['webhook.id', 'webhook.custom_name', 'webhook.url', ({ fn }) => fn.countAll<number>().as('n')])
    .where('delivery.company_id', '=', companyId)
    .where('delivery.state', '=', 'exhausted')
    .where('delivery.kind', '<>', 'test')
    .where('delivery.finished_at', '>=', since)
    .where('webhook.deleted_at', 'is', null)
    .groupBy(['webhook.id', 'webhook.custom_name', 'webhook.url'])
    .execute()
  return rows.map(({ id, custom_name, url, n }) => ({ webhook: { id, customName: custom_name, url }, n }))
}
