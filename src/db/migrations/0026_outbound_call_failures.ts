import type { Db } from '../database.ts'

/** Calls that AI voice agents were asked to make can be read, with the reason why one failed. */
export async function up(db: Db) {
  await db.schema.alterTable('ai_outbound_call').addColumn('failure_reason', 'text').execute()
  await db.schema
    .createIndex('ai_outbound_call_list')
    .on('ai_outbound_call')
    .columns(['company_id', 'created_at', 'id'])
    .execute()
}
