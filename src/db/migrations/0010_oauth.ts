import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)
  const company = 'company.id'

  // Registered by one company, installed by the admins of many.
  await db.schema
    .createTable('oauth_app')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('logo_url', 'text')
    .addColumn('client_id', 'text', (c) => c.notNull().unique())
    .addColumn('secret_hash', 'text', (c) => c.notNull())
    .addColumn('install_uri', 'text', (c) => c.notNull())
    .addColumn('redirect_uri', 'text', (c) => c.notNull())
    .addColumn('listed', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute()
  await db.schema.createIndex('oauth_app_company').on('oauth_app').column('company_id').execute()

  // One token is one integration.
  await db.schema
    .alterTable('oauth_token')
    .addColumn('app_id', 'bigint', (c) => c.references('oauth_app.id'))
    .execute()
  await db.schema
    .alterTable('oauth_token')
    .addColumn('user_id', 'bigint', (c) => c.references('user.id').onDelete('set null'))
    .execute()
  await db.schema.alterTable('oauth_token').addColumn('custom_name', 'text').execute()
  await db.schema
    .alterTable('oauth_token')
    .addColumn('active', 'integer', (c) => c.notNull().defaultTo(sql.raw('1')))
    .execute()
  await db.schema.createIndex('oauth_token_company').on('oauth_token').column('company_id').execute()
  await db.schema.createIndex('oauth_token_app').on('oauth_token').column('app_id').execute()
  await db.schema.createIndex('oauth_token_user').on('oauth_token').column('user_id').execute()

  await db.schema
    .createTable('oauth_code')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('app_id', 'bigint', (c) => c.notNull().references('oauth_app.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('redirect_uri', 'text', (c) => c.notNull())
    .addColumn('challenge', 'text', (c) => c.notNull())
    .addColumn('number_ids', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .addColumn('token_id', 'bigint', (c) => c.references('oauth_token.id').onDelete('set null'))
    .execute()
  await db.schema.createIndex('oauth_code_age').on('oauth_code').column('expires_at').execute()
  await db.schema.createIndex('oauth_code_user').on('oauth_code').column('user_id').execute()
  await db.schema.createIndex('oauth_code_token').on('oauth_code').column('token_id').execute()

  await db.schema.alterTable('api_key').addColumn('custom_name', 'text').execute()
  // The key that created it: the state of its integration applies to the webhook too.
  await db.schema
    .alterTable('webhook')
    .addColumn('api_key_id', 'bigint', (c) => c.references('api_key.id').onDelete('set null'))
    .execute()
  await db.schema
    .alterTable('webhook')
    .addColumn('integration', 'text', (c) => c.notNull().defaultTo('on'))
    .execute()
  await db.schema.createIndex('webhook_key').on('webhook').column('api_key_id').execute()
  await db.schema.createIndex('webhook_token').on('webhook').column('oauth_token_id').execute()
  // Older webhooks do not record their key; with a single key, it is that one.
  await sql`update webhook set api_key_id = (select min(k.id) from api_key k where k.company_id = webhook.company_id)
    where owner_kind = 'basic'
      and (select count(*) from api_key k where k.company_id = webhook.company_id) = 1`.execute(db)
}
