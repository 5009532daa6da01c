import type { Duplex } from 'node:stream'
import {
  type DatabaseConnection,
  Kysely,
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type pg from 'pg'
import type { Clock } from '../lib/clock.ts'
import type { Database, QueryTimer } from './database.ts'
import type { Tables } from './tables.ts'
import { refuseInsideTransaction } from './transaction.ts'
import { type Bus, localBus } from './wake-up.ts'

// Loaded on demand: the embedded store does not need it.
const library = async () => (await import('pg')).default

const int8 = 20
// All ids and times are below 2^53.
const typesOf = ({ types }: typeof pg) => ({
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
})

/** PostgreSQL with a connection pool; one more connection listens for notifications of other processes. */
export async function openPostgres(url: string, poolSize: number, clock: Clock, timer?: QueryTimer): Promise<Database> {
  const pg = await library()
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types: typesOf(pg),
    connectionTimeoutMillis: 5_000,
    application_name: 'hookswitch',
    // Our statements are short: JIT compilation takes longer than running them.
    options: '-c jit=off',
    // Sends statements without waiting for the previous result.
    pipeline: true,
  })
  // The pool replaces a broken connection; without a listener the error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const notifications = new NotificationListener(url, clock)
  await notifications.open().catch(async (error) => {
    await notifications.close()
    throw error
  })
  const adapter = new ServerAdapter(notifications, timer)
  pool.on('connect', (client) => adapter.takeOver(client))
  const driver = new ServerDriver({ pool })
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => adapter,
      createDriver: () => driver,
      createQueryCompiler: () => new ServerCompiler(),
      createIntrospector: (any) => new PostgresIntrospector(any),
    },
  })
  return {
    db,
    shared: true,
    pool: () => ({ size: poolSize, busy: pool.totalCount - pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      await notifications.close()
      await db.destroy()
    },
  }
}

export class ServerAdapter extends PostgresAdapter {
  readonly notifications: NotificationListener
  private readonly timer: QueryTimer | undefined
  /** Names of statements that each connection prepares once. */
  private readonly prepared = new Map<string, string>()
  /**
   * Statements whose result is not needed before the commit: inside a transaction the next statement is sent without
   * waiting for them. Their rows are complete once the transaction has committed.
   */
  private readonly unawaited = new Set<string>()
  constructor(notifications: NotificationListener, timer?: QueryTimer) {
    super()
    this.notifications = notifications
    this.timer = timer
  }

  keepPlan(sql: string): void {
    if (!this.prepared.has(sql)) this.prepared.set(sql, `hookswitch_${this.prepared.size + 1}`)
  }

  doNotWaitFor(sql: string): void {
    this.unawaited.add(sql)
  }

  /** Kysely passes text and values; pg prepares named statements. */
  takeOver(client: pg.PoolClient): void {
    const query = client.query.bind(client) as (
      config: string | pg.QueryConfig,
      values?: unknown[],
    ) => Promise<RawResult>
    const named: Send = (text, values) => {
      const name = typeof text === 'string' ? this.prepared.get(text) : undefined
      return name === undefined || typeof text !== 'string'
        ? query(text, values)
        : query({ name, text, values: values ?? [] })
    }
    const pipeline = new Pipeline(client, this.timer ? timed(named, this.timer) : named, this.unawaited)
    Object.assign(client, { query: (...given: Parameters<Send>) => pipeline.query(...given) })
  }
}

/** Measures each statement from the moment it is sent, including those that wait behind others in the pipeline. */
function timed(send: Send, { now, onQuery }: QueryTimer): Send {
  return (text, values) => {
    const startedAt = now()
    const answer = send(text, values)
    const note = () => onQuery(now() - startedAt)
    void answer.then(note, note)
    return answer
  }
}

type RawResult = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>
type Send = (text: string | pg.QueryConfig, values?: unknown[]) => Promise<RawResult>

/**
 * Reduces round trips of transactions: neither `begin` nor statements without a needed result are awaited. When one
 * fails, the server rejects all that follow including the commit, and the caller gets the first error.
 */
class Pipeline {
  private readonly client: pg.PoolClient
  private readonly send: Send
  private readonly unawaited: ReadonlySet<string>
  /** Of the current transaction; undefined outside of one. */
  private unanswered: Promise<RawResult>[] | undefined
  /** Holds statements back that are not awaited; the next one is sent together with them. */
  private corked: Duplex | undefined
  constructor(client: pg.PoolClient, send: Send, unawaited: ReadonlySet<string>) {
    this.client = client
    this.send = send
    this.unawaited = unawaited
  }

