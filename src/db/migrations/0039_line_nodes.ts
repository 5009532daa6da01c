import type { Db } from '../database.ts'

/** Line nodes on their own hosts, and which node holds the registration of a trunk. */
export async function up(db: Db) {
  await db.schema
    .createTable('line_node')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('port', 'integer', (c) => c.notNull())
    .addColumn('release', 'text', (c) => c.notNull())
    .addColumn('legs', 'integer', (c) => c.notNull())
    .addColumn('max_legs', 'integer', (c) => c.notNull())
    .addColumn('draining', 'integer', (c) => c.notNull())
    .addColumn('beat', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute()

  await db.schema
    .createTable('trunk_registration')
    .addColumn('trunk_id', 'bigint', (c) => c.primaryKey().references('trunk.id').onDelete('cascade'))
    .addColumn('node', 'text', (c) => c.notNull())
    .addColumn('beat', 'bigint', (c) => c.notNull())
    .execute()
}
