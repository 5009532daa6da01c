import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity, positionIsRowId } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)

  for (const [name, kind] of [
    ['secret_current', 'text'],
    ['secret_previous', 'text'],
    ['secret_previous_until', 'bigint'],
    ['disable_reason', 'text'],
    ['disabled_at', 'bigint'],
    ['probe_until', 'bigint'],
    ['failing_since', 'bigint'],
    ['last_success_at', 'bigint'],
    ['deleted_at', 'bigint'],
    ['created_by', 'bigint'],
  ] as const) {
    await db.schema.alterTable('webhook').addColumn(name, kind).execute()
  }
  const counters = { health: "'unproven'", consecutive_failures: '0', warned_level: '0', cap: '2', streak: '0' }
  for (const [name, value] of Object.entries(counters)) {
    await db.schema
      .alterTable('webhook')
      .addColumn(name, name === 'health' ? 'text' : 'integer', (c) => c.notNull().defaultTo(sql.raw(value)))
      .execute()
  }

  // The Number an event concerns, for integrations restricted to some Numbers; and whether it is a requested sample.
  await db.schema.alterTable('event').addColumn('number_id', 'bigint').execute()
  await db.schema
    .alterTable('event')
    .addColumn('test', 'integer', (c) => c.notNull().defaultTo(sql.raw('0')))
    .execute()
  await db.schema.createIndex('event_age').on('event').column('occurred_at').execute()
  if (!positionIsRowId(db)) {
    await db.schema
      .createIndex('event_unnumbered')
      .on('event')
      .column('row_id')
      .where(sql<boolean>`position is null`)
      .execute()
  }
  await db.schema
    .createTable('event_sequence')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('last', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .alterTable('oauth_token')
    .addColumn('restricted', 'integer', (c) => c.notNull().defaultTo(sql.raw('0')))
    .execute()
  await db.schema
    .createTable('oauth_token_number')
    .addColumn('token_id', 'bigint', (c) => c.notNull().references('oauth_token.id').onDelete('cascade'))
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addPrimaryKeyConstraint('oauth_token_number_key', ['token_id', 'number_id'])
    .execute()

  await db.schema
    .createTable('stream')
    .addColumn('webhook_id', 'text', (c) => c.notNull())
    .addColumn('resource_key', 'text', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('last_seq', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('stream_key', ['webhook_id', 'resource_key'])
    .execute()

  await db.schema
    .createTable('delivery')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('webhook_id', 'text', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('event_row', 'bigint', (c) => c.notNull())
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('event_name', 'text', (c) => c.notNull())
    .addColumn('resource_key', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('order_key', 'text', (c) => c.notNull())
    .addColumn('replay_of', 'text')
    .addColumn('replay_id', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('blocking', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('bulk', 'integer', (c) => c.notNull())
    .addColumn('probe', 'integer', (c) => c.notNull())
    .addColumn('priority', 'integer', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('lost_leases', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('asked', 'integer', (c) => c.notNull())
    .addColumn('lease_token', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('worker_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .execute()
  // Scanned by the claim in index order; includes the order key, so that blocked resources are skipped without reading
  // the row.
  await db.schema
    .createIndex('delivery_due')
    .on('delivery')
    .columns(['webhook_id', 'bulk', 'priority', 'next_at', 'event_row', 'order_key'])
    .where(sql<boolean>`state = 'queued'`)
    .execute()
  await db.schema
    .createIndex('delivery_blocking')
    .unique()
    .on('delivery')
    .columns(['webhook_id', 'order_key', 'seq'])
    .where(sql<boolean>`blocking = 1`)
    .execute()
  await db.schema
    .createIndex('delivery_leased')
    .on('delivery')
    .columns(['lease_until', 'webhook_id'])
    .where(sql<boolean>`state = 'leased'`)
    .execute()
  await db.schema
    .createIndex('delivery_held')
    .on('delivery')
    .columns(['webhook_id', 'created_at'])
    .where(sql<boolean>`state = 'held'`)
    .execute()
  await db.schema.createIndex('delivery_log').on('delivery').columns(['webhook_id', 'created_at', 'id']).execute()
  await db.schema.createIndex('delivery_event').on('delivery').column('event_row').execute()
  await db.schema
    .createIndex('delivery_replay')
    .on('delivery')
    .columns(['replay_id', 'state', 'event_row'])
    .where(sql<boolean>`replay_id is not null`)
    .execute()

  await db.schema
    .createTable('attempt')
    .addColumn('id', type, key)
    .addColumn('delivery_id', 'text', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('n', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addColumn('phase', 'text', (c) => c.notNull())
    .addColumn('status', 'integer')
    .addColumn('error_class', 'text')
    .addColumn('detail', 'text', (c) => c.notNull())
    .addColumn('request_headers', 'text', (c) => c.notNull())
    .addColumn('response_headers', 'text', (c) => c.notNull())
    .addColumn('response_body', 'text', (c) => c.notNull())
    .addColumn('worker_id', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('attempt_delivery').on('attempt').columns(['delivery_id', 'id']).execute()

  await db.schema
    .createTable('replay')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('webhook_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('wish', 'text', (c) => c.notNull())
    .addColumn('total', 'integer', (c) => c.notNull())
    .addColumn('filled', 'integer', (c) => c.notNull())
    .addColumn('cursor', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .execute()
  await db.schema.createIndex('replay_running').on('replay').columns(['company_id', 'state']).execute()

  await db.schema
    .createTable('worker')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('heartbeat_at', 'bigint', (c) => c.notNull())
    .addColumn('build', 'text', (c) => c.notNull())
    .addColumn('life_key', 'integer', (c) => c.notNull())
    .execute()
}
