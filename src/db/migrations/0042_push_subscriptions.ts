import type { Db } from '../database.ts'

/** Browsers that receive Web Push, and the end of do not disturb. */
export async function up(db: Db) {
  await db.schema
    .createTable('push_subscription')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('session_hash', 'text', (c) => c.notNull().references('session.id_hash').onDelete('cascade'))
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('endpoint_hash', 'text', (c) => c.notNull().unique())
    .addColumn('keys', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('push_subscription_user').on('push_subscription').column('user_id').execute()
  await db.schema.createIndex('push_subscription_session').on('push_subscription').column('session_hash').execute()

  await db.schema.alterTable('user').addColumn('unavailable_until', 'bigint').execute()
  await db.schema.alterTable('user').addColumn('resume_status', 'text').execute()
}
