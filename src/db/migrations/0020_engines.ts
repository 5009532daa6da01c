import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Who listens, reads and speaks for a company, where it is not whom the operator has set. No row: nothing leaves the machine.
  await db.schema
    .createTable('company_engine')
    .addColumn('company_id', 'bigint', (c) => c.primaryKey().references('company.id'))
    // Whether servers may get the sound and the words of calls.
    .addColumn('external_allowed', 'integer', (c) => c.notNull())
    // JSON: lines by kind, and models by task.
    .addColumn('settings', 'text', (c) => c.notNull())
    // JSON by kind, sealed.
    .addColumn('keys_sealed', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()

  // A run that is made again replaces what an engine made, and never what a person has changed.
  await db.schema
    .alterTable('insight')
    .addColumn('edited', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('action_item').addColumn('engine', 'text').execute()
  await db.schema.alterTable('evaluation').addColumn('engine', 'text').execute()
}
