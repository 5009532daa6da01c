import type { Db } from '../database.ts'

/** Data that was extracted from a conversation with an AI agent by its JSON Schema, or why there is none. */
export async function up(db: Db) {
  await db.schema.alterTable('ai_agent_session').addColumn('structured_data', 'text').execute()
  await db.schema.alterTable('ai_agent_session').addColumn('structured_data_problem', 'text').execute()
}
