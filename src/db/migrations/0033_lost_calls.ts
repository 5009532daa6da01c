import type { Db } from '../database.ts'

export async function up(db: Db) {
  // When the process of a call was last seen: a process that takes the call over may be killed before it has ended the
  // call.
  await db.schema.alterTable('live_call').addColumn('lost_at', 'bigint').execute()
}
