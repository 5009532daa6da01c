import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { clustered, textByBytes } from '../dialect.ts'

/** Search of contacts by any part of their names. A job indexes existing contacts. */
export async function up(db: Db) {
  await clustered(
    db,
    db.schema
      .createTable('contact_word')
      .addColumn('contact_id', 'bigint', (c) => c.notNull().references('contact.id').onDelete('cascade'))
      .addColumn('company_id', 'bigint', (c) => c.notNull())
      .addColumn('word', textByBytes(db), (c) => c.notNull())
      .addPrimaryKeyConstraint('contact_word_key', ['contact_id', 'word']),
  ).execute()
  // Newest contacts first, so that a search may stop early.
  await sql`create index contact_word_search on contact_word (company_id, word, contact_id desc)`.execute(db)

  // Each distinct word of a company, indexed by all its suffixes.
  await clustered(
    db,
    db.schema
      .createTable('name_part')
      .addColumn('company_id', 'bigint', (c) => c.notNull())
      .addColumn('part', textByBytes(db), (c) => c.notNull())
      .addColumn('word', textByBytes(db), (c) => c.notNull())
      .addPrimaryKeyConstraint('name_part_key', ['company_id', 'part', 'word']),
  ).execute()

  await sql`insert into job (kind, payload, run_at, attempts, leased_until)
    select 'contact.index_names', '{"after":0}', 0, 0, 0 from (select id from contact limit 1) as any_contact`.execute(
    db,
  )
}
