import type { Db } from '../database.ts'

export async function up(db: Db) {
  await db.schema.alterTable('user').addColumn('password_hash', 'text').execute()
  // Invitations and password resets use the same kind of link.
  await db.schema
    .alterTable('invitation')
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('invitation'))
    .execute()
}
