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

// All differences between the two databases.

const adapterOf = (db: Db) => db.getExecutor().adapter
const isServer = (db: Db) => adapterOf(db) instanceof ServerAdapter

/** A 64-bit key assigned by the database, never reused. */
export function identity(db: Db) {
  const server = isServer(db)
  return {
    type: server ? ('bigint' as const) : ('integer' as const),
    key: (column: ColumnDefinitionBuilder) =>
      server ? column.generatedByDefaultAsIdentity().primaryKey() : column.autoIncrement().primaryKey(),
  }
}

/** SQLite cannot drop the constraint, so the table is copied. No other table may reference it. */
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

/** Enforces that rows are only inserted, never updated or deleted. */
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

/** Entries of the audit log up to its start, which the head of the company names, may be deleted; none is changed. */
export async function appendOnlyAfterStart(db: Db): Promise<void> {
  const isKept = 'old.n > coalesce((select start_n from audit_head where company_id = old.company_id), 0)'
  const words = 'rows of audit stay as they are'
  if (isServer(db)) {
    const body = `begin if tg_op = 'DELETE' and not (${isKept}) then return old; end if; raise exception '${words}'; end`
    await sql`create or replace function audit_refuse() returns trigger language plpgsql as ${sql.lit(body)}`.execute(
      db,
    )
    return
  }
  await sql`drop trigger audit_no_delete`.execute(db)
  await sql`create trigger audit_no_delete before delete on audit when ${sql.raw(isKept)}
    begin select raise(abort, ${sql.lit(words)}); end`.execute(db)
}

/**
 * Assigns log positions in the order in which events became visible, and notifies readers; returns the number of
 * events. A database function, because it runs after every change: one round trip instead of eight. Each statement
 * inside sees what was committed while it waited for the lock.
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

/** Whether one statement can write several tables, which saves round trips. */
export const writesTogether = (db: Db) => isServer(db)

/** Propagates changes of columns that a second table duplicates. */
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

/** Deletes the rows of a second table that were derived from a row, with it. */
export async function deleteWith(db: Db, { of, from, by }: { of: string; from: string; by: string }): Promise<void> {
  const trigger = sql.id(`${from}_goes_with_${of}`)
  const change = sql`delete from ${sql.table(from)} where ${sql.ref(by)} = old.${sql.ref(by)}`
  if (!isServer(db)) {
    await sql`create trigger ${trigger} after delete on ${sql.table(of)} begin ${change}; end`.execute(db)
    return
  }
  await sql`create or replace function ${trigger}() returns trigger language plpgsql as $$ begin ${change}; return null; end $$`.execute(
    db,
  )
  await sql`create trigger ${trigger} after delete on ${sql.table(of)} for each row execute function ${trigger}()`.execute(
    db,
  )
}

/**
 * Counts calls per day that become missed, or no longer are. On PostgreSQL when the transaction commits, so that it holds
 * the lock on the counter only that long and waits for no other lock meanwhile.
 */
export async function countMissedCalls(db: Db): Promise<void> {
  const change = sql`insert into missed_call_count (company_id, day, n)
    values (new.company_id, new.started_at / 86400000, case when new.missed_call_reason is null then -1 else 1 end)
    on conflict (company_id, day) do update set n = missed_call_count.n + excluded.n`
  const differ = sql`(old.missed_call_reason is null) <> (new.missed_call_reason is null)`
  if (!isServer(db)) {
    await sql`create trigger missed_call_count_follows_call after update of missed_call_reason on call when ${differ}
      begin ${change}; end`.execute(db)
    return
  }
  await sql`create or replace function missed_call_count_follows_call() returns trigger language plpgsql as
    $$ begin ${change}; return null; end $$`.execute(db)
  await sql`create constraint trigger missed_call_count_follows_call after update of missed_call_reason on call
    deferrable initially deferred for each row when (${differ})
    execute function missed_call_count_follows_call()`.execute(db)
}

/** Counters of a minute need no crash safety on PostgreSQL. */
export function unlogged<T extends string>(db: Db, table: CreateTableBuilder<T>): CreateTableBuilder<T> {
  return isServer(db) ? table.modifyFront(sql`unlogged`) : table
}

/**
 * Locks the row until the transaction ends; rows referencing it may still be written. The embedded store has a single
 * writer and needs no lock.
 */
export function lockRow<D, T extends keyof D, O>(
  db: Db,
  query: SelectQueryBuilder<D, T, O>,
): SelectQueryBuilder<D, T, O> {
  return isServer(db) ? query.forNoKeyUpdate() : query
}

/** Selects rows not locked by other processes. */
export function claimRows<D, T extends keyof D, O>(
  db: Db,
  query: SelectQueryBuilder<D, T, O>,
): SelectQueryBuilder<D, T, O> {
  return isServer(db) ? query.forUpdate().skipLocked() : query
}

