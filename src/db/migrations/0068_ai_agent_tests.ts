import type { Db } from '../database.ts'

/** The tests of an AI agent: a YAML text, and the results of its last run as JSON. */
export async function up(db: Db) {
  await db.schema
    .createTable('ai_agent_test_set')
    .addColumn('agent_id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('results', 'text')
    .addColumn('run_at', 'bigint')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('ai_agent_test_set_company').on('ai_agent_test_set').column('company_id').execute()
}
