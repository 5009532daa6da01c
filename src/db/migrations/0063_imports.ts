import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

/** Imports from other servers: runs, their progress and problems, and which object came from which one of the source. */
export async function up(db: Db) {
  const { type, key } = identity(db)
  await db.schema
    .createTable('import_run')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('credentials_sealed', 'text')
    .addColumn('merges', 'integer', (c) => c.notNull())
    .addColumn('by_operator', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('runner', 'text')
    .addColumn('created_by', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .execute()
  await db.schema.createIndex('import_run_of').on('import_run').columns(['company_id', 'id']).execute()
  await db.schema
    .createTable('import_progress')
    .addColumn('run_id', 'bigint', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('position', 'text')
    .addColumn('total', 'bigint')
    .addColumn('created', 'bigint', (c) => c.notNull())
    .addColumn('existing', 'bigint', (c) => c.notNull())
    .addColumn('updated', 'bigint', (c) => c.notNull())
    .addColumn('rejected', 'bigint', (c) => c.notNull())
    .addColumn('finished', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('import_progress_key', ['run_id', 'kind'])
    .execute()
  await db.schema
    .createTable('import_problem')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('run_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('source_id', 'text', (c) => c.notNull())
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('import_problem_of')
    .on('import_problem')
    .columns(['company_id', 'run_id', 'id'])
    .execute()
  await db.schema
    .createTable('imported_object')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('source_id', 'text', (c) => c.notNull())
    .addColumn('own_id', 'text', (c) => c.notNull())
    .addColumn('pending', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('imported_object_key', ['company_id', 'source', 'kind', 'source_id'])
    .execute()
  await db.schema
    .createIndex('imported_object_own')
    .on('imported_object')
    .columns(['company_id', 'kind', 'own_id'])
    .execute()
  await db.schema
    .createIndex('imported_object_pending')
    .on('imported_object')
    .columns(['company_id', 'source'])
    .where(sql<boolean>`pending = 1`)
    .execute()
}
