import {
  type ColumnDefinitionBuilder,
  type CompiledQuery,
  type CreateTableBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely'
import type { Db } from './database.ts'
import { EmbeddedAdapter } from './embedded.ts'
import { hotQuery } from './hot-query.ts'
import { lifeLock, ServerAdapter } from './postgres.ts'
import { afterCommit } from './transaction.ts'

// Every difference between the two databases, by name.

const adapterOf = (db: Db) => db.getExecutor().adapter
const isServer = (db: Db) => adapterOf(db) instanceof ServerAdapter

/** A 64-bit key handed out by the database, never used twice. */
export function identity(db: Db) {
  const server = isServer(db)
  return {
    type: server ? ('bigint' as const) : ('integer' as const),
    key: (column: ColumnDefinitionBuilder) =>
      server ? column.generatedByDefaultAsIdentity().primaryKey() : column.autoIncrement().primaryKey(),
  }
}

/** The embedded store has no word for it: the table is copied. No other table may refer to it. */
export async function dropNotNull(db: Db, table: string, column: string): Promise<void> {
  if (isServer(db)) {
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} drop not null`.execute(db)
    return
  }
  const found = await sql<{ type: string; sql: string | null }>`
    select type, sql from sqlite_master where tbl_name = ${table} order by type desc`.execute(db)
  const definition = found.rows.find(({ type }) => type === 'table')?.sql ?? ''
  const copy = `${table}_copy`
  const nullable = definition
    .replace(`"${table}"`, `"${copy}"`)
    .replace(new RegExp(`("${column}" \\w+) not null`), '$1')
  await sql.raw(nullable).execute(db)
  await sql`insert into ${sql.table(copy)} select * from ${sql.table(table)}`.execute(db)
  await sql`drop table ${sql.table(table)}`.execute(db)
  await sql`alter table ${sql.table(copy)} rename to ${sql.table(table)}`.execute(db)
  for (const index of found.rows) if (index.type === 'index' && index.sql) await sql.raw(index.sql).execute(db)
}

/** Rows are added and never changed or taken away, not even by our own mistake. */
export async function appendOnly(db: Db, table: string): Promise<void> {
  const words = sql.lit(`rows of ${table} stay as they are`)
  if (isServer(db)) {
    const refuse = sql.id(`${table}_refuse`)
    await sql`create or replace function ${refuse}() returns trigger language plpgsql as
      ${sql.lit(`begin raise exception 'rows of ${table} stay as they are'; end`)}`.execute(db)
    await sql`create trigger ${sql.id(`${table}_append_only`)} before update or delete on ${sql.table(table)}
      for each row execute function ${refuse}()`.execute(db)
    return
  }
  for (const verb of ['update', 'delete']) {
    await sql`create trigger ${sql.id(`${table}_no_${verb}`)} before ${sql.raw(verb)} on ${sql.table(table)}
      begin select raise(abort, ${words}); end`.execute(db)
  }
}

/**
 * Gives events their places in the log, in the order in which they became visible, and wakes readers; says how many. In the
 * server, because it happens after every change: one round trip instead of eight. Each statement inside sees what was
 * committed while it waited for the lock.
 */
export async function createNumberEvents(db: Db): Promise<void> {
  if (!isServer(db)) return
  await sql`create or replace function number_events(most bigint) returns bigint language plpgsql as $$
    declare
      numbered bigint;
      companies bigint[];
    begin
      if not exists (select 1 from event where position is null) then return 0; end if;
      perform pg_advisory_xact_lock(hashtext('hookswitch.sequence'));
      with todo as (
        select row_id, row_number() over (order by row_id) as n
        from (select row_id from event where position is null order by row_id limit most) fresh),
      done as (
        update event set position = (select last from event_sequence where id = 1) + todo.n
        from todo where event.row_id = todo.row_id
        returning event.company_id)
      select count(*), array_agg(distinct company_id) into numbered, companies from done;
      update event_sequence set last = last + numbered where id = 1 and numbered > 0;
      perform pg_notify('feed', company::text) from unnest(companies) as company;
      return numbered;
    end $$`.execute(db)
}

/** Whether one statement can write several tables: then a change takes few round trips. */
export const writesTogether = (db: Db) => isServer(db)

/** Columns that a second table repeats from a row of the first are changed there with it. */
export async function followChanges(
  db: Db,
  { of, columns, into, by }: { of: string; columns: readonly string[]; into: string; by: string },
): Promise<void> {
  const trigger = sql.id(`${into}_follows_${of}`)
  const list = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(columns.map((column) => sql`${sql.ref(column)} = new.${sql.ref(column)}`))
  const change = sql`update ${sql.table(into)} set ${values} where ${sql.ref(by)} = new.id`
  const differ = (word: string) =>
    sql.join(
      columns.map((column) => sql`old.${sql.ref(column)} ${sql.raw(word)} new.${sql.ref(column)}`),
      sql` or `,
    )
  if (!isServer(db)) {
    await sql`create trigger ${trigger} after update of ${list} on ${sql.table(of)} when ${differ('is not')}
      begin ${change}; end`.execute(db)
    return
  }
  await sql`create or replace function ${trigger}() returns trigger language plpgsql as $$ begin ${change}; return null; end $$`.execute(
    db,
  )
  await sql`create trigger ${trigger} after update of ${list} on ${sql.table(of)}
    for each row when (${differ('is distinct from')}) execute function ${trigger}()`.execute(db)
}

/** Rows that are counted once a minute need no crash safety on the server. */
export function unlogged<T extends string>(db: Db, table: CreateTableBuilder<T>): CreateTableBuilder<T> {
  return isServer(db) ? table.modifyFront(sql`unlogged`) : table
}

/**
 * Nobody else changes the row until this transaction ends; rows that refer to it may still be written. The embedded
 * store has one writer and needs no word for it.
 */
export function lockRow<D, T extends keyof D, O>(
  db: Db,
  query: SelectQueryBuilder<D, T, O>,
): SelectQueryBuilder<D, T, O> {
  return isServer(db) ? query.forNoKeyUpdate() : query
}

/** Rows nobody else is working on: several processes may ask at the same time. */
export function claimRows<D, T extends keyof D, O>(
  db: Db,
  query: SelectQueryBuilder<D, T, O>,
): SelectQueryBuilder<D, T, O> {
  return isServer(db) ? query.forUpdate().skipLocked() : query
}

/** On the embedded store the log's position is the row id; the server's sequencer gives it after commit. */
export const positionIsRowId = (db: Db) => !isServer(db)

/** The place of the next event in the log, where it is the row's own number; the one writer makes it safe to look first. */
export async function nextPosition(tx: Db): Promise<number | null> {
  if (isServer(tx)) return null
  const [row] = await lastEvent(tx, {})
  return (row?.seq ?? 0) + 1
}

const lastEvent = hotQuery<object, { seq: number }>((db) =>
  sql<{ seq: number }>`select seq from sqlite_sequence where name = 'event'`.compile(db),
)

/** Text that is compared and sorted byte by byte, whatever the language of the database: SQLite knows nothing else. */
export const textByBytes = (db: Db): RawBuilder<unknown> => (isServer(db) ? sql`text collate "C"` : sql`text`)

/** A small table that is its own index; a server has no such thing. */
export function clustered<T extends string>(db: Db, table: CreateTableBuilder<T>): CreateTableBuilder<T> {
  return isServer(db) ? table : table.modifyEnd(sql`without rowid`)
}

// The vocabulary of names: a word that a contact uses must not be removed meanwhile. Those who add words share the lock
// until they commit; it is released with the transaction.
const nameLock = (companyId: RawBuilder<unknown>) =>
  sql`hashtext('hookswitch.names'), hashtext(cast(${companyId} as text))`

/** Inside a statement that adds words, evaluated before it does. */
export const sharingNames = (companyId: number) =>
  sql`pg_advisory_xact_lock_shared(${nameLock(sql`${companyId}::bigint`)})`

export async function shareNames(tx: Db, companyId: number): Promise<void> {
  if (isServer(tx)) await sql`select ${sharingNames(companyId)}`.execute(tx)
}

/** Waits until everyone who is adding words has committed. */
export async function holdNames(tx: Db, companyId: number): Promise<void> {
  if (!isServer(tx)) return
  await sql`select pg_advisory_xact_lock(${nameLock(sql`${companyId}::bigint`)})`.execute(tx)
}

/** Whether one statement can look through the queues of many webhooks at once. */
export const hasLateral = (db: Db) => isServer(db)

/** The greater of two numbers. */
export const greater = (db: Db, a: RawBuilder<unknown>, b: RawBuilder<unknown>): RawBuilder<number> =>
  isServer(db) ? sql`greatest(${a}, ${b})` : sql`max(${a}, ${b})`

/** Time for leases: the server's own, so that no process with a wrong clock takes another's work. */
export const leaseClock = (db: Db, machineNow: number): RawBuilder<number> =>
  isServer(db) ? sql`(extract(epoch from clock_timestamp()) * 1000)::bigint` : sql`${machineNow}`

/** Rows given as one JSON text, so that a batch of any size is one prepared statement. */
export function rowsFromJson(
  db: Db,
  json: string,
  columns: Readonly<Record<string, 'text' | 'bigint' | 'integer'>>,
): RawBuilder<unknown> {
  const names = Object.entries(columns)
  if (isServer(db)) {
    const shape = sql.join(names.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`))
    return sql`json_to_recordset(${json}::json) as given(${shape})`
  }
  const picks = names.map(([name]) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`)
  return sql`(select ${sql.join(picks)} from json_each(${json})) as given`
}

/** A list of words that may be empty, as one parameter. */
export const wordsFromJson = (db: Db, json: RawBuilder<string> | string): RawBuilder<unknown> =>
  isServer(db) ? sql`(select json_array_elements_text(${json}::json))` : sql`(select value from json_each(${json}))`

/** The same for ids. */
export const idsFromJson = (db: Db, json: RawBuilder<string> | string): RawBuilder<number> =>
  isServer(db)
    ? sql`(select json_array_elements_text(${json}::json)::bigint)`
    : sql`(select value from json_each(${json}))`

/**
 * A column that is compared but must not choose the plan. Beside a list of ids SQLite takes `company_id = ?` for the
 * rarer thing and reads all rows of the company.
 */
export const aside = (column: string) => sql<number>`+${sql.ref(column)}`
/** The same for a word; a server has no plus for those, and needs none. */
export const asideText = (db: Db, column: string) =>
  isServer(db) ? sql<string>`${sql.ref(column)}` : sql<string>`+${sql.ref(column)}`

/** Names the index that SQLite reads; PostgreSQL has statistics and needs no hint. */
export const usingIndex = (db: Db, index: string): RawBuilder<unknown> =>
  isServer(db) ? sql`` : sql`indexed by ${sql.ref(index)}`

/** Values in SQL that become one JSON array. */
export function jsonArray(db: Db, values: RawBuilder<unknown>): RawBuilder<unknown> {
  return isServer(db) ? sql`json_build_array(${values})` : sql`json_array(${values})`
}

/** A row, or some of its columns, that becomes one JSON object. */
export function jsonObject(db: Db, table: string, columns: readonly string[]): RawBuilder<unknown> {
  const pairs = sql.join(columns.flatMap((name) => [sql.lit(name), sql.ref(`${table}.${name}`)]))
  return isServer(db) ? sql`json_build_object(${pairs})` : sql`json_object(${pairs})`
}

/** All rows as one JSON array: one text is read much quicker than a hundred cells, and in one statement with the rest. */
export function jsonRows(db: Db, each: RawBuilder<unknown>, order: RawBuilder<unknown>): RawBuilder<unknown> {
  return isServer(db)
    ? sql`coalesce(json_agg(${each} order by ${order}), '[]')`
    : sql`json_group_array(${each} order by ${order})`
}

/**
 * For reads that look at many rows: the embedded store reads them in another thread, so that nothing else waits. A server
 * is another process anyway.
 */
export async function readApart<R>(db: Db, query: CompiledQuery<R>): Promise<R[]> {
  const adapter = adapterOf(db)
  const apart = adapter instanceof EmbeddedAdapter && adapter.apart<R>(db, query.sql, query.parameters)
  return apart ? apart : (await db.executeQuery(query)).rows
}

/** One of several processes does this at a time; held until the transaction ends. */
export async function holdLock(tx: Db, name: 'migrate' | 'seed' | 'sequence'): Promise<void> {
  if (!isServer(tx)) return
  await sql`select pg_advisory_xact_lock(hashtext(${`hookswitch.${name}`}))`.execute(tx)
}

/** A hint to whoever listens, sent when the surrounding transaction commits. */
export async function notify(db: Db, channel: string, payload = ''): Promise<void> {
  const adapter = adapterOf(db)
  if (adapter instanceof EmbeddedAdapter) afterCommit(db, () => adapter.bus.send(channel, payload))
  else await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

/** The same inside a statement that does something else, where one statement can. */
export const notifying = (channel: string, payload: string) => sql`pg_notify(${sql.lit(channel)}, ${payload})`

/** Several at once; one without a payload is left out. */
export async function notifyAll(
  db: Db,
  calls: readonly (readonly [channel: string, payload: string])[],
): Promise<void> {
  const real = calls.filter(([, payload]) => payload !== '')
  if (!isServer(db)) for (const [channel, payload] of real) await notify(db, channel, payload)
  else if (real.length > 0) {
    await sql`select ${sql.join(real.map(([channel, payload]) => sql`pg_notify(${channel}, ${payload})`))}`.execute(db)
  }
}

export function listen(db: Db, channel: string, hear: (payload: string) => void): () => void {
  const adapter = adapterOf(db)
  if (adapter instanceof EmbeddedAdapter) return adapter.bus.listen(channel, hear)
  if (adapter instanceof ServerAdapter) return adapter.ears.listen(channel, hear)
  throw new Error('not one of our databases')
}

/** A sign of life that ends with the process, whatever way it ends. */
export async function holdForLife(db: Db, key: number): Promise<void> {
  const adapter = adapterOf(db)
  if (adapter instanceof ServerAdapter) await adapter.ears.holdForLife(key)
}

/** Keys whose holders live. */
export async function livingKeys(db: Db): Promise<Set<number>> {
  const { rows } = await sql<{ key: number }>`
    select objid::bigint as key from pg_locks
    where locktype = 'advisory' and granted and classid = ${sql.lit(lifeLock)}
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** A migration never makes a running server wait long for a table. */
export async function setLockTimeout(tx: Db): Promise<void> {
  if (isServer(tx)) await sql`set local lock_timeout = '1s'`.execute(tx)
}

/** What was deleted must not stay readable in the write-ahead log until somebody happens to write enough. */
export async function forgetDeleted(db: Db): Promise<void> {
  if (!isServer(db)) await sql`pragma wal_checkpoint(truncate)`.execute(db)
}
