import type { Db } from '../database.ts'

/** Outbound calls of AI voice agents can be read, with the reason of a failure. */
export async function up(db: Db) {
  await db.schema.alterTable('ai_outbound_call').addColumn('failure_reason', 'text').execute()
  await db.schema
    .createIndex('ai_outbound_call_list')
    .on('ai_outbound_call')
    .columns(['company_id', 'created_at', 'id'])
    .execute()
}
