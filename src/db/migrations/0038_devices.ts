import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

/** Desk phones and SIP apps of users, where they have registered, and forwarding to a mobile number. */
export async function up(db: Db) {
  const { type, key } = identity(db)
  await db.schema
    .createTable('device')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('username', 'text', (c) => c.notNull().unique())
    .addColumn('ha1_sealed', 'text', (c) => c.notNull())
    .addColumn('srtp', 'integer', (c) => c.notNull())
    .addColumn('setup_hash', 'text', (c) => c.unique())
    .addColumn('setup_sealed', 'text')
    .addColumn('setup_until', 'bigint')
    .addColumn('setup_left', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('device_of').on('device').columns(['company_id', 'user_id']).execute()
  await db.schema.createIndex('device_user').on('device').column('user_id').execute()

  await db.schema
    .createTable('device_contact')
    .addColumn('device_id', 'bigint', (c) => c.notNull().references('device.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('uri', 'text', (c) => c.notNull())
    .addColumn('line', 'text', (c) => c.notNull())
    .addColumn('transport', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('port', 'integer', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('registered_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('device_contact_key', ['device_id', 'uri'])
    .execute()
  await db.schema.createIndex('device_contact_age').on('device_contact').column('expires_at').execute()

  await db.schema
    .createTable('call_forwarding')
    .addColumn('user_id', 'bigint', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('changed_at', 'bigint', (c) => c.notNull())
    .execute()
}
