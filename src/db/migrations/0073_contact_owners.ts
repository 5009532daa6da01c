import type { Db } from '../database.ts'

/** The user who is responsible for a contact. */
export async function up(db: Db) {
  await db.schema
    .alterTable('contact')
    .addColumn('owner_id', 'bigint', (c) => c.references('user.id').onDelete('set null'))
    .execute()
  // A deleted user is removed from the contacts by this index.
  await db.schema
    .createIndex('contact_owner')
    .on('contact')
    .column('owner_id')
    .where('owner_id', 'is not', null)
    .execute()
}
