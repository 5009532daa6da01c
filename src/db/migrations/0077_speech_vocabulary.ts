import type { Db } from '../database.ts'

/** Words that speech-to-text should recognize, as a JSON list; in the row of the company only. */
export async function up(db: Db) {
  await db.schema.alterTable('intelligence_switch').addColumn('vocabulary', 'text').execute()
}
