import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { createNumberEvents, followChanges } from '../dialect.ts'

const day = 86_400_000

/** Indexes for lists and searches of a million rows, and fewer round trips per event. */
export async function up(db: Db) {
  await createNumberEvents(db)

  // Contacts last changed per day, in addition to contacts created.
  await db.schema
    .alterTable('contact_count')
    .addColumn('changed', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`insert into contact_count as c (company_id, day, n, changed)
    select company_id, updated_at / ${sql.lit(day)}, 0, count(*) from contact where 1 = 1 group by 1, 2
    on conflict (company_id, day) do update set changed = excluded.changed`.execute(db)

  // Each index also covers the other filters.
  for (const [who, other] of [
    ['user', 'number_id'],
    ['number', 'user_id'],
  ] as const) {
    await db.schema.dropIndex(`call_${who}`).execute()
    const columns = ['company_id', `${who}_id`, 'started_at', 'id', 'direction', other]
    await db.schema.createIndex(`call_${who}`).on('call').columns(columns).execute()
  }
  await db.schema
    .alterTable('call_tag')
    .addColumn('direction', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('call_tag')
    .addColumn('number_id', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('call_tag').addColumn('user_id', 'bigint').execute()
  await sql`update call_tag set direction = c.direction, number_id = c.number_id, user_id = c.user_id
    from call as c where c.id = call_tag.call_id`.execute(db)
  await db.schema.dropIndex('call_tag_search').execute()
  await db.schema
    .createIndex('call_tag_search')
    .on('call_tag')
    .columns(['company_id', 'tag_id', 'started_at', 'call_id', 'direction', 'user_id', 'number_id'])
    .execute()
  await followChanges(db, { of: 'call', columns: ['user_id', 'number_id'], into: 'call_tag', by: 'call_id' })

  // Permanently failed deliveries are rare.
  await db.schema
    .createIndex('delivery_failed')
    .on('delivery')
    .columns(['webhook_id', 'created_at', 'id', 'state', 'event_name', 'last_status'])
    .where(sql<boolean>`state in ('exhausted', 'expired', 'cancelled')`)
    .execute()

  await db.schema
    .createIndex('conversation_unread')
    .on('conversation')
    .columns(['company_id', 'last_at', 'id'])
    .where(sql<boolean>`unread > 0`)
    .execute()
  await db.schema
    .createIndex('conversation_number')
    .on('conversation')
    .columns(['company_id', 'number_id', 'inbox', 'last_at', 'id'])
    .execute()
}
