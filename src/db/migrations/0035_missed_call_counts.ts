import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { clustered, countMissedCalls } from '../dialect.ts'

const day = 86_400_000

/** Missed calls per day: a total adds days instead of counting calls. */
export async function up(db: Db) {
  await clustered(
    db,
    db.schema
      .createTable('missed_call_count')
      .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
      .addColumn('day', 'bigint', (c) => c.notNull())
      .addColumn('n', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('missed_call_count_key', ['company_id', 'day']),
  ).execute()
  // First the trigger, which locks out writers until the existing calls are counted.
  await countMissedCalls(db)
  await sql`insert into missed_call_count (company_id, day, n)
    select company_id, started_at / ${sql.lit(day)}, count(*) from call where missed_call_reason is not null
    group by 1, 2`.execute(db)
}