  async query(...given: Parameters<Send>): Promise<RawResult> {
    const [text] = given
    if (typeof text !== 'string') return this.send(...given)
    if (begins(text)) this.unanswered = []
    const unanswered = this.unanswered
    if (unanswered === undefined) return this.send(...given)
    if (begins(text) || this.unawaited.has(text)) {
      this.cork()
      const answer = this.send(...given)
      const rows: RawResult['rows'] = []
      const filled = answer.then((result) => {
        rows.push(...result.rows)
        return result
      })
      unanswered.push(filled)
      // Handled when the transaction ends.
      filled.catch(() => {})
      return { command: '', rowCount: 0, rows }
    }
    const answer = this.send(...given)
    this.uncork()
    if (ends(text)) this.unanswered = undefined
    try {
      const answered = await answer
      if (text === 'commit') await Promise.all(unanswered)
      return answered
    } catch (error) {
      // Results arrive in statement order: an earlier failure is known by now.
      if (text !== 'rollback') await Promise.all(unanswered)
      throw error
    }
  }

  /** One write instead of one per statement: each is a system call. */
  private cork(): void {
    if (this.corked) return
    this.corked = this.client.connection.stream
    this.corked.cork()
  }

  private uncork(): void {
    this.corked?.uncork()
    this.corked = undefined
  }
}

const begins = (text: string) => text === 'begin' || text.startsWith('start transaction')
const ends = (text: string) => text === 'commit' || text === 'rollback'

/** pg silently converts undefined to NULL; the embedded store rejects it too. */
class ServerCompiler extends PostgresQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value === undefined) throw new TypeError('undefined cannot be stored')
    super.appendValue(value)
  }
}

class ServerDriver extends PostgresDriver {
  override acquireConnection(): Promise<DatabaseConnection> {
    refuseInsideTransaction()
    return super.acquireConnection()
  }
}

/** Class id of the advisory locks that mark live processes. */
export const lifeLock = 0x686f6f6b
const reopenMs = 1_000
const holdLifeLock = (key: number) => `select pg_advisory_lock(${lifeLock}, ${key})`

/** LISTEN on a dedicated connection, reopened when it breaks. */
export class NotificationListener {
  readonly bus: Bus = localBus()
  private client: pg.Client | undefined
  private closed = false
  private isWaiting = false
  /** When the last new connection was requested. */
  private reopenedAt = Number.NEGATIVE_INFINITY
  private asked: Promise<unknown> = Promise.resolve()
  private readonly channels = new Set<string>()
  private readonly lifeLocks = new Set<number>()
  private readonly url: string
  private readonly clock: Clock
  constructor(url: string, clock: Clock) {
    this.url = url
    this.clock = clock
  }

  async open() {
    const { Client } = await library()
    const client = new Client({ connectionString: this.url, application_name: 'hookswitch listener' })
    client.on('notification', ({ channel, payload }) => this.bus.send(channel, payload ?? ''))
    client.on('error', () => {})
    client.on('end', () => this.reopen())
    await client.connect()
    this.client = client
    for (const channel of this.channels) await client.query(`listen ${channel}`)
    for (const key of this.lifeLocks) await client.query(holdLifeLock(key))
  }

  listen(channel: string, listener: (payload: string) => void): () => void {
    if (!this.channels.has(channel)) {
      this.channels.add(channel)
      const { client } = this
      // Serialized: the connection runs one statement at a time.
      this.asked = this.asked.then(() => client?.query(`listen ${channel}`)).catch(() => {})
    }
    return this.bus.listen(channel, listener)
  }

  /** Held as long as the connection: the server releases it when the process dies. */
  async holdForLife(key: number): Promise<void> {
    this.lifeLocks.add(key)
    const { client } = this
    this.asked = this.asked.then(() => client?.query(holdLifeLock(key))).catch(() => {})
    await this.asked
  }

  /** The server sends pending notifications before the result of the next statement. */
  async receivePending(): Promise<void> {
    const { client } = this
    this.asked = this.asked.then(() => client?.query('select 1')).catch(() => {})
    await this.asked
  }

  async close() {
    this.closed = true
    await this.client?.end().catch(() => {})
  }

  /**
   * Reopens immediately, because without its locks this process appears dead; a connection that breaks again within a
   * second is delayed. A failed attempt is reported twice, by its promise and by the `end` event: only one reopens.
   */
  private reopen() {
    this.client = undefined
    if (this.closed || this.isWaiting) return
    this.isWaiting = true
    const now = this.clock.steadyNow()
    const waitMs = now - this.reopenedAt > reopenMs ? 0 : reopenMs
    this.reopenedAt = now
    this.clock.machineAfter(waitMs, () => {
      this.isWaiting = false
      if (!this.closed) this.open().catch(() => this.reopen())
    })
  }
}
