import type { Db } from '../database.ts'

/** The announcement before a recording, by company and by Number, and its result on each call. */
export async function up(db: Db) {
  await db.schema.alterTable('company').addColumn('recording_notice', 'text').execute()
  await db.schema.alterTable('number').addColumn('recording_notice', 'text').execute()
  await db.schema.alterTable('call').addColumn('recording_consent', 'text').execute()
}
