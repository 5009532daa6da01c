import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A delivery that later events of a second resource wait for: `user.wut_start` before `call.hungup`. */
export async function up(db: Db) {
  await db.schema.alterTable('delivery').addColumn('precedes', 'text').execute()
  await db.schema
    .createIndex('delivery_preceding')
    .on('delivery')
    .columns(['webhook_id', 'precedes', 'event_row'])
    .where(sql<boolean>`precedes is not null and blocking = 1`)
    .execute()
}
