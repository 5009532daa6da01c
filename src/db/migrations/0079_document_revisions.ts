import type { Db } from '../database.ts'

/** Changes of the passages of a document are counted, so that processes know when to read them again. */
export async function up(db: Db) {
  await db.schema
    .alterTable('ai_agent_document')
    .addColumn('revision', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
