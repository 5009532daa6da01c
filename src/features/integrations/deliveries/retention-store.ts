import type { Db } from '../../../db/database.ts'
import type { CompanyId } from '../../../db/tables.ts'

// Retention of events, deliveries and replays, across companies.

/** Expires deliveries held for 14 days: they are sent only by a replay. */
export async function expireSome(db: Db, before: number, at: number, limit: number): Promise<number> {
  const some = db
    .selectFrom('delivery')
    .select('id')
    .where('state', '=', 'held')
    .where('created_at', '<', before)
    .limit(limit)
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set({ state: 'expired', blocking: 0, finished_at: at })
    .where('id', 'in', some)
    .where('state', '=', 'held')
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Across companies: deletes old events with their deliveries and attempts. */
export async function deleteOldEvents(db: Db, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('event')
    .select('row_id')
    .where('occurred_at', '<', before)
    .orderBy('occurred_at')
    .limit(limit)
    .execute()
  if (old.length === 0) return 0
  const rows = old.map(({ row_id }) => row_id)
  const deliveries = await db.selectFrom('delivery').select('id').where('event_row', 'in', rows).execute()
  const ids = deliveries.map(({ id }) => id)
  for (let i = 0; i < ids.length; i += 500) {
    const some = ids.slice(i, i + 500)
    await db.deleteFrom('attempt').where('delivery_id', 'in', some).execute()
    await db.deleteFrom('delivery').where('id', 'in', some).execute()
  }
  await db.deleteFrom('event').where('row_id', 'in', rows).execute()
  return rows.length
}

/** Deletes replays past their retention. */
export async function deleteOldReplays(db: Db, before: number): Promise<void> {
  await db.deleteFrom('replay').where('created_at', '<', before).where('state', 'in', ['done', 'cancelled']).execute()
}

/** Across companies: enabled webhooks that still have held deliveries. */
export async function activeWithHeld(db: Db): Promise<{ id: string; company_id: CompanyId }[]> {
  return db
    .selectFrom('webhook')
    .select(['id', 'company_id'])
    .where('status', '=', 'active')
    .where('integration', '=', 'on')
    .where('deleted_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('delivery')
          .select('delivery.id')
          .whereRef('delivery.webhook_id', '=', 'webhook.id')
          .where('delivery.state', '=', 'held'),
      ),
    )
    .execute()
}
