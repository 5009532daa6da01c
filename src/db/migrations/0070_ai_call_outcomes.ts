import type { Db } from '../database.ts'

/** How an outbound call of an AI agent ended (null for calls of earlier releases), and numbers that are not to be called. */
export async function up(db: Db) {
  await db.schema.alterTable('ai_outbound_call').addColumn('outcome', 'text').execute()
  await db.schema
    .createTable('call_opt_out')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('call_id', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('call_opt_out_pk', ['company_id', 'phone'])
    .execute()
  await db.schema
    .createIndex('call_opt_out_created')
    .on('call_opt_out')
    .columns(['company_id', 'created_at', 'phone'])
    .execute()
}
