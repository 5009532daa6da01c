import type { Db } from '../database.ts'

/** Default country of national phone numbers; until set, the country of the company's first Number applies. */
export async function up(db: Db) {
  await db.schema.alterTable('company').addColumn('country', 'text').execute()
}
