import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)

  await db.schema
    .createTable('number')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('digits', 'text', (c) => c.notNull().unique())
    .addColumn('display', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('country', 'text', (c) => c.notNull())
    .addColumn('time_zone', 'text', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('live_recording_activated', 'integer', (c) => c.notNull())
    .addColumn('priority', 'integer')
    .addColumn('flow_editor_enabled', 'integer', (c) => c.notNull())
    .addColumn('validated', 'integer', (c) => c.notNull())
    .addColumn('music_on_hold', 'text')
    .addColumn('ring_simultaneous_seconds', 'integer', (c) => c.notNull())
    .addColumn('ring_one_by_one_seconds', 'integer', (c) => c.notNull())
    .addColumn('registration_status', 'text', (c) => c.notNull())
    .addColumn('registration_updated_at', 'bigint', (c) => c.notNull())
    .addColumn('flow_version', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('number_list').on('number').columns(['company_id', 'created_at', 'id']).execute()

  await db.schema
    .createTable('number_user')
    .addColumn('number_id', 'bigint', (c) => c.notNull().references('number.id').onDelete('cascade'))
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('number_user_key', ['number_id', 'user_id'])
    .execute()
  await db.schema.createIndex('number_user_user').on('number_user').column('user_id').execute()

  // Targets of the ring-to widgets in the live flow, stored separately so that they can be queried in both directions.
  await db.schema
    .createTable('number_target')
    .addColumn('number_id', 'bigint', (c) => c.notNull().references('number.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('target_id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('number_target_key', ['number_id', 'kind', 'target_id'])
    .execute()
  await db.schema.createIndex('number_target_of').on('number_target').columns(['kind', 'target_id']).execute()

  await db.schema
    .createTable('flow_version')
    .addColumn('number_id', 'bigint', (c) => c.notNull().references('number.id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('flow_version_key', ['number_id', 'version'])
    .execute()

  await db.schema
    .createTable('flow_draft')
    .addColumn('number_id', 'bigint', (c) => c.primaryKey().references('number.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
}
