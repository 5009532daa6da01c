import { existsSync, mkdirSync, statSync } from 'node:fs'
import path from 'node:path'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import SqliteFile from 'libsql'
import type { Database, Db, QueryTimer } from './database.ts'
import { DatabaseInUse } from './errors.ts'
import { LogFlusher, orEndProcess, writeAheadLog } from './log-flusher.ts'
import { OffThreadReader } from './off-thread.ts'
import type { Tables } from './tables.ts'
import { isInTransaction, looseLevel, refuseInsideTransaction } from './transaction.ts'
import { type Bus, localBus } from './wake-up.ts'

type File = InstanceType<typeof SqliteFile>
type Statement = ReturnType<typeof prepare>
const prepare = (file: File, sql: string) => file.prepare<unknown[]>(sql)

/**
 * SQLite in a file: one connection writes behind a mutex; a second one reads, which WAL never blocks. SQLite itself does not wait
 * for the disk when it commits: that would block the process. The transaction does, by the flusher.
 */
export async function openEmbedded(folder: string, lasting = true, timer?: QueryTimer): Promise<Database> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockFolder(folder)
  const file = path.join(folder, 'hookswitch.db')
  const isNew = !existsSync(file)
  const writer = openFile(file)
  if (isNew) writer.exec('pragma auto_vacuum = incremental')
  const reader = openFile(file)
  if (!lasting) writer.exec('pragma synchronous = off')
  const log = writeAheadLog(file)
  const flusher = new LogFlusher(lasting ? orEndProcess(log.flush) : async () => {})
  const writes = new Prepared(writer, timer)
  const reads = new Prepared(reader, timer)
  const driver = new EmbeddedDriver(writes, reads, flusher)
  const offThread = new OffThreadReader(file)
  const adapter = new EmbeddedAdapter(writes, reads, () => (isLarge(file) ? offThread : undefined))
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (any) => new SqliteIntrospector(any),
    },
  })
  return {
    db,
    shared: false,
    async copyTo(target) {
      new Prepared(reader).execute('vacuum into ?', [target])
    },
    async close() {
      if (!writer.open) return
      await offThread.close()
      await db.destroy()
      await flusher.idle()
      await log.close()
      reader.close()
      // Without the checkpoint, a copy of the file alone would be outdated or empty.
      writer.exec('pragma wal_checkpoint(truncate)')
      writer.close()
      lock.close()
    },
  }
}

/** Identifies the database for dialect.ts and carries in-process notifications. */
export class EmbeddedAdapter extends SqliteAdapter {
  readonly bus: Bus = localBus()
  private readonly writer: Prepared
  private readonly reader: Prepared
  private readonly offThread: () => OffThreadReader | undefined
  constructor(writer: Prepared, reader: Prepared, offThread: () => OffThreadReader | undefined) {
    super()
    this.writer = writer
    this.reader = reader
    this.offThread = offThread
  }

  /** Reads in another thread; undefined inside a transaction, and for stores too small to benefit. */
  apart<R>(db: Db, sql: string, parameters: readonly unknown[]): Promise<R[]> | undefined {
    if (db.isTransaction || !isRead(sql)) return undefined
    refuseInsideTransaction()
    requireBindable(parameters)
    return this.offThread()?.all<R>(sql, parameters)
  }

  /** Runs a statement synchronously without Kysely; undefined when it has to wait for the writer. */
  atOnce<R>(db: Db, sql: string, parameters: readonly unknown[]): R[] | undefined {
    if (db.isTransaction) return isInTransaction(db) ? this.writer.execute<R>(sql, parameters).rows : undefined
    if (!isRead(sql)) return undefined
    refuseInsideTransaction()
    return this.reader.execute<R>(sql, parameters).rows
  }
}

// Below this size the longest read takes one or two milliseconds.
const largeBytes = 32 * 1_048_576

const isLarge = (file: string) => statSync(file).size >= largeBytes

/** Held while the process lives, so that a second one is refused; released however the process ends. */
function lockFolder(folder: string): File {
  const lock = new SqliteFile(path.join(folder, 'lock.db'))
  try {
    lock.exec('pragma locking_mode = exclusive')
    lock.exec('begin exclusive')
    return lock
  } catch {
    lock.close()
    throw new DatabaseInUse(folder)
  }
}

function openFile(file: string): File {
  const db = new SqliteFile(file)
  db.exec('pragma journal_mode = wal')
  db.exec('pragma synchronous = normal')
  db.exec('pragma busy_timeout = 5000')
  db.exec('pragma foreign_keys = on')
  // Erased personal data must not stay readable in free pages.
  db.exec('pragma secure_delete = on')
  db.exec('pragma cache_size = -32000')
  return db
}

