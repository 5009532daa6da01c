import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

/** Messages between two users of a company, and for each user the conversations with what the user has read. */
export async function up(db: Db) {
  const { type, key } = identity(db)
  await db.schema
    .createTable('direct_message')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('pair', 'text', (c) => c.notNull())
    .addColumn('sender_id', 'bigint', (c) => c.notNull())
    .addColumn('recipient_id', 'bigint', (c) => c.notNull())
    .addColumn('text', 'text')
    .addColumn('sent_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('direct_message_pair')
    .on('direct_message')
    .columns(['company_id', 'pair', 'id'])
    .execute()
  for (const [name, column] of [
    ['direct_message_sender', 'sender_id'],
    ['direct_message_recipient', 'recipient_id'],
    ['direct_message_age', 'sent_at'],
  ] as const) {
    await db.schema.createIndex(name).on('direct_message').columns(['company_id', column]).execute()
  }

  await db.schema
    .createTable('direct_conversation')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('colleague_id', 'bigint', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('pair', 'text', (c) => c.notNull())
    .addColumn('last_message_id', 'bigint', (c) => c.notNull())
    .addColumn('read_message_id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('direct_conversation_key', ['user_id', 'colleague_id'])
    .execute()
  await db.schema
    .createIndex('direct_conversation_last')
    .on('direct_conversation')
    .columns(['company_id', 'user_id', 'last_message_id'])
    .execute()
}
