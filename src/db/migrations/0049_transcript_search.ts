import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { clustered, deleteWith, textByBytes } from '../dialect.ts'

/** Search in all transcripts, talk ratio, and action items that are done. A job indexes existing transcripts. */
export async function up(db: Db) {
  await clustered(
    db,
    db.schema
      .createTable('transcript_word')
      .addColumn('company_id', 'bigint', (c) => c.notNull())
      .addColumn('word', textByBytes(db), (c) => c.notNull())
      .addColumn('call_id', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('transcript_word_key', ['company_id', 'word', 'call_id']),
  ).execute()
  await db.schema
    .createIndex('transcript_word_call')
    .on('transcript_word')
    .columns(['call_id', 'company_id', 'word'])
    .execute()
  await deleteWith(db, { of: 'transcript', from: 'transcript_word', by: 'call_id' })

  await db.schema.alterTable('transcript').addColumn('internal_ms', 'bigint').execute()
  await db.schema.alterTable('transcript').addColumn('external_ms', 'bigint').execute()

  await db.schema.alterTable('action_item').addColumn('done_at', 'bigint').execute()
  await db.schema.alterTable('action_item').addColumn('done_by', 'bigint').execute()
  await sql`create index action_item_open on action_item (company_id, id) where done_at is null`.execute(db)

  await sql`insert into job (kind, payload, run_at, attempts, leased_until)
    select 'transcript.index', '{"after":0}', 0, 0, 0 from (select id from transcript limit 1) as any_transcript`.execute(
    db,
  )
}
