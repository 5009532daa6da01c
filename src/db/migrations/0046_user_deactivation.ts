import type { Db } from '../database.ts'

/** Users who cannot sign in or be called until they are reactivated. */
export async function up(db: Db) {
  await db.schema.alterTable('user').addColumn('deactivated_at', 'bigint').execute()
}
