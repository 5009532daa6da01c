import type { Db } from '../database.ts'

/** Where a session was opened, two-step verification of users, and whether a company requires it. */
export async function up(db: Db) {
  await db.schema.alterTable('session').addColumn('address', 'text').execute()
  await db.schema.alterTable('session').addColumn('user_agent', 'text').execute()
  await db.schema.alterTable('session').addColumn('method', 'text').execute()

  await db.schema
    .createTable('two_step')
    .addColumn('user_id', 'bigint', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('secret_sealed', 'text', (c) => c.notNull())
    .addColumn('enabled_at', 'bigint')
    .addColumn('last_step', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('recovery_code')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .addPrimaryKeyConstraint('recovery_code_key', ['user_id', 'code_hash'])
    .execute()
  await db.schema
    .alterTable('company')
    .addColumn('two_step_required', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
