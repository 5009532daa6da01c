import type { Db } from '../database.ts'

export async function up(db: Db) {
  const company = 'company.id'

  await db.schema
    .createTable('ai_voice_agent')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('first_message', 'text')
    // The Number it calls from.
    .addColumn('number_id', 'bigint')
    .addColumn('active', 'integer', (c) => c.notNull())
    // JSON: questions, knowledge and actions.
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('ai_voice_agent_company')
    .on('ai_voice_agent')
    .columns(['company_id', 'created_at'])
    .execute()

  // The part of a call handled by an AI agent. The name is copied: agents can be deleted.
  await db.schema
    .createTable('ai_agent_session')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('call_id', 'bigint', (c) => c.notNull())
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('agent_name', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('end_reason', 'text')
    .addColumn('escalation_reason', 'text')
    .addColumn('escalation_target', 'text')
    // JSON: answers and dialogue.
    .addColumn('answers', 'text', (c) => c.notNull())
    .addColumn('turns', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('ai_agent_session_call').on('ai_agent_session').column('call_id').execute()

  await db.schema
    .createTable('ai_outbound_call')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('idempotency_key', 'text', (c) => c.notNull())
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('context', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('call_id', 'bigint')
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('ai_outbound_call_key')
    .on('ai_outbound_call')
    .columns(['company_id', 'idempotency_key'])
    .unique()
    .execute()
  await db.schema
    .createIndex('ai_outbound_call_status')
    .on('ai_outbound_call')
    .columns(['company_id', 'status', 'created_at'])
    .execute()
}
