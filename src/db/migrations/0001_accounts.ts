import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity, unlogged } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)

  await db.schema
    .createTable('company')
    .addColumn('id', type, key)
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('ai_package', 'text', (c) => c.notNull())
    .addColumn('whatsapp', 'integer', (c) => c.notNull())
    .addColumn('analytics_plus', 'integer', (c) => c.notNull())
    .addColumn('ai_voice_agents', 'integer', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('verified', 'integer', (c) => c.notNull())
    .addColumn('mandatory_tagging', 'integer', (c) => c.notNull())
    .addColumn('countries', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('user')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('email_key', 'text', (c) => c.notNull())
    .addColumn('first_name', 'text', (c) => c.notNull())
    .addColumn('last_name', 'text', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('time_zone', 'text', (c) => c.notNull())
    .addColumn('wrap_up_time', 'integer', (c) => c.notNull())
    .addColumn('extension', 'text', (c) => c.notNull())
    .addColumn('availability_status', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('default_number_id', 'bigint')
    .addColumn('working_hours', 'text')
    .addColumn('confirmed_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('user_email')
    .on('user')
    .columns(['company_id', 'email_key'])
    .unique()
    .where(sql<boolean>`deleted_at is null`)
    .execute()
  await db.schema.createIndex('user_list').on('user').columns(['company_id', 'created_at', 'id']).execute()

  await db.schema
    .createTable('user_role')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('user_role_key', ['user_id', 'role'])
    .execute()
  await db.schema.createIndex('user_role_company').on('user_role').columns(['company_id', 'role']).execute()

  await db.schema
    .createTable('invitation')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute()
  await db.schema.createIndex('invitation_user').on('invitation').column('user_id').execute()

  await db.schema
    .createTable('api_key')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('api_id', 'text', (c) => c.notNull().unique())
    .addColumn('token_hash', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_by', 'bigint', (c) => c.references('user.id').onDelete('set null'))
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('api_key_company').on('api_key').column('company_id').execute()
  await db.schema.createIndex('api_key_creator').on('api_key').column('created_by').execute()

  await db.schema
    .createTable('oauth_token')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute()

  await db.schema
    .createTable('session')
    .addColumn('id_hash', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('csrf_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('session_user').on('session').column('user_id').execute()

  await db.schema
    .createTable('team')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('team_name').on('team').columns(['company_id', 'name']).unique().execute()
  await db.schema.createIndex('team_list').on('team').columns(['company_id', 'created_at', 'id']).execute()

  await db.schema
    .createTable('team_member')
    .addColumn('team_id', 'bigint', (c) => c.notNull().references('team.id').onDelete('cascade'))
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('added_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('team_member_key', ['team_id', 'user_id'])
    .execute()
  await db.schema.createIndex('team_member_user').on('team_member').column('user_id').execute()

  await unlogged(db, db.schema.createTable('rate_window'))
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('used', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('rate_window_key', ['company_id', 'minute'])
    .execute()

  await db.schema
    .createTable('setting')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute()
}
