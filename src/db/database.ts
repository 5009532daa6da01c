// db/ is the only place that knows which database this is. Stores are written once, for both.
import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { openEmbedded } from './embedded.ts'
import { openPostgres } from './postgres.ts'
import type { Tables } from './tables.ts'

/** What a store takes: the database itself or a transaction. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export type DatabaseOptions =
  /** `lasting: false` is for a store that nobody will miss: it does not wait for the disk. */
  { kind: 'embedded'; folder: string; lasting?: boolean } | { kind: 'postgres'; url: string; poolSize: number }

export interface Database {
  db: Db
  /** A copy of everything committed so far, made while others write; embedded store only. */
  copyTo?(file: string): Promise<void>
  /** Whether a second process may use the same data at the same time. */
  shared: boolean
  /** Connections in use, and requests that wait for one; PostgreSQL only. */
  pool?(): { size: number; busy: number; waiting: number }
  close(): Promise<void>
}

/** THE SWITCH: nothing right of db/ knows which of the two it got. */
export function openDatabase(options: DatabaseOptions, clock: Clock): Promise<Database> {
  return options.kind === 'embedded'
    ? openEmbedded(options.folder, options.lasting)
    : openPostgres(options.url, options.poolSize, clock)
}

export { afterCommit, looseTransaction, transaction } from './transaction.ts'
