import type { Db } from '../database.ts'

/** Who saved an object last: the lock of its edits, and what a user learns whose form was overtaken. */
export async function up(db: Db) {
  await db.schema
    .createTable('edit')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('object', 'text', (c) => c.notNull())
    .addColumn('edited_by', 'bigint')
    .addColumn('edited_at', 'bigint')
    .addPrimaryKeyConstraint('edit_key', ['company_id', 'object'])
    .execute()
  await db.schema.createIndex('edit_age').on('edit').column('edited_at').execute()
}
