import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)
  const company = 'company.id'

  // Where conversation intelligence is enabled; Number 0 stands for the company. No row: disabled.
  await db.schema
    .createTable('intelligence_switch')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('language', 'text')
    .addPrimaryKeyConstraint('intelligence_switch_key', ['company_id', 'number_id'])
    .execute()

  // Recognized speech of a call. `heard` is the raw result until the transcript is built.
  await db.schema
    .createTable('transcript')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('call_id', 'bigint', (c) => c.notNull().unique())
    .addColumn('sound', 'text', (c) => c.notNull())
    .addColumn('engine', 'text', (c) => c.notNull())
    .addColumn('heard', 'text')
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('utterances', 'text')
    .addColumn('created_at', 'bigint')
    .execute()
  await db.schema.createIndex('transcript_company').on('transcript').column('company_id').execute()

  // Outputs derived from a transcript, one per kind and call.
  await db.schema
    .createTable('insight')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('call_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('engine', 'text', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('insight_call').on('insight').columns(['call_id', 'kind']).unique().execute()
  await db.schema.createIndex('insight_company').on('insight').column('company_id').execute()

  await db.schema
    .createTable('action_item')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('call_id', 'bigint', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('ai_generated', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'bigint')
    .addColumn('updated_at', 'bigint')
    .addColumn('updated_by', 'bigint')
    .execute()
  await db.schema.createIndex('action_item_call').on('action_item').columns(['call_id', 'id']).execute()
  await db.schema.createIndex('action_item_company').on('action_item').column('company_id').execute()

  // Definitions of a company: topics, playbooks, summary templates, scorecards.
  await db.schema
    .createTable('guide')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('document', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('guide_kind').on('guide').columns(['company_id', 'kind', 'id']).execute()

  // One per call: rule-based until a user edits it.
  await db.schema
    .createTable('evaluation')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('call_id', 'bigint', (c) => c.notNull().unique())
    .addColumn('ai_generated', 'integer', (c) => c.notNull())
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'bigint')
    .addColumn('updated_by', 'bigint')
    .addColumn('reviewed_at', 'bigint')
    .execute()
  await db.schema.createIndex('evaluation_company').on('evaluation').column('company_id').execute()
}
