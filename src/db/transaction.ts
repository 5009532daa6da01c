import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db, Tx } from './database.ts'
import { isDeadlock } from './errors.ts'

/** What runs once it has committed, as long as it is open. */
const open = new WeakMap<Db, (() => void)[]>()

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

/** The embedded store has no levels of isolation: the weakest one tells it that a commit need not wait for the disk. */
export const looseLevel = 'read uncommitted'

async function repeated<T>(db: Db, work: (tx: Tx) => Promise<T>, loose: boolean): Promise<T> {
  if (db.isTransaction) throw new Error('a transaction inside a transaction: pass the tx on instead')
  refuseInsideTransaction()
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(db, work, loose)
    } catch (error) {
      // The database chose this one to end a mutual wait; nothing of it was kept, so it can simply be done again.
      if (!isDeadlock(error) || attempt === maxAttempts) throw error
    }
  }
}

const maxAttempts = 4

async function once<T>(db: Db, work: (tx: Tx) => Promise<T>, loose: boolean): Promise<T> {
  const later: (() => void)[] = []
  const begin = loose ? db.transaction().setIsolationLevel(looseLevel) : db.transaction()
  const result = await begin.execute(async (tx) => {
    open.set(tx, later)
    try {
      return await inside(() => work(tx))
    } finally {
      open.delete(tx)
    }
  })
  for (const run of later) run()
  return result
}

export const isOpen = (db: Db): boolean => open.has(db)

/** Runs once the transaction has committed; at once when it is none. */
export function afterCommit(db: Db, run: () => void): void {
  const later = open.get(db)
  if (later) later.push(run)
  else run()
}

// With the embedded store a query of `db` inside a transaction would wait for a lock that its own transaction holds, for
// ever. Following what runs inside makes every promise slower, so it is watched in the tests only.

let guard: AsyncLocalStorage<{ isOpen: boolean }> | undefined

export function watchTransactions(): void {
  guard ??= new AsyncLocalStorage()
}

async function inside<T>(work: () => Promise<T>): Promise<T> {
  if (!guard) return work()
  const scope = { isOpen: true }
  try {
    return await guard.run(scope, work)
  } finally {
    scope.isOpen = false
  }
}

export function refuseInsideTransaction(): void {
  if (guard?.getStore()?.isOpen) throw new Error('inside a transaction only `tx` may be used, not `db`')
}
