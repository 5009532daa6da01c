import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Database, type DatabaseOptions, type Db, openDatabase, transaction } from './database.ts'
import { holdLock, positionIsRowId } from './dialect.ts'
import { countRows, type DumpRow, identities, isServer, tableNames } from './dump.ts'
import { createMigrationTable, migrate, migrations } from './migrate.ts'
import { isServedByOthers } from './other-processes.ts'

// Imports a dump: replaces the whole store or nothing.

export interface Replacement {
  /** Schema version of the rows; an older one is migrated afterwards. */
  schema: number
  lastKeys: Record<string, number>
  /** Whether a store with data may be replaced. */
  force: boolean
  /** Loads the rows of each table; called once per table. */
  fill(load: (table: string, rows: AsyncIterable<DumpRow>) => Promise<number>): Promise<void>
  /** Called when the new store is complete, before other processes can open it. */
  done(): void
}

/** The store cannot be replaced. */
export class StoreNotReplaceable extends Error {}

type Tools = { clock: Clock; log: Log }

export async function replaceStore(options: DatabaseOptions, replacement: Replacement, tools: Tools): Promise<void> {
  const database = await openDatabase(options, tools.clock)
  try {
    await requireReplaceable(database.db, replacement.force)
    if (options.kind === 'embedded') await replaceFile(options.folder, database, replacement, tools)
    else await replaceTables(database, replacement, tools)
  } catch (error) {
    throw isContradiction(error)
      ? new StoreNotReplaceable('the rows contradict each other; nothing was changed')
      : error
  } finally {
    await database.close()
  }
}

/** A constraint violation in either database. */
const isContradiction = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(23|SQLITE_CONSTRAINT)/.test(String(error.code))

// Tables that contain rows even in an unused store.
const ignoredTables = new Set(['schema_migration', 'setting', 'rate_window', 'sign_in_try'])

async function requireReplaceable(db: Db, force: boolean): Promise<void> {
  const tables = await tableNames(db)
  if (tables.length > 0 && !tables.includes('schema_migration')) {
    throw new StoreNotReplaceable('the database holds tables of something else; use one of its own')
  }
  if (await isServedByOthers(db)) throw new StoreNotReplaceable('a server uses the database; stop it first')
  if (force) return
  for (const table of tables) {
    if (ignoredTables.has(table) || (await countRows(db, table)) === 0) continue
    throw new StoreNotReplaceable('the store holds data; --force replaces it')
  }
}

/** Builds the new file next to the old one and replaces it in one step; the folder stays locked. */
async function replaceFile(folder: string, old: Database, replacement: Replacement, tools: Tools): Promise<void> {
  const buildFolder = path.join(folder, 'restoring-store')
  rmSync(buildFolder, { recursive: true, force: true })
  try {
    const fresh = await openDatabase({ kind: 'embedded', folder: buildFolder }, tools.clock)
    try {
      await transaction(fresh.db, (tx) => build(tx, replacement))
      await migrate(fresh, tools)
      await emptyLog(fresh.db)
    } finally {
      await fresh.close()
    }
    // The old write-ahead log would be applied to the new file, so it is emptied first.
    await emptyLog(old.db)
    const file = path.join(folder, 'hookswitch.db')
    renameSync(path.join(buildFolder, 'hookswitch.db'), file)
    for (const rest of ['-wal', '-shm']) rmSync(file + rest, { force: true })
    replacement.done()
  } finally {
    rmSync(buildFolder, { recursive: true, force: true })
  }
}

/** Moves all committed data into the file; libsql does not do so on close. */
async function emptyLog(db: Db): Promise<void> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
  if (rows[0]?.busy !== 0) throw new Error('somebody else reads the store; try again')
}

async function replaceTables(database: Database, replacement: Replacement, tools: Tools): Promise<void> {
  await transaction(database.db, async (tx) => {
    // A server that starts now waits before it reads the schema version.
    await holdLock(tx, 'migrate')
    for (const table of await tableNames(tx)) await sql`drop table ${sql.table(table)} cascade`.execute(tx)
    await build(tx, replacement)
  })
  replacement.done()
  await migrate(database, tools)
}

async function build(tx: Db, replacement: Replacement): Promise<void> {
  await createSchema(tx, replacement.schema)
  const restoreReferences = await dropReferences(tx)
  await replacement.fill((table, rows) => insertRows(tx, table, rows))
  await restoreReferences()
  await continueKeys(tx, replacement.lastKeys)
  // On PostgreSQL the sequencer may not have numbered the last events; here a position equals the row id.
  if (positionIsRowId(tx) && (await tableNames(tx)).includes('event')) {
    await sql`update event set position = row_id where position is null`.execute(tx)
  }
}

/** Creates the tables of that schema version; the rows of schema_migration are part of the dump. */
async function createSchema(tx: Db, schema: number): Promise<void> {
  await createMigrationTable(tx)
  for (const { up } of migrations.slice(0, schema)) await up(tx)
}

/** Tables are loaded in any order; foreign keys are checked at the end. */
async function dropReferences(tx: Db): Promise<() => Promise<void>> {
  if (!isServer(tx)) {
    await sql`pragma defer_foreign_keys = on`.execute(tx)
    return async () => {}
  }
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and relnamespace = current_schema()::regnamespace order by 1, 2`.execute(tx)
  for (const { table, name } of rows) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  }
  return async () => {
    for (const { table, name, definition } of rows) {
      await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx)
    }
  }
}

// Both databases accept this many values per statement.
const valuesAtOnce = 5_000

async function insertRows(tx: Db, table: string, rows: AsyncIterable<DumpRow>): Promise<number> {
  let count = 0
  let waiting: DumpRow[] = []
  const flush = async () => {
    const [first] = waiting
    if (!first) return
    const columns = Object.keys(first)
    const values = waiting.map((row) => sql`(${sql.join(columns.map((column) => row[column] ?? null))})`)
    const names = sql.join(columns.map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(tx)
    count += waiting.length
    waiting = []
  }
  for await (const row of rows) {
    waiting.push(row)
    if (waiting.length >= 200 || waiting.length * Object.keys(row).length >= valuesAtOnce) await flush()
  }
  await flush()
  return count
}

/** New ids follow the highest id ever assigned, even if its row was deleted before the dump. */
async function continueKeys(tx: Db, lastKeys: Record<string, number>): Promise<void> {
  if (!isServer(tx)) {
    for (const [table, last] of Object.entries(lastKeys)) {
      const { numAffectedRows = 0n } = await sql`
        update sqlite_sequence set seq = max(seq, ${last}) where name = ${table}`.execute(tx)
      if (numAffectedRows === 0n)
        await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(tx)
    }
    return
  }
  for (const { table, column, sequence } of await identities(tx)) {
    await sql`select setval(${sequence}, greatest(max(${sql.ref(column)}), ${lastKeys[table] ?? 0}, 1),
      coalesce(greatest(max(${sql.ref(column)}), ${lastKeys[table] ?? 0}), 0) > 0) from ${sql.table(table)}`.execute(tx)
  }
}
