import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Voicemails of calls that an agent had answered before, such as a transfer that was not answered. */
export async function up(db: Db) {
  await db.schema
    .createIndex('call_answered_voicemail')
    .on('call')
    .columns(['company_id', 'started_at', 'id'])
    .where(sql<boolean>`voicemail is not null and missed_call_reason is null`)
    .execute()
}
