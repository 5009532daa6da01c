import { sql } from 'kysely'
import type { Db } from '../../../db/database.ts'
import { lockRow, unindexed } from '../../../db/dialect.ts'
import type { CompanyId, DeliveryState, ReplayTable } from '../../../db/tables.ts'
import { serviceEventNames } from '../../../domain/events.ts'
import type { Window } from '../../../http/paging.ts'

export type Replay = ReplayTable

/** Deliveries or events to replay. Times are inclusive milliseconds. Stored: the field name `of` cannot change. */
export type ReplaySelection =
  | { of: 'deliveries'; ids: string[] }
  | { of: 'range'; from: number; to: number; states: DeliveryState[] }
  | { of: 'missed'; from: number; to: number }

export async function insertReplay(db: Db, companyId: CompanyId, replay: Omit<Replay, 'company_id'>): Promise<void> {
  await db
    .insertInto('replay')
    .values({ ...replay, company_id: companyId })
    .execute()
}

export async function findReplay(db: Db, companyId: CompanyId, webhookId: string, id: string) {
  return db
    .selectFrom('replay')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function lockReplay(db: Db, companyId: CompanyId, id: string): Promise<Replay | undefined> {
  return lockRow(
    db,
    db.selectFrom('replay').selectAll().where('company_id', '=', companyId).where('id', '=', id),
  ).executeTakeFirst()
}

export async function updateReplay(
  db: Db,
  companyId: CompanyId,
  id: string,
  change: Partial<Pick<Replay, 'state' | 'cursor' | 'filled' | 'finished_at' | 'total'>>,
): Promise<void> {
  await db.updateTable('replay').set(change).where('company_id', '=', companyId).where('id', '=', id).execute()
}

const waiting: readonly DeliveryState[] = ['queued', 'leased', 'held']

/** Finished deliveries of a replay, by state. */
export async function countDone(
  db: Db,
  companyId: CompanyId,
  id: string,
): Promise<Partial<Record<DeliveryState, number>>> {
  const rows = await db
    .selectFrom('delivery')
    .select(['state', ({ fn }) => fn.countAll<number>().as('n')])
    .where('replay_id', '=', id)
    .where(unindexed('company_id'), '=', companyId)
    .where('state', 'not in', [...waiting])
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

export async function pageOfReplays(db: Db, companyId: CompanyId, webhookId: string, window: Window) {
  const mine = db.selectFrom('replay').where('company_id', '=', companyId).where('webhook_id', '=', webhookId)
  const { total } = await mine.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const replays = await mine
    .selectAll()
    .orderBy('created_at', window.order)
    .orderBy('id', window.order)
    .limit(window.limit)
    .offset(window.offset)
    .execute()
  return { replays, total }
}

/** Counts running replays; marks the finished ones as done. */
export async function countRunning(db: Db, companyId: CompanyId, at: number): Promise<number> {
  await db
    .updateTable('replay')
    .set({ state: 'done', finished_at: at })
    .where('company_id', '=', companyId)
    .where('state', '=', 'running')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('delivery')
            .select('delivery.id')
            .whereRef('delivery.replay_id', '=', 'replay.id')
            .where('delivery.state', 'in', [...waiting]),
        ),
      ),
    )
    .execute()
  const { n } = await db
    .selectFrom('replay')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('company_id', '=', companyId)
    .where('state', 'in', ['filling', 'running'])
    .executeTakeFirstOrThrow()
  return n
}

/** The given deliveries that belong to the webhook; a replayed delivery maps to its original. */
export async function originalsOf(db: Db, companyId: CompanyId, webhookId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('delivery')
    .select(['id', 'replay_of', 'kind'])
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
    .where('id', 'in', [...ids])
    .execute()
  return {
    known: new Set(rows.map(({ id }) => id)),
    originals: [...new Set(rows.filter(({ kind }) => kind !== 'test').map(({ id, replay_of }) => replay_of ?? id))],
  }
}

export interface Cursor {
  at: number
  row: number
}

/** Deliveries of a selection, in order of creation. */
export async function pageOfSelected(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  selection: Exclude<ReplaySelection, { of: 'missed' }>,
  after: Cursor,
  limit: number,
) {
  return (
    selectedDeliveries(db, companyId, webhookId, selection)
      .selectAll()
      // Redundant with the next condition, but lets the index start at the right place.
      .where('created_at', '>=', after.at)
      .where(({ or, and, eb }) =>
        or([eb('created_at', '>', after.at), and([eb('created_at', '=', after.at), eb('event_row', '>', after.row)])]),
      )
      .orderBy('created_at')
      .orderBy('event_row')
      .limit(limit)
      .execute()
  )
}

