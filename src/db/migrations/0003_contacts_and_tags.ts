import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)

  await db.schema
    .createTable('contact')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('first_name', 'text')
    .addColumn('last_name', 'text')
    .addColumn('company_name', 'text')
    .addColumn('information', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('contact_list').on('contact').columns(['company_id', 'created_at', 'id']).execute()
  await db.schema.createIndex('contact_changes').on('contact').columns(['company_id', 'updated_at', 'id']).execute()

  for (const [table, wanted] of [
    ['contact_phone', 'digits'],
    ['contact_email', 'address'],
  ] as const) {
    await db.schema
      .createTable(table)
      .addColumn('id', type, key)
      .addColumn('contact_id', 'bigint', (c) => c.notNull().references('contact.id').onDelete('cascade'))
      .addColumn('company_id', 'bigint', (c) => c.notNull())
      .addColumn('label', 'text', (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addColumn(wanted, 'text', (c) => c.notNull())
      .execute()
    await db.schema.createIndex(`${table}_of`).on(table).column('contact_id').execute()
    await db.schema.createIndex(`${table}_search`).on(table).columns(['company_id', wanted]).execute()
  }

  // Contacts created per company and day: an exact total without counting 100,000 rows.
  await db.schema
    .createTable('contact_count')
    .addColumn('company_id', 'bigint', (c) => c.notNull())
    .addColumn('day', 'integer', (c) => c.notNull())
    .addColumn('n', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('contact_count_key', ['company_id', 'day'])
    .execute()

  await db.schema
    .createTable('tag')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('color', 'text', (c) => c.notNull())
    .addColumn('description', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('tag_name').on('tag').columns(['company_id', 'name']).unique().execute()
  await db.schema.createIndex('tag_list').on('tag').columns(['company_id', 'created_at', 'id']).execute()
}
