import type { Db } from '../database.ts'

/** In which national phone numbers are read; until it is set, the country of the company's first Number counts. */
export async function up(db: Db) {
  await db.schema.alterTable('company').addColumn('country', 'text').execute()
}
