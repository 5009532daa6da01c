import { existsSync } from 'node:fs'
import path from 'node:path'
import { Kysely, type RawBuilder, SqliteDialect, sql } from 'kysely'
import SqliteFile from 'libsql'
import type { Clock } from '../lib/clock.ts'
import { type DatabaseOptions, type Db, openDatabase } from './database.ts'
import { ServerAdapter } from './postgres.ts'
import type { Tables } from './tables.ts'

// Exports all tables in a form that both databases can import.

/** Rebuilt by triggers while its sources are imported. */
const derivedTable = 'phone_part'

/** Numbers, strings and nulls by column: all types in use. */
export type DumpRow = Record<string, string | number | null>

/** A consistent snapshot while writes continue. */
export interface Snapshot {
  schema: number
  tables: string[]
  /** The highest key ever assigned, by table: ids of deleted rows are not reused. */
  lastKeys: Record<string, number>
  count(table: string): Promise<number>
  /** In batches, in primary key order. */
  rows(table: string): AsyncGenerator<DumpRow[]>
}

/** The configured location contains no store. */
export class NoStore extends Error {
  constructor(where: string) {
    super(`There is no store in ${where}. Check DATA_DIR, or set DATABASE_URL if it is on PostgreSQL.`)
  }
}

/** Reads next to a running server without blocking it: WAL on SQLite, repeatable read on PostgreSQL. */
export async function readSnapshot<T>(
  options: DatabaseOptions,
  clock: Clock,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const { db, close } = await openBeside(options, clock)
  try {
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        const tables = (await tableNames(tx)).filter((table) => table !== derivedTable)
        if (!tables.includes('schema_migration')) throw new NoStore(placeOf(options))
        return work({
          schema: (await appliedMigrations(tx)).length,
          tables,
          lastKeys: await lastKeys(tx),
          count: (table) => countRows(tx, table),
          rows: (table) => rowsOf(tx, table),
        })
      })
  } finally {
    await close()
  }
}

const placeOf = (options: DatabaseOptions) => (options.kind === 'embedded' ? options.folder : 'the database')

async function openBeside(options: DatabaseOptions, clock: Clock): Promise<{ db: Db; close(): Promise<void> }> {
  if (options.kind === 'postgres') {
    const database = await openDatabase(options, clock)
    return { db: database.db, close: () => database.close() }
  }
  const file = path.join(options.folder, 'hookswitch.db')
  if (!existsSync(file)) throw new NoStore(options.folder)
  // Not openEmbedded, which locks the folder.
  const database = new SqliteFile(file)
  database.exec('pragma busy_timeout = 5000')
  database.exec('pragma query_only = on')
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
  return { db, close: () => db.destroy() }
}

export const isServer = (db: Db) => db.getExecutor().adapter instanceof ServerAdapter

export function appliedMigrations(db: Db) {
  return db.selectFrom('schema_migration').select(['number', 'name']).orderBy('number').execute()
}

/** Our tables, without those of extensions. */
export async function tableNames(db: Db): Promise<string[]> {
  const query = isServer(db)
    ? sql<{ name: string }>`select relname as name from pg_class
        where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace
        and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e') order by 1`
    : sql<{ name: string }>`select name from sqlite_master
        where type = 'table' and name not like 'sqlite|_%' escape '|' order by 1`
  return (await query.execute(db)).rows.map(({ name }) => name)
}

export async function countRows(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)
  return rows[0]?.n ?? 0
}

const batchSize = 200

async function* rowsOf(db: Db, table: string): AsyncGenerator<DumpRow[]> {
  const key = await primaryKey(db, table)
  const columns = sql.join(key.map((column) => sql.ref(column)))
  let after: RawBuilder<unknown> = sql``
  for (;;) {
    const batch = sql<DumpRow>`select * from ${sql.table(table)} ${after} order by ${columns} limit ${batchSize}`
    const { rows } = await batch.execute(db)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`
  }
}

async function primaryKey(db: Db, table: string): Promise<string[]> {
  const query = isServer(db)
    ? sql<{ name: string }>`select attname as name from pg_index
        join pg_attribute on attrelid = indrelid and attnum = any(indkey)
        where indrelid = ${quoted(table)}::regclass and indisprimary order by array_position(indkey::int2[], attnum)`
    : sql<{ name: string }>`select name from pragma_table_info(${table}) where pk > 0 order by pk`
  const { rows } = await query.execute(db)
  if (rows.length === 0) throw new Error(`the table ${table} has no primary key to walk along`)
  return rows.map(({ name }) => name)
}

/** Quoted identifier for `regclass`: names such as `user` are reserved words. */
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Tables with identity columns, with the column and its sequence. */
export async function identities(db: Db): Promise<{ table: string; column: string; sequence: string }[]> {
  const { rows } = await sql<{ table: string; column: string; sequence: string }>`
    select relname as table, attname as column,
      pg_get_serial_sequence(quote_ident(relname), attname) as sequence
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where attidentity <> '' and relnamespace = current_schema()::regnamespace order by 1`.execute(db)
  return rows
}

async function lastKeys(db: Db): Promise<Record<string, number>> {
  if (!isServer(db)) {
    const { rows } = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(db)
    return Object.fromEntries(rows.map(({ name, seq }) => [name, seq]))
  }
  const found: Record<string, number> = {}
  for (const { table, sequence } of await identities(db)) {
    // Already quoted by the server.
    const { rows } = await sql<{ n: number }>`
      select case when is_called then last_value else 0 end as n from ${sql.raw(sequence)}`.execute(db)
    found[table] = rows[0]?.n ?? 0
  }
  return found
}
