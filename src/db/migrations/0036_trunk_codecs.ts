import type { Db } from '../database.ts'

export async function up(db: Db) {
  // The order of preference: G.711 as before, and G.722 for far ends that prefer it.
  await db.schema
    .alterTable('trunk')
    .addColumn('codecs', 'text', (c) => c.notNull().defaultTo('["pcmu","pcma","g722"]'))
    .execute()
}
