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
import type { Database } from './database.ts'
import type { Tables } from './tables.ts'
import { refuseInsideTransaction } from './transaction.ts'
import { type Bus, localBus } from './wake-up.ts'

// Loaded at the first need: the embedded store starts without it.
const library = async () => (await import('pg')).default

const int8 = 20
// Every id and time of ours is below 2^53.
const typesOf = ({ types }: typeof pg) => ({
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
})

/** PostgreSQL through a pool; one more connection listens for wake-up calls of other processes. */
export async function openPostgres(url: string, poolSize: number, clock: Clock): Promise<Database> {
  const pg = await library()
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types: typesOf(pg),
    connectionTimeoutMillis: 5_000,
    application_name: 'hookswitch',
    // Our statements are short: compiling one takes longer than running it.
    options: '-c jit=off',
    // A statement need not wait for the answer to the one before.
    pipeline: true,
  })
  // A connection that breaks is replaced by the pool; without a listener it would end the process, idle or in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const ears = new Ears(url, clock)
  await ears.open().catch(async (error) => {
    await ears.close()
    throw error
  })
  const adapter = new ServerAdapter(ears)
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
      await ears.close()
      await db.destroy()
    },
  }
}

export class ServerAdapter extends PostgresAdapter {
  readonly ears: Ears
  /** Names of statements that each connection prepares once. */
  private readonly prepared = new Map<string, string>()
  /** Statements whose result is not needed: within a transaction the next one is sent without waiting for their answer. */
  private readonly unawaited = new Set<string>()
  constructor(ears: Ears) {
    super()
    this.ears = ears
  }

  keepPlan(sql: string): void {
    if (!this.prepared.has(sql)) this.prepared.set(sql, `hookswitch_${this.prepared.size + 1}`)
  }

  doNotWaitFor(sql: string): void {
    this.unawaited.add(sql)
  }

  /** Kysely gives a text and values; pg prepares what has a name. */
  takeOver(client: pg.PoolClient): void {
    const query = client.query.bind(client) as (config: string | pg.QueryConfig, values?: unknown[]) => Promise<Answer>
    const named: Send = (text, values) => {
      const name = typeof text === 'string' ? this.prepared.get(text) : undefined
      return name === undefined || typeof text !== 'string'
        ? query(text, values)
        : query({ name, text, values: values ?? [] })
    }
    const pipeline = new Pipeline(named, this.unawaited)
    Object.assign(client, { query: (...given: Parameters<Send>) => pipeline.query(...given) })
  }
}

type Answer = Pick<pg.QueryResult, 'command' | 'rowCount' | 'rows'>
type Send = (text: string | pg.QueryConfig, values?: unknown[]) => Promise<Answer>

/**
 * A connection whose transactions take few round trips: neither the begin nor statements whose result is not needed are waited
 * for. When one fails, the server refuses all that follow, the commit included, and the caller gets the error of the first.
 */
class Pipeline {
  private readonly send: Send
  private readonly unawaited: ReadonlySet<string>
  /** Of the current transaction; undefined outside. */
  private unanswered: Promise<Answer>[] | undefined
  constructor(send: Send, unawaited: ReadonlySet<string>) {
    this.send = send
    this.unawaited = unawaited
  }

  async query(...given: Parameters<Send>): Promise<Answer> {
    const [text] = given
    if (typeof text !== 'string') return this.send(...given)
    if (begins(text)) this.unanswered = []
    const answer = this.send(...given)
    const unanswered = this.unanswered
    if (unanswered === undefined) return answer
    if (begins(text) || this.unawaited.has(text)) {
      unanswered.push(answer)
      // Read when the transaction ends.
      answer.catch(() => {})
      return { command: '', rowCount: 0, rows: [] }
    }
    if (ends(text)) this.unanswered = undefined
    try {
      const answered = await answer
      if (text === 'commit') await Promise.all(unanswered)
      return answered
    } catch (error) {
      // Answers come in the order of the statements: an earlier failure is known by now.
      if (text !== 'rollback') await Promise.all(unanswered)
      throw error
    }
  }
}

const begins = (text: string) => text === 'begin' || text.startsWith('start transaction')
const ends = (text: string) => text === 'commit' || text === 'rollback'

/** pg would silently make NULL of undefined; the embedded store refuses it too. */
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

/** The first half of our keys of advisory locks that say: this process lives. */
export const lifeLock = 0x686f6f6b
const reopenMs = 1_000
const holdLifeLock = (key: number) => `select pg_advisory_lock(${lifeLock}, ${key})`

/** LISTEN on a connection of its own, opened again whenever it breaks. */
export class Ears {
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

  listen(channel: string, hear: (payload: string) => void): () => void {
    if (!this.channels.has(channel)) {
      this.channels.add(channel)
      const { client } = this
      // One after the other: the connection takes one statement at a time.
      this.asked = this.asked.then(() => client?.query(`listen ${channel}`)).catch(() => {})
    }
    return this.bus.listen(channel, hear)
  }

  /** Held as long as the connection: the server lets go of it in the moment the process dies. */
  async holdForLife(key: number): Promise<void> {
    this.lifeLocks.add(key)
    const { client } = this
    this.asked = this.asked.then(() => client?.query(holdLifeLock(key))).catch(() => {})
    await this.asked
  }

  async close() {
    this.closed = true
    await this.client?.end().catch(() => {})
  }

  /**
   * At once, because without its life locks this process looks as if it had ended; a connection that breaks again within a
   * second waits that long. A failed attempt is reported twice, by its promise and by the end of its connection: only one
   * new one follows.
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
