import type { Db } from '../database.ts'

/** Calls that ended while their agent was on another one: their wrap-up follows. */
export async function up(db: Db) {
  await db.schema.alterTable('user').addColumn('wrap_up_pending', 'text').execute()
}
