import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Digest algorithms accepted for calls from a trunk. Trunks that require SHA-256 today keep doing so.
  await db.schema
    .alterTable('trunk')
    .addColumn('inbound_digest', 'text', (c) => c.notNull().defaultTo('any'))
    .execute()
  await db.updateTable('trunk').set({ inbound_digest: 'sha256' }).where('inbound_username', 'is not', null).execute()
}
