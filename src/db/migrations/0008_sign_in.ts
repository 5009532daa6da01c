import type { Db } from '../database.ts'

export async function up(db: Db) {
  await db.schema.alterTable('user').addColumn('password_hash', 'text').execute()
  // An invitation and a new password are the same thing to whoever opens the link.
  await db.schema
    .alterTable('invitation')
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('invitation'))
    .execute()
}
