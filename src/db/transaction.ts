import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db, Tx } from './database.ts'
import { isDeadlock } from './errors.ts'

interface Scope {
  open: boolean
  /** A power cut may undo it; the end of this process may not. */
  loose: boolean
  afterCommit: (() => void)[]
}

const currentScope = new AsyncLocalStorage<Scope>()

/** Everything inside commits together or not at all. Inside, use only `tx`, and wait for no network. */
export function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return repeated(db, work, false)
}

/**
 * For what may be done again without harm: with the embedded store, where a wait would stop everybody, the commit does not
 * wait for the disk. After a power cut it may be as if it had never been, whole, and never without what came before it.
 */
export function looseTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return repeated(db, work, true)
}

export const isLoose = (): boolean => currentScope.getStore()?.loose ?? false

async function repeated<T>(db: Db, work: (tx: Tx) => Promise<T>, loose: boolean): Promise<T> {
  if (db.isTransaction) throw new Error('a transaction inside a transaction: pass the tx on instead')
  refuseInsideTransaction()
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(db, work, loose)
    } catch (error) {
      // The database chose this one to end a mutual wait; nothing of it was kept, so it can simply be done again.
      if (!isDeadlock(error) || attempt === mostAttempts) throw error
    }
  }
}

const mostAttempts = 4

async function once<T>(db: Db, work: (tx: Tx) => Promise<T>, loose: boolean): Promise<T> {
  const scope: Scope = { open: false, loose, afterCommit: [] }
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
