import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { identity } from '../dialect.ts'

/** Analytics by e-mail: what is sent when and to whom, and each run. E-mails have HTML and an attachment. */
export async function up(db: Db) {
  const { type, key } = identity(db)
  await db.schema
    .createTable('scheduled_report')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('settings', 'text', (c) => c.notNull())
    .addColumn('next_run_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'bigint')
    .execute()
  await db.schema.createIndex('scheduled_report_of').on('scheduled_report').columns(['company_id', 'id']).execute()
  await db.schema
    .createTable('scheduled_report_recipient')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('report_id', 'bigint', (c) => c.notNull())
    .addColumn('user_id', 'bigint')
    .addColumn('email', 'text')
    .addColumn('unsubscribed_at', 'bigint')
    .addColumn('removed', 'integer', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('report_recipient_of')
    .on('scheduled_report_recipient')
    .columns(['company_id', 'report_id', 'id'])
    .execute()
  await db.schema
    .createIndex('report_recipient_user')
    .on('scheduled_report_recipient')
    .column('user_id')
    .where(sql<boolean>`user_id is not null`)
    .execute()
  await db.schema
    .createTable('scheduled_report_run')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('report_id', 'bigint', (c) => c.notNull())
    .addColumn('cause', 'text', (c) => c.notNull())
    .addColumn('user_id', 'bigint')
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('from_date', 'text')
    .addColumn('to_date', 'text')
    .addColumn('recipients', 'integer', (c) => c.notNull())
    .addColumn('error', 'text')
    .execute()
  await db.schema
    .createIndex('report_run_of')
    .on('scheduled_report_run')
    .columns(['company_id', 'report_id', 'id'])
    .execute()
  await db.schema.createIndex('report_run_age').on('scheduled_report_run').column('created_at').execute()
  await db.schema.alterTable('mail').addColumn('parts_sealed', 'text').execute()
  await db.schema.alterTable('mail').addColumn('report_run_id', 'bigint').execute()
  await db.schema
    .createIndex('mail_of_report_run')
    .on('mail')
    .column('report_run_id')
    .where(sql<boolean>`report_run_id is not null`)
    .execute()
  await db.schema
    .alterTable('company')
    .addColumn('external_reports', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
