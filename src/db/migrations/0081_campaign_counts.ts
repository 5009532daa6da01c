import type { Db } from '../database.ts'

/** The progress of campaigns is counted in an index, without reading their recipients. */
export async function up(db: Db) {
  await db.schema
    .createIndex('ai_campaign_recipient_counts')
    .on('ai_campaign_recipient')
    .columns(['campaign_id', 'status', 'last_outcome', 'company_id'])
    .execute()
}
