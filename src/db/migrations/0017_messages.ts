import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

export async function up(db: Db) {
  const { type, key } = identity(db)
  const company = 'company.id'

  // Messaging providers of a company; the settings depend on the kind.
  await db.schema
    .createTable('carrier')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('secrets_sealed', 'text')
    // Observed state: null until checked.
    .addColumn('up', 'integer')
    .addColumn('up_at', 'bigint')
    .addColumn('trouble', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('carrier_company').on('carrier').column('company_id').execute()

  // Messaging capabilities of a Number; no row: the defaults.
  await db.schema
    .createTable('message_line')
    .addColumn('number_id', 'bigint', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('texts', 'integer', (c) => c.notNull())
    .addColumn('carrier_id', 'bigint')
    .addColumn('per_second', 'integer')
    .addColumn('whatsapp_carrier_id', 'bigint')
    .addColumn('waba_id', 'text')
    .addColumn('phone_number_id', 'text')
    .addColumn('whatsapp_status', 'text', (c) => c.notNull())
    .addColumn('whatsapp_tier', 'text', (c) => c.notNull())
    .addColumn('whatsapp_quality', 'text', (c) => c.notNull())
    .addColumn('whatsapp_verification', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('message_line_company').on('message_line').column('company_id').execute()

  // The process that sends the messages of a Number.
  await db.schema
    .createTable('message_lease')
    .addColumn('number_id', 'bigint', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('message_configuration')
    .addColumn('number_id', 'bigint', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('callback_url', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('message_configuration_company')
    .on('message_configuration')
    .column('company_id')
    .execute()

  await db.schema
    .createTable('conversation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    // One recipient, or a group: the sorted numbers as JSON.
    .addColumn('external', 'text')
    .addColumn('participants', 'text')
    // Unique key of the conversation on its Number: a hash, because groups can be long.
    .addColumn('who', 'text', (c) => c.notNull())
    // 1 once agents see it in their inbox.
    .addColumn('inbox', 'integer', (c) => c.notNull())
    .addColumn('unread', 'integer', (c) => c.notNull())
    .addColumn('assigned_user_id', 'bigint')
    .addColumn('archived', 'integer', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('last_message', 'text')
    .addColumn('last_direction', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('conversation_who').on('conversation').columns(['number_id', 'who']).unique().execute()
  await db.schema
    .createIndex('conversation_inbox')
    .on('conversation')
    .columns(['company_id', 'inbox', 'last_at'])
    .execute()

  await db.schema
    .createTable('message')
    .addColumn('row_id', type, key)
    .addColumn('id', 'text', (c) => c.notNull().unique())
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('conversation_id', 'text', (c) => c.notNull())
    .addColumn('mode', 'text', (c) => c.notNull())
    .addColumn('channel', 'text')
    .addColumn('direction', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    // Null for a group.
    .addColumn('external', 'text')
    .addColumn('external_display', 'text')
    .addColumn('participants', 'text')
    // Author of a group message.
    .addColumn('author', 'text')
    .addColumn('body', 'text', (c) => c.notNull())
    // JSON: the request, and keys in the file store.
    .addColumn('media', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint')
    .addColumn('parent_id', 'text')
    // WhatsApp: rendered text, and the template parameters sent to the provider.
    .addColumn('template_content', 'text')
    .addColumn('template_params', 'text')
    .addColumn('type', 'text')
    .addColumn('metadata', 'text')
    .addColumn('category', 'text')
    .addColumn('kind', 'text')
    .addColumn('country', 'text')
    .addColumn('error_code', 'integer')
    .addColumn('error_message', 'text')
    // 1: queued on the Number · 2: being submitted.
    .addColumn('queued', 'integer', (c) => c.notNull())
    // 1: media must still be downloaded.
    .addColumn('fetching', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('sent_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('message_queue')
    .on('message')
    .columns(['number_id', 'row_id'])
    .where(sql<boolean>`queued > 0`)
    .execute()
  await db.schema
    .createIndex('message_window')
    .on('message')
    .columns(['number_id', 'external', 'created_at'])
    .where(sql<boolean>`channel is not null`)
    .execute()
  await db.schema.createIndex('message_conversation').on('message').columns(['conversation_id', 'row_id']).execute()
  await db.schema.createIndex('message_company').on('message').columns(['company_id', 'row_id']).execute()

  // Provider id of a message part, and its delivery status.
  await db.schema
    .createTable('message_piece')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('message_row', 'bigint', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('recipient', 'text', (c) => c.notNull())
    .addColumn('carrier_id', 'bigint')
    .addColumn('ref', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('message_piece_key', ['message_row', 'place'])
    .execute()
  await db.schema.createIndex('message_piece_ref').on('message_piece').columns(['carrier_id', 'ref']).execute()

  // Received provider events, for deduplication.
  await db.schema
    .createTable('message_arrival')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('carrier_id', 'bigint', (c) => c.notNull())
    .addColumn('ref', 'text', (c) => c.notNull())
    .addColumn('report', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('message_arrival_key', ['carrier_id', 'ref'])
    .execute()

  // Parts of long messages until complete, and for a while after, because providers may send one again.
  await db.schema
    .createTable('message_part')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('carrier_id', 'bigint', (c) => c.notNull())
    // Sender, recipient, reference and number of parts.
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('sender', 'text', (c) => c.notNull())
    .addColumn('recipient', 'text', (c) => c.notNull())
    .addColumn('total', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('done', 'integer', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('message_part_key', ['carrier_id', 'key', 'place'])
    .execute()

  await db.schema
    .createTable('message_callback')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('message_id', 'text', (c) => c.notNull())
    .addColumn('event_name', 'text', (c) => c.notNull())
    .addColumn('data', 'text', (c) => c.notNull())
    .addColumn('asset_refs', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    // Null until attempted; then the status, 0 without a response.
    .addColumn('answer', 'integer')
    .addColumn('problem', 'text')
    .addColumn('tried_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('message_callback_open')
    .on('message_callback')
    .columns(['number_id', 'id'])
    .where(sql<boolean>`tried_at is null`)
    .execute()
  await db.schema.createIndex('message_callback_company').on('message_callback').columns(['company_id', 'id']).execute()

  await db.schema
    .createTable('opt_out')
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('number_id', 'bigint', (c) => c.notNull())
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('opt_out_key', ['number_id', 'phone'])
    .execute()

  await db.schema
    .createTable('sms_template')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('sms_template_company').on('sms_template').column('company_id').execute()

  await db.schema
    .createTable('whatsapp_template')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references(company))
    .addColumn('waba_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('category', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('components', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('whatsapp_template_name')
    .on('whatsapp_template')
    .columns(['company_id', 'waba_id', 'name', 'language'])
    .unique()
    .execute()
}
