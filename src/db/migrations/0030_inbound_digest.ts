import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Which digest algorithms calls from a trunk may authenticate with. Trunks that ask for SHA-256 only today keep doing so.
  await db.schema
    .alterTable('trunk')
    .addColumn('inbound_digest', 'text', (c) => c.notNull().defaultTo('any'))
    .execute()
  await db.updateTable('trunk').set({ inbound_digest: 'sha256' }).where('inbound_username', 'is not', null).execute()
}
