import type { Db } from '../database.ts'

/** Retention periods that a company has chosen. */
export async function up(db: Db) {
  await db.schema.alterTable('company').addColumn('retention', 'text').execute()
}
