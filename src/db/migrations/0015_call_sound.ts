import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Audio codec preference of a user in the browser: as in the telephone network, or robust against packet loss.
  await db.schema
    .alterTable('user')
    .addColumn('call_sound', 'text', (c) => c.notNull().defaultTo('standard'))
    .execute()
}
