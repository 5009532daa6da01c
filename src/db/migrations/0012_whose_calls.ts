import { sql } from 'kysely'
import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Calls that rang on a user's phone.
  await db.schema
    .createIndex('ring_attempt_user')
    .on('ring_attempt')
    .columns(['company_id', 'user_id', 'started_at', 'call_id'])
    .execute()
  // Missed calls are rare and often searched for.
  await db.schema
    .createIndex('call_missed')
    .on('call')
    .columns(['company_id', 'started_at', 'id'])
    .where(sql<boolean>`missed_call_reason is not null`)
    .execute()
}
