import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Delivery log by event and by response status of failures. Most deliveries succeed, so the second index is small. */
export async function up(db: Db) {
  await db.schema
    .createIndex('delivery_log_event')
    .on('delivery')
    .columns(['webhook_id', 'event_name', 'created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('delivery_refused')
    .on('delivery')
    .columns(['webhook_id', 'last_status', 'created_at', 'id', 'event_name'])
    .where(sql<boolean>`last_status >= 300`)
    .execute()
}
