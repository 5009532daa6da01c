import type { Db } from '../database.ts'

export async function up(db: Db) {
  // How somebody's calls sound in the browser: as the telephone network has it, or made for networks that lose packets.
  await db.schema
    .alterTable('user')
    .addColumn('call_sound', 'text', (c) => c.notNull().defaultTo('standard'))
    .execute()
}
