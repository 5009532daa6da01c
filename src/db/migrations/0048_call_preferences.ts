import type { Db } from '../database.ts'

/** Call waiting of users, and voicemails by e-mail: per user and per Number. */
export async function up(db: Db) {
  await db.schema
    .alterTable('user')
    .addColumn('call_waiting', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .alterTable('user')
    .addColumn('voicemail_email', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
  await db.schema
    .alterTable('number')
    .addColumn('voicemail_email', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
}
