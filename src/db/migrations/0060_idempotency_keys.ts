import type { Db } from '../database.ts'

/** Requests with an Idempotency-Key, and their responses. No foreign key: rows are short-lived, and checking it would lock the company. */
export async function up(db: Db) {
  await db.schema
    .createTable('idempotency_key')
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('key_hash', 'text', (c) => c.notNull())
    .addColumn('fingerprint', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('done', 'integer', (c) => c.notNull())
    .addColumn('status', 'integer', (c) => c.notNull())
    .addColumn('body', 'text')
    .addColumn('claimed_until', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_key_pk', ['company_id', 'key_hash'])
    .execute()
  await db.schema.createIndex('idempotency_key_expiry').on('idempotency_key').column('expires_at').execute()
}
