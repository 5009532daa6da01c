import type { Db } from '../database.ts'

/** AI agents whose documents are suggested to agents during calls, reviews of calls, and the longest turn of agents. */
export async function up(db: Db) {
  await db.schema
    .createTable('suggestion_source')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('team_ids', 'text')
    .addPrimaryKeyConstraint('suggestion_source_key', ['company_id', 'agent_id'])
    .execute()
  await db.schema
    .createTable('call_review')
    .addColumn('call_id', 'bigint', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('note', 'text')
    .addColumn('reviewed_by', 'bigint')
    .addColumn('reviewed_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('call_review_company').on('call_review').column('company_id').execute()
  await db.schema.alterTable('transcript').addColumn('monologue_ms', 'bigint').execute()
}
