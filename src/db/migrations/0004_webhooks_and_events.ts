import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)

  await db.schema
    .createTable('webhook')
    .addColumn('legacy_id', type, key)
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('owner_kind', 'text', (c) => c.notNull())
    .addColumn('oauth_token_id', 'bigint', (c) => c.references('oauth_token.id'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('custom_name', 'text', (c) => c.notNull())
    .addColumn('all_events', 'integer', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('webhook_list').on('webhook').columns(['company_id', 'created_at', 'legacy_id']).execute()

  await db.schema
    .createTable('webhook_event')
    .addColumn('webhook_id', 'text', (c) => c.notNull().references('webhook.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_event_key', ['webhook_id', 'name'])
    .execute()

  await db.schema
    .createTable('event')
    .addColumn('row_id', type, key)
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('position', 'bigint')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('resource', 'text', (c) => c.notNull())
    .addColumn('resource_key', 'text', (c) => c.notNull())
    .addColumn('occurred_at', 'bigint', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('asset_refs', 'text')
    .addColumn('redacted_at', 'bigint')
    .execute()
  await db.schema.createIndex('event_position').on('event').columns(['company_id', 'position']).execute()
  await db.schema.createIndex('event_resource').on('event').columns(['company_id', 'resource_key']).execute()
}