/** With the embedded store the log position is the row id; on PostgreSQL the sequencer assigns it after commit. */
export const positionIsRowId = (db: Db) => !isServer(db)

/** Position of the next event where it equals the row id; reading it first is safe with a single writer. */
export async function nextPosition(tx: Db): Promise<number | null> {
  if (isServer(tx)) return null
  const [row] = await lastEvent(tx, {})
  return (row?.seq ?? 0) + 1
}

const lastEvent = hotQuery<object, { seq: number }>((db) =>
  sql<{ seq: number }>`select seq from sqlite_sequence where name = 'event'`.compile(db),
)

/** Text compared byte by byte regardless of the database locale, as SQLite does. */
export const textByBytes = (db: Db): RawBuilder<unknown> => (isServer(db) ? sql`text collate "C"` : sql`text`)

/** A table stored in its primary key index; SQLite only. */
export function clustered<T extends string>(db: Db, table: CreateTableBuilder<T>): CreateTableBuilder<T> {
  return isServer(db) ? table : table.modifyEnd(sql`without rowid`)
}

// Vocabulary of contact names: a word in use must not be removed concurrently. Writers that add words share the lock
// until they commit.
const nameLock = (companyId: RawBuilder<unknown>) =>
  sql`hashtext('hookswitch.names'), hashtext(cast(${companyId} as text))`

/** For a statement that adds words, evaluated before it does. */
export const sharingNames = (companyId: number) =>
  sql`pg_advisory_xact_lock_shared(${nameLock(sql`${companyId}::bigint`)})`

export async function shareNames(tx: Db, companyId: number): Promise<void> {
  if (isServer(tx)) await sql`select ${sharingNames(companyId)}`.execute(tx)
}

/** Waits until all transactions that are adding words have committed. */
export async function holdNames(tx: Db, companyId: number): Promise<void> {
  if (!isServer(tx)) return
  await sql`select pg_advisory_xact_lock(${nameLock(sql`${companyId}::bigint`)})`.execute(tx)
}

/** Whether one statement can read the queues of many webhooks. */
export const hasLateral = (db: Db) => isServer(db)

/** The greater of two numbers. */
export const greater = (db: Db, a: RawBuilder<unknown>, b: RawBuilder<unknown>): RawBuilder<number> =>
  isServer(db) ? sql`greatest(${a}, ${b})` : sql`max(${a}, ${b})`

/** Time for leases: that of the database server, so that a process with a wrong clock cannot take over leases. */
export const leaseClock = (db: Db, machineNow: number | RawBuilder<number>): RawBuilder<number> =>
  isServer(db) ? sql`(extract(epoch from clock_timestamp()) * 1000)::bigint` : sql`${machineNow}`

/** Rows passed as one JSON parameter, so that batches of any size use one prepared statement. */
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

/** A possibly empty list of strings as one parameter. */
export const wordsFromJson = (db: Db, json: RawBuilder<string> | string): RawBuilder<unknown> =>
  isServer(db) ? sql`(select json_array_elements_text(${json}::json))` : sql`(select value from json_each(${json}))`

/** A possibly empty list of ids as one parameter. */
export const idsFromJson = (db: Db, json: RawBuilder<string> | string): RawBuilder<number> =>
  isServer(db)
    ? sql`(select json_array_elements_text(${json}::json)::bigint)`
    : sql`(select value from json_each(${json}))`

/**
 * Excludes a column from index selection. Next to a list of ids, SQLite considers `company_id = ?` more selective and
 * reads all rows of the company.
 */
export const unindexed = (column: string) => sql<number>`+${sql.ref(column)}`
/** The same for text; PostgreSQL has no unary plus for text and does not need it. */
export const unindexedText = (db: Db, column: string) =>
  isServer(db) ? sql<string>`${sql.ref(column)}` : sql<string>`+${sql.ref(column)}`

/** Names the index that SQLite reads; PostgreSQL has statistics and needs no hint. */
export const usingIndex = (db: Db, index: string): RawBuilder<unknown> =>
  isServer(db) ? sql`` : sql`indexed by ${sql.ref(index)}`

/** Whether a text contains a part, ignoring the case of ASCII letters. */
export function containsText(db: Db, text: RawBuilder<unknown>, part: string): RawBuilder<unknown> {
  const pattern = `%${part.replace(/[\\%_]/g, '\\$&')}%`
  return sql`${text} ${sql.raw(isServer(db) ? 'ilike' : 'like')} ${pattern} escape '\\'`
}

export const hasOtherThanAscii = (db: Db, text: RawBuilder<unknown>): RawBuilder<unknown> =>
  isServer(db) ? sql`octet_length(${text}) > length(${text})` : sql`length(cast(${text} as blob)) > length(${text})`

