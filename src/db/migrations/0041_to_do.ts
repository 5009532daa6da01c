import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Unanswered calls that no user has marked as done, by Number, and which of them a user has opened. */
export async function up(db: Db) {
  await db.schema
    .createIndex('call_to_do')
    .on('call')
    .columns(['company_id', 'number_id', 'started_at', 'id'])
    .where(sql<boolean>`missed_call_reason is not null and archived = 0`)
    .execute()

  await db.schema
    .createTable('call_read')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('call_id', 'bigint', (c) => c.notNull().references('call.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id').onDelete('cascade'))
    .addColumn('read_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('call_read_key', ['user_id', 'call_id'])
    .execute()
  await db.schema.createIndex('call_read_call').on('call_read').column('call_id').execute()
}
