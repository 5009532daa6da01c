import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

/** Callers that a company rejects. */
export async function up(db: Db) {
  const { type, key } = identity(db)
  await db.schema
    .createTable('blocked_caller')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('rejected', 'integer', (c) => c.notNull())
    .addColumn('last_rejected_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('blocked_caller_phone', ['company_id', 'phone'])
    .execute()
}
