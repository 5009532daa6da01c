// db/ is the only folder that knows which database is used. Stores are written once, for both.
import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { openEmbedded } from './embedded.ts'
import { openPostgres } from './postgres.ts'
import type { Tables } from './tables.ts'

/** Measures statements. */
export interface QueryTimer {
  now(): number
  onQuery(ms: number): void
}

/** Argument of store functions: the database or a transaction. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export type DatabaseOptions =
  /** `lasting: false`: commits do not wait for the disk; for temporary stores such as those of tests. */
  { kind: 'embedded'; folder: string; lasting?: boolean } | { kind: 'postgres'; url: string; poolSize: number }

export interface Database {
  db: Db
  /** Copies everything committed so far while writes continue; embedded store only. */
  copyTo?(file: string): Promise<void>
  /** Whether other processes may use the same data concurrently. */
  shared: boolean
  /** Connections in use and requests waiting for one; PostgreSQL only. */
  pool?(): { size: number; busy: number; waiting: number }
  close(): Promise<void>
}

/** Called with the duration of each statement. */
export type OnQuery = (ms: number) => void

/** The only place that chooses between the two databases. */
export function openDatabase(options: DatabaseOptions, clock: Clock, onQuery: OnQuery = () => {}): Promise<Database> {
  const timed = { now: () => clock.steadyNow(), onQuery }
  return options.kind === 'embedded'
    ? openEmbedded(options.folder, options.lasting, timed)
    : openPostgres(options.url, options.poolSize, clock, timed)
}

export {
  afterCommit,
  afterRollback,
  enclosingTransaction,
  looseTransaction,
  transaction,
  undoneIfFailed,
  withFirst,
} from './transaction.ts'
