import type { Db } from '../database.ts'

/** Requests to language models per day, and the figures of each conversation of an AI agent. */
export async function up(db: Db) {
  await db.schema
    .createTable('ai_usage')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    // UTC, as YYYY-MM-DD.
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('purpose', 'text', (c) => c.notNull())
    // Empty: not for an AI agent.
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('requests', 'bigint', (c) => c.notNull())
    .addColumn('failed', 'bigint', (c) => c.notNull())
    .addColumn('input_tokens', 'bigint', (c) => c.notNull())
    .addColumn('output_tokens', 'bigint', (c) => c.notNull())
    // Requests with a price, and their cost in its currency.
    .addColumn('priced', 'bigint', (c) => c.notNull())
    .addColumn('cost', 'double precision', (c) => c.notNull())
    .addPrimaryKeyConstraint('ai_usage_key', ['company_id', 'day', 'purpose', 'agent_id', 'model'])
    .execute()

  // JSON; null in conversations of earlier releases.
  await db.schema.alterTable('ai_agent_session').addColumn('figures', 'text').execute()
  await db.schema
    .createIndex('ai_agent_session_started')
    .on('ai_agent_session')
    .columns(['company_id', 'started_at'])
    .execute()
}