/** SQL values as one JSON array. */
export function jsonArray(db: Db, values: RawBuilder<unknown>): RawBuilder<unknown> {
  return isServer(db) ? sql`json_build_array(${values})` : sql`json_array(${values})`
}

/** Columns of a row as one JSON object. */
export const jsonObject = (db: Db, table: string, columns: readonly string[]): RawBuilder<unknown> =>
  jsonFields(db, Object.fromEntries(columns.map((name) => [name, sql.ref(`${table}.${name}`)])))

/** SQL values as one JSON object. */
export function jsonFields(db: Db, fields: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  const pairs = sql.join(Object.entries(fields).flatMap(([name, value]) => [sql.lit(name), value]))
  return isServer(db) ? sql`json_build_object(${pairs})` : sql`json_object(${pairs})`
}

/** Text with JSON as a value of a JSON array or object; without it, the value would be a JSON string. */
export const jsonFromText = (db: Db, text: RawBuilder<unknown>): RawBuilder<unknown> =>
  isServer(db) ? sql`(${text})::json` : sql`json(${text})`

/**
 * All rows as one JSON array: one string is read much faster than hundreds of cells, in one statement with the rest.
 * Without an order the rows are in any.
 */
export function jsonRows(db: Db, each: RawBuilder<unknown>, order?: RawBuilder<unknown>): RawBuilder<unknown> {
  const sorted = order ? sql`order by ${order}` : sql``
  return isServer(db) ? sql`coalesce(json_agg(${each} ${sorted}), '[]')` : sql`json_group_array(${each} ${sorted})`
}

/** For reads of many rows: the embedded store runs them in another thread, so that the event loop is not blocked. */
export async function readApart<R>(db: Db, query: CompiledQuery<R>): Promise<R[]> {
  const adapter = adapterOf(db)
  const apart = adapter instanceof EmbeddedAdapter && adapter.apart<R>(db, query.sql, query.parameters)
  return apart ? apart : (await db.executeQuery(query)).rows
}

/** Serializes processes; held until the transaction ends. */
export async function holdLock(tx: Db, name: 'migrate' | 'seed' | 'sequence'): Promise<void> {
  if (!isServer(tx)) return
  await sql`select pg_advisory_xact_lock(hashtext(${`hookswitch.${name}`}))`.execute(tx)
}

/** Notifies listeners when the surrounding transaction commits. Notifications are hints and may be lost. */
export async function notify(db: Db, channel: string, payload = ''): Promise<void> {
  const adapter = adapterOf(db)
  if (adapter instanceof EmbeddedAdapter) afterCommit(db, () => adapter.bus.send(channel, payload))
  else await sql`select pg_notify(${channel}, ${payload})`.execute(db)
}

/** The notification as part of another statement; PostgreSQL only. */
export const notifying = (channel: string, payload: string | RawBuilder<unknown>) =>
  sql`pg_notify(${sql.lit(channel)}, ${payload})`

/** Sends several notifications; those without a payload are skipped. */
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

export function listen(db: Db, channel: string, listener: (payload: string) => void): () => void {
  const adapter = adapterOf(db)
  if (adapter instanceof EmbeddedAdapter) return adapter.bus.listen(channel, listener)
  if (adapter instanceof ServerAdapter) return adapter.notifications.listen(channel, listener)
  throw new Error('not one of our databases')
}

/** Resolves when listeners of this process have received the notifications of all transactions that are committed. */
export async function receiveNotifications(db: Db): Promise<void> {
  const adapter = adapterOf(db)
  if (adapter instanceof ServerAdapter) await adapter.notifications.receivePending()
}

/** Marks this process as alive until it ends for any reason. */
export async function holdForLife(db: Db, key: number): Promise<void> {
  const adapter = adapterOf(db)
  if (adapter instanceof ServerAdapter) await adapter.notifications.holdForLife(key)
}

/** Keys of live processes. */
export async function livingKeys(db: Db): Promise<Set<number>> {
  const { rows } = await sql<{ key: number }>`
    select objid::bigint as key from pg_locks
    where locktype = 'advisory' and granted and classid = ${sql.lit(lifeLock)}
      and database = (select oid from pg_database where datname = current_database())`.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** A migration must not block a running server for long. */
export async function setLockTimeout(tx: Db): Promise<void> {
  if (isServer(tx)) await sql`set local lock_timeout = '1s'`.execute(tx)
}

/** Deleted data must not stay readable in the write-ahead log. */
export async function forgetDeleted(db: Db): Promise<void> {
  if (!isServer(db)) await sql`pragma wal_checkpoint(truncate)`.execute(db)
}
