import type { Db } from '../database.ts'

/** Audio quality over time: one row per call and leg. */
export async function up(db: Db) {
  await db.schema
    .createTable('leg_quality')
    .addColumn('call_id', 'bigint', (c) => c.notNull().references('call.id').onDelete('cascade'))
    .addColumn('leg', 'text', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('party', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('series', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('leg_quality_key', ['call_id', 'leg'])
    .execute()
}
