import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Audio of customers, by the address under which it is named.
  await db.schema
    .createTable('sound')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    // A hash of the url: an index does not take an address of any length.
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('seconds', 'double precision')
    // Of an upload: what it was called, and where the original lies in the file store.
    .addColumn('name', 'text')
    .addColumn('file', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('sound_key', ['company_id', 'id'])
    .execute()
}
