import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Processes of this installation on a shared database, and their roles.
  await db.schema
    .createTable('process')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('roles', 'text', (c) => c.notNull())
    .addColumn('draining', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute()
}
