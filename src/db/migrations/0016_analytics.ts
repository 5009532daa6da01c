import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)

  await db.schema
    .createTable('analytics_export')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('report', 'text', (c) => c.notNull())
    .addColumn('wish', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('file', 'text')
    .addColumn('bytes', 'bigint')
    .addColumn('rows', 'bigint', (c) => c.notNull())
    .addColumn('looked_at', 'bigint', (c) => c.notNull())
    .addColumn('to_look_at', 'bigint')
    .addColumn('error', 'text')
    .execute()
  await db.schema
    .createIndex('analytics_export_age')
    .on('analytics_export')
    .columns(['company_id', 'created_at', 'id'])
    .execute()

  // Periods of users on calls: the call itself only stores its last user.
  await db.schema
    .createTable('call_party')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('call_id', 'bigint', (c) => c.notNull().references('call.id').onDelete('cascade'))
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('way', 'text', (c) => c.notNull())
    .addColumn('joined_at', 'bigint', (c) => c.notNull())
    .addColumn('left_at', 'bigint')
    .addColumn('gave_at', 'bigint')
    .execute()
  await db.schema.createIndex('call_party_of').on('call_party').columns(['call_id', 'user_id']).execute()
  await db.schema
    .createIndex('call_party_user')
    .on('call_party')
    .columns(['company_id', 'user_id', 'joined_at', 'id'])
    .execute()
  // For transferred calls the talk time per user is unknown.
  await sql`
    insert into call_party (company_id, call_id, user_id, way, joined_at, left_at)
    select company_id, id, user_id, case direction when 'inbound' then 'taken' else 'made' end,
      case direction when 'inbound' then answered_at else started_at end, ended_at
    from call
    where user_id is not null and ended_at is not null and transferred_by is null
      and (direction = 'outbound' or answered_at is not null)`.execute(db)

  await db.schema.alterTable('ring_attempt').addColumn('origin', 'text').execute()
  await sql`update ring_attempt set origin = case when call_id is null then 'CALLBACK' else 'RING_TO' end
    where number_id is not null`.execute(db)
  // A user rung for an answered call received it by transfer.
  await sql`update ring_attempt set origin = 'TRANSFER' where exists (
    select 1 from call as c where c.id = ring_attempt.call_id and c.answered_at < ring_attempt.started_at)`.execute(db)
}
