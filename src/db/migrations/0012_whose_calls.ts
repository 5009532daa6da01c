import { sql } from 'kysely'
import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Which calls rang on somebody.
  await db.schema
    .createIndex('ring_attempt_user')
    .on('ring_attempt')
    .columns(['company_id', 'user_id', 'started_at', 'call_id'])
    .execute()
  // Missed calls are few among many, and the ones people look for.
  await db.schema
    .createIndex('call_missed')
    .on('call')
    .columns(['company_id', 'started_at', 'id'])
    .where(sql<boolean>`missed_call_reason is not null`)
    .execute()
}