/** Caches prepared statements: preparing costs more than running. */
class Prepared {
  private readonly known = new Map<string, { statement: Statement; returnsRows: boolean }>()
  readonly file: File
  private readonly timer: QueryTimer | undefined
  constructor(file: File, timer?: QueryTimer) {
    this.file = file
    this.timer = timer
  }

  execute<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const timer = this.timer
    if (!timer) return this.run(sql, parameters)
    const startedAt = timer.now()
    try {
      return this.run(sql, parameters)
    } finally {
      timer.onQuery(timer.now() - startedAt)
    }
  }

  private run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    const { statement, returnsRows } = this.prepared(sql)
    requireBindable(parameters)
    // As one array: libsql would copy an argument list twice.
    if (returnsRows) return { rows: statement.all(parameters) as R[] }
    const { changes, lastInsertRowid } = statement.run(parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  private prepared(sql: string) {
    const known = this.known.get(sql)
    if (known) return known
    const statement = prepare(this.file, sql)
    const prepared = { statement, returnsRows: statement.reader }
    if (this.known.size >= 500) this.known.clear()
    this.known.set(sql, prepared)
    return prepared
  }
}

/** libsql aborts the process on a boolean and truncates text at NUL: both are rejected here. */
function requireBindable(parameters: readonly unknown[]): void {
  for (const value of parameters) {
    if (typeof value === 'number' || value === null || typeof value === 'bigint') continue
    if (typeof value === 'string' && !value.includes('\0')) continue
    throw new TypeError(`a ${typeof value} cannot be stored`)
  }
}

class EmbeddedDriver implements Driver {
  private readonly mutex = new Mutex()
  // Reused, because Kysely keeps a record of each connection it has seen.
  private readonly idle: EmbeddedConnection[] = []
  private readonly writer: Prepared
  private readonly reader: Prepared
  private readonly flusher: LogFlusher
  constructor(writer: Prepared, reader: Prepared, flusher: LogFlusher) {
    this.writer = writer
    this.reader = reader
    this.flusher = flusher
  }

  async init() {}

  async acquireConnection(): Promise<EmbeddedConnection> {
    refuseInsideTransaction()
    return this.idle.pop() ?? new EmbeddedConnection(this.writer, this.reader, this.mutex, this.flusher)
  }

  async beginTransaction(connection: EmbeddedConnection, { isolationLevel }: TransactionSettings) {
    await connection.begin(isolationLevel !== looseLevel)
  }

  async commitTransaction(connection: EmbeddedConnection) {
    await connection.commit()
  }

  async rollbackTransaction(connection: EmbeddedConnection) {
    connection.rollback()
  }

  async releaseConnection(connection: EmbeddedConnection) {
    this.idle.push(connection)
  }

  async destroy() {}
}

class EmbeddedConnection implements DatabaseConnection {
  private inTransaction = false
  private waitsForDisk = true
  private readonly writer: Prepared
  private readonly reader: Prepared
  private readonly mutex: Mutex
  private readonly flusher: LogFlusher
  constructor(writer: Prepared, reader: Prepared, mutex: Mutex, flusher: LogFlusher) {
    this.writer = writer
    this.reader = reader
    this.mutex = mutex
    this.flusher = flusher
  }

  async begin(waitsForDisk: boolean) {
    await this.mutex.take()
    try {
      this.writer.file.exec('begin immediate')
      this.inTransaction = true
      this.waitsForDisk = waitsForDisk
    } catch (error) {
      this.mutex.release()
      throw error
    }
  }

  /** The next transaction begins while this one waits for the disk; a flush makes earlier commits durable, too. */
  async commit() {
    this.end('commit')
    if (this.waitsForDisk) await this.flusher.flushed()
  }

  rollback() {
    // A commit that failed has ended its transaction.
    if (this.inTransaction) this.end('rollback')
  }

  private end(how: 'commit' | 'rollback') {
    try {
      this.writer.file.exec(how)
    } catch (error) {
      if (how === 'commit' && this.writer.file.inTransaction) this.writer.file.exec('rollback')
      throw error
    } finally {
      this.inTransaction = false
      this.mutex.release()
    }
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.inTransaction) return this.writer.execute<R>(query.sql, query.parameters)
    if (isRead(query.sql)) return this.reader.execute<R>(query.sql, query.parameters)
    const result = await this.writeAlone<R>(query)
    await this.flusher.flushed()
    return result
  }

  private async writeAlone<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    await this.mutex.take()
    try {
      return this.writer.execute<R>(query.sql, query.parameters)
    } finally {
      this.mutex.release()
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }
}

const isRead = (sql: string) => /^\s*select\b/i.test(sql)

/** First in, first out. */
class Mutex {
  private taken = false
  private readonly queue: (() => void)[] = []

  take(): Promise<void> {
    if (this.taken) return new Promise((resolve) => this.queue.push(resolve))
    this.taken = true
    return Promise.resolve()
  }

  release() {
    const next = this.queue.shift()
    if (next) next()
    else this.taken = false
  }
}
