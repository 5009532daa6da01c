import type { Db } from '../database.ts'
import { appendOnlyAfterStart } from '../dialect.ts'

/** Messages are deleted by age; the audit log may lose its oldest entries, from which on it is still verifiable. */
export async function up(db: Db) {
  await db.schema.createIndex('message_age').on('message').columns(['company_id', 'created_at', 'row_id']).execute()
  await db.schema.createIndex('audit_age').on('audit').columns(['company_id', 'at', 'n']).execute()
  // The number and the seal of the last entry that was deleted, and their authentication code.
  await db.schema
    .alterTable('audit_head')
    .addColumn('start_n', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('audit_head').addColumn('start_seal', 'text').execute()
  await db.schema.alterTable('audit_head').addColumn('start_mac', 'text').execute()
  await appendOnlyAfterStart(db)
}
