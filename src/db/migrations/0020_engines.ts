import type { Db } from '../database.ts'

export async function up(db: Db) {
  // AI engines of a company that override the operator's settings. No row: no data leaves the machine.
  await db.schema
    .createTable('company_engine')
    .addColumn('company_id', 'bigint', (c) => c.primaryKey().references('company.id'))
    // Whether external servers may receive audio and text of calls.
    .addColumn('external_allowed', 'integer', (c) => c.notNull())
    // JSON: engine settings by kind, and models by task.
    .addColumn('settings', 'text', (c) => c.notNull())
    // Encrypted JSON by kind.
    .addColumn('keys_sealed', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()

  // A repeated run replaces the output of an engine, never edits of a user.
  await db.schema
    .alterTable('insight')
    .addColumn('edited', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('action_item').addColumn('engine', 'text').execute()
  await db.schema.alterTable('evaluation').addColumn('engine', 'text').execute()
}
