import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)
  const company = 'company.id'

  await db.schema
    .createTable('trunk')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('port', 'integer')
    .addColumn('transport', 'text', (c) => c.notNull())
    .addColumn('srtp', 'integer', (c) => c.notNull())
    .addColumn('registers', 'integer', (c) => c.notNull())
    .addColumn('username', 'text')
    .addColumn('password_sealed', 'text')
    .addColumn('domain', 'text')
    // JSON lists of strings.
    .addColumn('addresses', 'text', (c) => c.notNull())
    .addColumn('prefixes', 'text', (c) => c.notNull())
    .addColumn('number_form', 'text', (c) => c.notNull())
    .addColumn('behind_nat', 'integer', (c) => c.notNull())
    .addColumn('emergency', 'integer', (c) => c.notNull())
    .addColumn('priority', 'integer', (c) => c.notNull())
    .addColumn('max_calls', 'integer', (c) => c.notNull())
    // Observed state: null until checked.
    .addColumn('up', 'integer')
    .addColumn('up_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('trunk_company').on('trunk').column('company_id').execute()

  // Outbound calling rules of a company; no row: the defaults.
  await db.schema
    .createTable('dial_limit')
    .addColumn('company_id', 'bigint', (c) => c.primaryKey().references(company))
    .addColumn('concurrent', 'integer')
    .addColumn('concurrent_per_user', 'integer')
    .addColumn('per_minute', 'integer')
    .addColumn('per_minute_per_user', 'integer')
    .addColumn('daily_spend', 'double precision')
    .addColumn('rates', 'text', (c) => c.notNull())
    .addColumn('max_seconds', 'integer', (c) => c.notNull())
    .execute()

  // Dialled legs, kept while a limit depends on them.
  await db.schema
    .createTable('dialled')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('call_key', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint')
    .addColumn('trunk_id', 'bigint')
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('begun_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('price', 'double precision', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('dialled_company').on('dialled').columns(['company_id', 'begun_at']).execute()
  await db.schema.createIndex('dialled_open').on('dialled').columns(['company_id', 'ended_at']).execute()
  await db.schema.createIndex('dialled_call').on('dialled').column('call_key').execute()
}
