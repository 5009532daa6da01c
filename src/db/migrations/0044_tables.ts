import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { clustered, identity, textByBytes } from '../dialect.ts'

/** Search of calls by a part of a number, saved filters, and bulk changes of contacts that can be undone. */
export async function up(db: Db) {
  await createPartyParts(db)
  const { type, key } = identity(db)
  await db.schema
    .createTable('saved_filter')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('page', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('query', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('saved_filter_of')
    .on('saved_filter')
    .columns(['company_id', 'user_id', 'page', 'name'])
    .unique()
    .execute()
  await db.schema.createIndex('saved_filter_user').on('saved_filter').column('user_id').execute()

  await db.schema
    .createTable('bulk_change')
    .addColumn('id', type, key)
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('user_id', 'bigint')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('total', 'bigint', (c) => c.notNull())
    .addColumn('done', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('bulk_change_of').on('bulk_change').columns(['company_id', 'id']).execute()
  await db.schema.createIndex('bulk_change_age').on('bulk_change').column('created_at').execute()

  await db.schema
    .createTable('bulk_change_row')
    .addColumn('change_id', 'bigint', (c) => c.notNull().references('bulk_change.id').onDelete('cascade'))
    .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('object_id', 'bigint')
    .addColumn('input', 'text')
    .addColumn('before', 'text')
    .addColumn('written_at', 'bigint')
    .addPrimaryKeyConstraint('bulk_change_row_key', ['change_id', 'position'])
    .execute()
}

/** Each external number of the calls once, by all its endings of three and more digits. */
async function createPartyParts(db: Db): Promise<void> {
  await clustered(
    db,
    db.schema
      .createTable('party_part')
      .addColumn('company_id', 'bigint', (c) => c.notNull().references('company.id'))
      .addColumn('part', textByBytes(db), (c) => c.notNull())
      .addColumn('digits', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('party_part_key', ['company_id', 'part', 'digits']),
  ).execute()
  await sql`with recursive start(at) as (select 1 union all select at + 1 from start where at < 40)
    insert into party_part (company_id, part, digits)
    select known.company_id, substr(known.digits, start.at), known.digits
    from (select distinct company_id, external_digits as digits from call where external_digits <> '') as known
    join start on start.at = 1 or start.at + 2 <= length(known.digits)`.execute(db)
}