function selectedDeliveries(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  selection: Exclude<ReplaySelection, { of: 'missed' }>,
) {
  const mine = db
    .selectFrom('delivery')
    .where('webhook_id', '=', webhookId)
    .where(unindexed('company_id'), '=', companyId)
    .where('replay_of', 'is', null)
    .where('kind', '<>', 'test')
  return selection.of === 'deliveries'
    ? mine.where('id', 'in', selection.ids.concat(''))
    : mine
        .where('created_at', '>=', selection.from)
        .where('created_at', '<=', selection.to)
        .where('state', 'in', selection.states)
}

/** Events the webhook subscribes to without a delivery, because it was paused. */
export async function pageOfMissed(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  selection: { from: number; to: number },
  after: Cursor,
  limit: number,
) {
  const { rows } = await sql<{ row_id: number; id: string; name: string; resource_key: string; occurred_at: number }>`
    select e.row_id, e.id, e.name, e.resource_key, e.occurred_at ${missed(companyId, webhookId, selection)}
      and e.row_id > ${after.row}
    order by e.row_id limit ${limit}`.execute(db)
  return rows
}

/** An integration limited to some Numbers does not receive past events of others either. */
const missed = (companyId: CompanyId, webhookId: string, { from, to }: { from: number; to: number }) => sql`
  from event e join webhook w on w.id = ${webhookId} and w.company_id = ${companyId}
  where e.company_id = ${companyId} and e.test = 0
    and e.occurred_at >= ${from} and e.occurred_at <= ${to} and e.occurred_at >= w.created_at
    and e.resource <> 'integration' and e.resource_key <> ${`webhook:${webhookId}`}
    and ((w.all_events = 1 and e.name not in (${sql.join(serviceEventNames)}))
         or exists (select 1 from webhook_event s where s.webhook_id = w.id and s.name = e.name))
    and not exists (select 1 from delivery d where d.event_row = e.row_id and d.webhook_id = w.id)
    and not exists (
      select 1 from oauth_token t
      where t.id = w.oauth_token_id and t.restricted = 1 and e.number_id is not null and not exists (
        select 1 from oauth_token_number n where n.token_id = t.id and n.number_id = e.number_id))`

export async function countSelected(
  db: Db,
  companyId: CompanyId,
  webhookId: string,
  selection: ReplaySelection,
): Promise<number> {
  if (selection.of === 'missed') {
    const { rows } = await sql<{ n: number }>`select count(*) as n ${missed(companyId, webhookId, selection)}`.execute(
      db,
    )
    return rows[0]?.n ?? 0
  }
  const { n } = await selectedDeliveries(db, companyId, webhookId, selection)
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return n
}

/** Next sequence number of a resource for one webhook. */
export async function nextSequence(db: Db, companyId: CompanyId, webhookId: string, resourceKey: string) {
  const { last_seq } = await db
    .insertInto('stream')
    .values({ webhook_id: webhookId, resource_key: resourceKey, company_id: companyId, last_seq: 1 })
    .onConflict((conflict) =>
      conflict.columns(['webhook_id', 'resource_key']).doUpdateSet({ last_seq: sql`stream.last_seq + 1` }),
    )
    .returning('last_seq')
    .executeTakeFirstOrThrow()
  return last_seq
}

export async function cancelSomeOf(
  db: Db,
  companyId: CompanyId,
  id: string,
  at: number,
  limit: number,
): Promise<number> {
  for (const state of ['queued', 'held'] as const) {
    const some = db
      .selectFrom('delivery')
      .select('id')
      .where('replay_id', '=', id)
      .where(unindexed('company_id'), '=', companyId)
      .where('state', '=', state)
      .orderBy('event_row')
      .limit(limit)
    const { numUpdatedRows } = await db
      .updateTable('delivery')
      .set({ state: 'cancelled', blocking: 0, finished_at: at })
      .where('id', 'in', some)
      .where(unindexed('company_id'), '=', companyId)
      .where('state', '=', state)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) return Number(numUpdatedRows)
  }
  return 0
}
