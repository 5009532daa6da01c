import type { Db } from '../database.ts'

/** Documents of AI agents (files and web pages), and the passages of their text. */
export async function up(db: Db) {
  await db.schema
    .createTable('ai_agent_document')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('url', 'text')
    .addColumn('format', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addColumn('bytes', 'integer', (c) => c.notNull())
    .addColumn('characters', 'integer', (c) => c.notNull())
    .addColumn('passages', 'integer', (c) => c.notNull())
    .addColumn('fetched_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('ai_agent_document_agent')
    .on('ai_agent_document')
    .columns(['company_id', 'agent_id'])
    .execute()
  await db.schema
    .createTable('ai_agent_passage')
    .addColumn('document_id', 'text', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('vector', 'text')
    .addPrimaryKeyConstraint('ai_agent_passage_key', ['document_id', 'place'])
    .execute()
  await db.schema
    .createIndex('ai_agent_passage_agent')
    .on('ai_agent_passage')
    .columns(['company_id', 'agent_id'])
    .execute()
}
