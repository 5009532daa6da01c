import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { appendOnly } from '../dialect.ts'

export async function up(db: Db) {
  // Numbered per company, so that a missing entry is detectable.
  await db.schema
    .createTable('audit')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('n', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'bigint')
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target', 'text')
    .addColumn('details', 'text')
    .addColumn('address', 'text')
    .addColumn('hash', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_key', ['company_id', 'n'])
    .execute()
  await appendOnly(db, 'audit')
  await db.schema
    .createTable('audit_head')
    .addColumn('company_id', 'bigint', (c) => c.primaryKey().references('company.id'))
    .addColumn('n', 'bigint', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .execute()

  await db.schema.alterTable('company').addColumn('embed_origins', 'text').execute()

  // Agents see their own calls: answered, assigned to them, or transferred by them.
  for (const column of ['assigned_to', 'transferred_by']) {
    await db.schema
      .createIndex(`call_${column}`)
      .on('call')
      .columns(['company_id', column, 'started_at', 'id', 'direction'])
      .where(sql<boolean>`${sql.ref(column)} is not null`)
      .execute()
  }
}
