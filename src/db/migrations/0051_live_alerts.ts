import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

/** Targets and alert thresholds of the live page, and the alerts they raised. */
export async function up(db: Db) {
  const { type, key } = identity(db)
  await db.schema
    .createTable('live_setting')
    .addColumn('company_id', 'bigint', (c) => c.primaryKey().references('company.id'))
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('live_alert')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('value', 'integer', (c) => c.notNull())
    .addColumn('threshold', 'integer', (c) => c.notNull())
    .addColumn('raised_at', 'bigint', (c) => c.notNull())
    .addColumn('cleared_at', 'bigint')
    .execute()
  await db.schema.createIndex('live_alert_of').on('live_alert').columns(['company_id', 'raised_at', 'id']).execute()
  await db.schema.createIndex('live_alert_age').on('live_alert').column('raised_at').execute()
}
