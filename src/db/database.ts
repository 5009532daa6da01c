// db/ is the only place that knows which database this is. Stores are written once, for both.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import { openEmbedded } from './embedded.ts'
import { openPostgres } from './postgres.ts'
import type { Tables } from './tables.ts'

/** What a store takes: the database itself or a transaction. */
export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>

export type DatabaseOptions = { kind: 'embedded'; folder: string } | { kind: 'postgres'; url: string; poolSize: number }

export interface Database {
  db: Db
  /** A copy of everything committed so far, made while others write; embedded store only. */
  copyTo?(file: string): Promise<void>
  /** Whether a second process may use the same data at the same time. */
  shared: boolean
  close(): Promise<void>
}

/** THE SWITCH: nothing right of db/ knows which of the two it got. */
export function openDatabase(options: DatabaseOptions, clock: Clock): Promise<Database> {
  return options.kind === 'embedded' ? openEmbedded(options.folder) : openPostgres(options.url, options.poolSize, clock)
}

interface Scope {
  open: boolean
  afterCommit: (() => void)[]
}

const currentScope = new AsyncLocalStorage<Scope>()

/** Everything inside commits together or not at all. Inside, use only `tx`, and wait for no network. */
export async function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (db.isTransaction) throw new Error('a transaction inside a transaction: pass the tx on instead')
  const scope: Scope = { open: false, afterCommit: [] }
  const result = await currentScope.run(scope, () =>
    db.transaction().execute(async (tx) => {
      scope.open = true
      try {
        return await work(tx)
      } finally {
        scope.open = false
      }
    }),
  )
  for (const run of scope.afterCommit) run()
  return result
}

/** Runs once the surrounding transaction has committed; at once when there is none. */
export function afterCommit(run: () => void): void {
  const scope = currentScope.getStore()
  if (scope?.open) scope.afterCommit.push(run)
  else run()
}

/** With the embedded store such a query would wait for a lock its own transaction holds, for ever. */
export function refuseInsideTransaction(): void {
  if (currentScope.getStore()?.open) throw new Error('inside a transaction only `tx` may be used, not `db`')
}
