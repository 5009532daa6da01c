import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { clustered, textByBytes } from '../dialect.ts'
import { followContactPhones } from '../phone-parts.ts'

/** Search of contacts by any part of a phone number. A job indexes the existing ones. */
export async function up(db: Db) {
  await clustered(
    db,
    db.schema
      .createTable('phone_part')
      .addColumn('company_id', 'bigint', (c) => c.notNull())
      .addColumn('part', textByBytes(db), (c) => c.notNull())
      .addColumn('digits', textByBytes(db), (c) => c.notNull())
      .addPrimaryKeyConstraint('phone_part_key', ['company_id', 'part', 'digits']),
  ).execute()
  await followContactPhones(db)
  await sql`insert into job (kind, payload, run_at, attempts, leased_until)
    select 'contact.index_phones', '{"after":0}', 0, 0, 0 from (select id from contact_phone limit 1) as any_phone`.execute(
    db,
  )
}
