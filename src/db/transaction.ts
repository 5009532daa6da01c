import { AsyncLocalStorage } from 'node:async_hooks'
import { type KyselyPlugin, sql } from 'kysely'
import type { Db, Tx } from './database.ts'
import { isDeadlock } from './errors.ts'

interface Callbacks {
  committed: (() => void)[]
  rolledBack: (() => void)[]
}

/** Callbacks of open transactions. */
const open = new WeakMap<Db, Callbacks>()

/** Commits everything inside or nothing. Inside, use only `tx`, and do not wait for the network. */
export function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return repeated(db, work, false)
}

/** Transactions of a whole request; a transaction that is opened with one of them is part of it. */
const enclosing = new WeakSet<Db>()

/**
 * For work that passes its `tx` on as the database: `transaction(tx, …)` inside joins this transaction instead of opening
 * another one. An error inside must end the work, because a failed statement fails the whole transaction; `undoneIfFailed`
 * is the exception.
 */
export function enclosingTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(db, (tx) => {
    enclosing.add(tx)
    return work(tx)
  })
}

/**
 * Work whose failure the caller handles, such as one of several invitations. Within an enclosing transaction, what it did
 * is undone by a savepoint, and the transaction continues; otherwise it has transactions of its own.
 */
export async function undoneIfFailed<T>(db: Db, work: () => Promise<T>): Promise<T> {
  if (!isEnclosing(db)) return work()
  const later = open.get(db)
  const before = { committed: later?.committed.length, rolledBack: later?.rolledBack.length }
  await sql`savepoint part`.execute(db)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(db)
    return result
  } catch (error) {
    await sql`rollback to savepoint part`.execute(db)
    await sql`release savepoint part`.execute(db)
    later?.committed.splice(before.committed ?? 0)
    for (const run of later?.rolledBack.splice(before.rolledBack ?? 0) ?? []) run()
    throw error
  }
}

/**
 * For idempotent work: with the embedded store, where waiting for the disk blocks all writers, the commit is
 * asynchronous. A power failure may undo the transaction as a whole, never those before it.
 */
export function looseTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return repeated(db, work, true)
}

/** SQLite has no isolation levels: the weakest one marks commits that need not wait for the disk. */
export const looseLevel = 'read uncommitted'

async function repeated<T>(db: Db, work: (tx: Tx) => Promise<T>, loose: boolean): Promise<T> {
  if (isEnclosing(db)) return work(db)
  if (db.isTransaction) throw new Error('a transaction inside a transaction: pass the tx on instead')
  refuseInsideTransaction()
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(db, work, loose)
    } catch (error) {
      // The database resolved a deadlock; nothing was committed, so the transaction can be repeated.
      if (!isDeadlock(error) || attempt === maxAttempts) throw error
    }
  }
}

const isEnclosing = (db: Db): db is Tx => enclosing.has(db)

const maxAttempts = 4

async function once<T>(db: Db, work: (tx: Tx) => Promise<T>, loose: boolean): Promise<T> {
  const later: Callbacks = { committed: [], rolledBack: [] }
  const begin = loose ? db.transaction().setIsolationLevel(looseLevel) : db.transaction()
  const attempt = begin.execute(async (tx) => {
    open.set(tx, later)
    try {
      return await inside(async () => {
        await first.get(db)?.(tx)
        return work(tx)
      })
    } finally {
      open.delete(tx)
    }
  })
  const result = await attempt.catch((error) => {
    for (const run of later.rolledBack) run()
    throw error
  })
  for (const run of later.committed) run()
  return result
}

const first = new WeakMap<Db, (tx: Tx) => Promise<void>>()

/**
 * The same database, whose transactions do this first, until one of them has committed. So a condition of the request
 * is checked in the transaction of its change, wherever that begins.
 */
export function withFirst(db: Db, work: (tx: Tx) => Promise<void>): Db {
  let isDone = false
  const guarded = db.withPlugin(unchanged)
  first.set(guarded, async (tx) => {
    if (isDone) return
    await work(tx)
    afterCommit(tx, () => (isDone = true))
  })
  return guarded
}

// Kysely has no other way to copy a database object.
const unchanged: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => result,
}

export const isInTransaction = (db: Db): boolean => open.has(db)

/** Runs after commit; immediately outside of a transaction. */
export function afterCommit(db: Db, run: () => void): void {
  const later = open.get(db)
  if (later) later.committed.push(run)
  else run()
}

/** Runs when the transaction was rolled back, or when its commit failed and may or may not have taken effect. */
export function afterRollback(db: Db, run: () => void): void {
  open.get(db)?.rolledBack.push(run)
}

// With the embedded store, using `db` inside a transaction would wait forever for the lock of that transaction.
// Tracking the async context slows down every promise, so it is checked in tests only.

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
