import type { Db } from '../database.ts'
import { unlogged } from '../dialect.ts'

export async function up(db: Db) {
  // Counted by hash: addresses without an account must not be stored.
  await unlogged(db, db.schema.createTable('sign_in_try'))
    .addColumn('who', 'text', (c) => c.primaryKey())
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('ends_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('sign_in_try_end').on('sign_in_try').column('ends_at').execute()
}
