import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Jobs that companies take turns with: the company, and an index to find the next one with a due job. */
export async function up(db: Db) {
  await db.schema.alterTable('job').addColumn('turn_of', 'bigint').execute()
  await db.schema
    .createIndex('job_of_company')
    .on('job')
    .columns(['turn_of', 'kind', 'run_at'])
    .where(sql<boolean>`turn_of is not null`)
    .execute()
}
