import type { Db } from '../database.ts'

export async function up(db: Db) {
  // Audio of customers by URL.
  await db.schema
    .createTable('sound')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    // Hash of the URL: an index cannot hold URLs of any length.
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('seconds', 'double precision')
    // For uploads: the file name, and the key of the original in the file store.
    .addColumn('name', 'text')
    .addColumn('file', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('sound_key', ['company_id', 'id'])
    .execute()
}
