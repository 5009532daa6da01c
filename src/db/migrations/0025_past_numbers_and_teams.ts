import type { Db } from '../database.ts'

/** Past calls keep deleted Numbers and teams. */
export async function up(db: Db) {
  await db.schema
    .createTable('past_number')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('past_team')
    .addColumn('id', 'bigint', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint', (c) => c.notNull())
    .execute()
}
