import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

/** Single sign-on of a company, the accounts of its provider, and passkeys of users. */
export async function up(db: Db) {
  const { type, key } = identity(db)
  await db.schema
    .createTable('sso')
    .addColumn('company_id', 'bigint', (c) => c.primaryKey().references('company.id'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('client_secret_sealed', 'text')
    .addColumn('domains', 'text', (c) => c.notNull())
    .addColumn('creates_users', 'integer', (c) => c.notNull())
    .addColumn('trusts_email', 'integer', (c) => c.notNull())
    .addColumn('role_claim', 'text', (c) => c.notNull())
    .addColumn('role_map', 'text', (c) => c.notNull())
    .addColumn('default_role', 'text')
    .addColumn('forced', 'integer', (c) => c.notNull())
    .addColumn('changed_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('sso_identity')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('sso_identity_key', ['company_id', 'issuer', 'subject'])
    .execute()
  await db.schema.createIndex('sso_identity_user').on('sso_identity').column('user_id').execute()
  await db.schema
    .createTable('sso_request')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('browser_hash', 'text', (c) => c.notNull())
    .addColumn('nonce', 'text', (c) => c.notNull())
    .addColumn('verifier_sealed', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('passkey')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('credential_id', 'text', (c) => c.notNull().unique())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('counter', 'bigint', (c) => c.notNull())
    .addColumn('transports', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('synced', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await db.schema.createIndex('passkey_user').on('passkey').columns(['company_id', 'user_id']).execute()
  await db.schema
    .createTable('passkey_challenge')
    .addColumn('challenge_hash', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.references('user.id').onDelete('cascade'))
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
}
