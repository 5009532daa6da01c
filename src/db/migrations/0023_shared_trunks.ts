import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { dropNotNull } from '../dialect.ts'

export async function up(db: Db) {
  // A trunk without a company belongs to the operator; `trunk_assignment` lists the companies that may use it.
  await dropNotNull(db, 'trunk', 'company_id')
  await db.schema
    .createTable('trunk_assignment')
    .addColumn('trunk_id', 'bigint', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addPrimaryKeyConstraint('trunk_assignment_key', ['company_id', 'trunk_id'])
    .execute()
  // Credentials that calls from the trunk must present.
  await db.schema.alterTable('trunk').addColumn('inbound_username', 'text').execute()
  await db.schema.alterTable('trunk').addColumn('inbound_password_sealed', 'text').execute()
  // ISO 3166 code for national numbers on a trunk of the operator.
  await db.schema.alterTable('trunk').addColumn('country', 'text').execute()
  // The last SIP response or error behind `up`.
  await db.schema.alterTable('trunk').addColumn('up_detail', 'text').execute()
  await sql`create index dialled_trunk on dialled (trunk_id) where ended_at is null`.execute(db)
}
