import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Messaging limits of a company. No row: the defaults.
  await db.schema
    .createTable('message_limit')
    .addColumn('company_id', 'bigint', (c) => c.primaryKey().references('company.id'))
    // JSON of ISO codes; null: the countries that may be called.
    .addColumn('countries', 'text')
    .addColumn('per_minute', 'integer')
    .addColumn('per_minute_per_user', 'integer')
    .addColumn('per_day', 'integer')
    .addColumn('per_day_per_user', 'integer')
    .addColumn('daily_spend', 'double precision')
    .addColumn('daily_spend_per_user', 'double precision')
    // JSON: price of a message part by prefix.
    .addColumn('rates', 'text', (c) => c.notNull())
    .execute()

  // Messages sent per minute and per day, by the company (user 0) and by each of its users.
  await db.schema
    .createTable('message_use')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('period', 'text', (c) => c.notNull())
    .addColumn('starts_at', 'bigint', (c) => c.notNull())
    .addColumn('messages', 'integer', (c) => c.notNull())
    .addColumn('price', 'double precision', (c) => c.notNull())
    .addPrimaryKeyConstraint('message_use_key', ['company_id', 'user_id', 'period', 'starts_at'])
    .execute()
}
