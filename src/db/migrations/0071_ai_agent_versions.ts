import type { Db } from '../database.ts'

/** Versions of AI agents, and the version that took a call or ran the tests. */
export async function up(db: Db) {
  await db.schema
    .createTable('ai_agent_version')
    .addColumn('agent_id', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('first_message', 'text')
    .addColumn('number_id', 'bigint')
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('note', 'text')
    .addColumn('created_by', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('ai_agent_version_key', ['agent_id', 'version'])
    .execute()
  await db.schema.createIndex('ai_agent_version_company').on('ai_agent_version').column('company_id').execute()
  await db.schema
    .alterTable('ai_voice_agent')
    .addColumn('version', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
  await db.schema.alterTable('ai_agent_session').addColumn('agent_version', 'integer').execute()
  await db.schema.alterTable('ai_agent_test_set').addColumn('agent_version', 'integer').execute()
  await db
    .insertInto('ai_agent_version')
    .columns([
      'agent_id',
      'version',
      'company_id',
      'name',
      'language',
      'first_message',
      'number_id',
      'settings',
      'created_at',
    ])
    .expression((query) =>
      query
        .selectFrom('ai_voice_agent')
        .select(['id', 'version', 'company_id', 'name', 'language', 'first_message', 'number_id', 'settings'])
        .select('updated_at'),
    )
    .execute()
}
