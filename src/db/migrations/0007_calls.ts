import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)

  // Current state of a user, stored with the user: needed by every ring, dial and User object.
  const presence = { sessions: '0', in_call: '0', wrap_up_tag: '0', granular: "'offline'", granular_since: '0' }
  for (const [name, value] of Object.entries(presence)) {
    const kind = name === 'granular' ? 'text' : name === 'granular_since' ? 'bigint' : 'integer'
    await db.schema
      .alterTable('user')
      .addColumn(name, kind, (c) => c.notNull().defaultTo(sql.raw(value)))
      .execute()
  }
  await db.schema.alterTable('user').addColumn('wrap_up_call_id', 'bigint').execute()
  await db.schema.alterTable('user').addColumn('wrap_up_until', 'bigint').execute()

  await db.schema
    .createTable('phone_session')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('opened_at', 'bigint', (c) => c.notNull())
    .addColumn('active_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('phone_session_of')
    .on('phone_session')
    .columns(['company_id', 'user_id', 'name'])
    .unique()
    .execute()

  await db.schema
    .createTable('user_status')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('granular', 'text', (c) => c.notNull())
    .addColumn('availability_status', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .execute()
  await db.schema.createIndex('user_status_of').on('user_status').columns(['company_id', 'user_id', 'at']).execute()

  await db.schema
    .createTable('call')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('uuid', 'text', (c) => c.notNull().unique())
    .addColumn('direction', 'text', (c) => c.notNull())
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('external', 'text', (c) => c.notNull())
    .addColumn('external_display', 'text', (c) => c.notNull())
    .addColumn('external_digits', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('missed_call_reason', 'text')
    .addColumn('hangup_cause', 'text')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('answered_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('user_id', 'bigint')
    .addColumn('assigned_to', 'bigint')
    .addColumn('transferred_by', 'bigint')
    .addColumn('transferred_to', 'bigint')
    .addColumn('transferred_out', 'integer', (c) => c.notNull())
    .addColumn('callback_of', 'bigint')
    .addColumn('team_ids', 'text', (c) => c.notNull())
    .addColumn('participants', 'text', (c) => c.notNull())
    .addColumn('ivr_options', 'text', (c) => c.notNull())
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('recording', 'text')
    .addColumn('recording_ms', 'bigint')
    .addColumn('voicemail', 'text')
    .addColumn('voicemail_ms', 'bigint')
    // Events of the end that were sent: none, call.ended, all.
    .addColumn('told', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('call_list').on('call').columns(['company_id', 'started_at', 'id']).execute()
  await db.schema
    .createIndex('call_direction')
    .on('call')
    .columns(['company_id', 'direction', 'started_at', 'id'])
    .execute()
  // Includes the direction, so that counting reads the index only.
  for (const who of ['user', 'number']) {
    const columns = ['company_id', `${who}_id`, 'started_at', 'id', 'direction']
    await db.schema.createIndex(`call_${who}`).on('call').columns(columns).execute()
  }
  await db.schema
    .createIndex('call_phone')
    .on('call')
    .columns(['company_id', 'external_digits', 'started_at', 'id'])
    .execute()

  await db.schema
    .createTable('call_count')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('direction', 'text', (c) => c.notNull())
    .addColumn('n', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('call_count_key', ['company_id', 'day', 'direction'])
    .execute()

  await db.schema
    .createTable('call_tag')
    .addColumn('call_id', 'bigint', (c) => c.notNull().references('call.id').onDelete('cascade'))
    .addColumn('tag_id', 'bigint', (c) => c.notNull().references('tag.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('tagged_by', 'bigint')
    .addColumn('tagged_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('call_tag_key', ['call_id', 'tag_id'])
    .execute()
  await db.schema
    .createIndex('call_tag_search')
    .on('call_tag')
    .columns(['company_id', 'tag_id', 'started_at', 'call_id'])
    .execute()

  await db.schema
    .createTable('call_comment')
    .addColumn('id', type, key)
    .addColumn('call_id', 'bigint', (c) => c.notNull().references('call.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('content', 'text', (c) => c.notNull())
    .addColumn('posted_by', 'bigint')
    .addColumn('posted_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('call_comment_of').on('call_comment').column('call_id').execute()

  await db.schema
    .createTable('call_trace')
    .addColumn('id', type, key)
    .addColumn('call_id', 'bigint', (c) => c.notNull().references('call.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('entry', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('call_trace_of').on('call_trace').column('call_id').execute()

  await db.schema
    .createTable('ring_attempt')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('call_id', 'bigint')
    .addColumn('number_id', 'bigint')
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('team_id', 'bigint')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('outcome', 'text')
    .execute()
  await db.schema.createIndex('ring_attempt_of').on('ring_attempt').columns(['call_id', 'user_id']).execute()
  await db.schema.createIndex('ring_attempt_age').on('ring_attempt').columns(['company_id', 'started_at']).execute()

  // State of the engine: active calls, queued callers and ringing users. One row per user, so that no user is rung
  // twice.
  await db.schema
    .createTable('live_call')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('call_id', 'bigint')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('live_call_owner').on('live_call').column('owner').execute()
  await db.schema.createIndex('live_call_of').on('live_call').columns(['company_id', 'call_id']).execute()

  await db.schema
    .createTable('live_party')
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addPrimaryKeyConstraint('live_party_key', ['user_id', 'key'])
    .execute()

  await db.schema
    .createTable('queue_place')
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('rank', 'integer', (c) => c.notNull())
    .addColumn('entered_at', 'bigint', (c) => c.notNull())
    // Tie-breaker within one millisecond: the lower id is first.
    .addColumn('call_id', 'bigint', (c) => c.notNull())
    .addColumn('hungry', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('queue_place_key', ['key', 'target'])
    .execute()
  await db.schema
    .createIndex('queue_place_head')
    .on('queue_place')
    .columns(['company_id', 'target', 'hungry', 'rank', 'entered_at', 'call_id'])
    .execute()

  await db.schema
    .createTable('ring_reservation')
    .addColumn('user_id', 'bigint', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('ring_reservation_of').on('ring_reservation').column('key').execute()

  await db.schema
    .createTable('call_command')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('command', 'text', (c) => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('call_command_owner').on('call_command').column('owner').execute()

  await db.schema
    .createTable('callback_request')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('call_id', 'bigint', (c) => c.notNull())
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('targets', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('rank', 'integer', (c) => c.notNull())
    .addColumn('entered_at', 'bigint', (c) => c.notNull())
    .addColumn('attempts_left', 'integer', (c) => c.notNull())
    .addColumn('retry_seconds', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('callback_request_due').on('callback_request').columns(['state', 'next_at']).execute()

  await db.schema
    .createTable('dialer_campaign')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull())
    .addColumn('number_id', 'bigint')
    .addColumn('active', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('dialer_campaign_active')
    .on('dialer_campaign')
    .columns(['company_id', 'user_id'])
    .unique()
    .where(sql<boolean>`active = 1`)
    .execute()
  await db.schema
    .createTable('dialer_number')
    .addColumn('id', type, key)
    .addColumn('campaign_id', 'bigint', (c) => c.notNull().references('dialer_campaign.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('number', 'text', (c) => c.notNull())
    .addColumn('called', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('dialer_number_of')
    .on('dialer_number')
    .columns(['campaign_id', 'called', 'number'])
    .execute()

  await db.schema
    .createTable('short_url')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('call_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('short_url_age').on('short_url').column('expires_at').execute()
  await db.schema.createIndex('short_url_of').on('short_url').column('call_id').execute()

  await db.schema
    .createTable('sandbox_setting')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('sandbox_setting_key', ['company_id', 'key'])
    .execute()
}
