import type { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'
import { EmbeddedAdapter } from './embedded.ts'
import { ServerAdapter } from './postgres.ts'

/** Placeholder for a value while the query is compiled. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const slots = new Proxy({}, { get: (_target, name) => new Slot(String(name)) })

type Given<V> = { readonly [K in keyof V]?: V[K] | undefined }

/**
 * For frequent queries: building and compiling costs more than running, so it is done once per database, and later
 * calls only bind values. `build` must pass the values through unread; values it does not use may be omitted. The
 * embedded store runs the statement synchronously, bypassing Kysely. `apart`: the query may read many rows, so a large
 * embedded store runs it in another thread.
 */
export function hotQuery<V extends object, R>(
  build: (db: Db, values: V) => CompiledQuery<R>,
  /**
   * `keepsPlan`: PostgreSQL keeps a prepared statement, for queries whose best plan does not depend on the values.
   * `unawaited`: inside a transaction the result is not awaited; the returned array is filled when the transaction has
   * committed, and an error fails the commit.
   */
  { keepsPlan = false, unawaited = false }: { keepsPlan?: boolean; unawaited?: boolean } = {},
) {
  const compiled = new WeakMap<object, CompiledQuery<R>>()
  return async (db: Db, values: Given<V>, { apart = false } = {}): Promise<R[]> => {
    const { adapter } = db.getExecutor()
    const known = compiled.get(adapter)
    const { query, queryId, sql, parameters } = known ?? build(db, slots as V)
    if (!known) {
      compiled.set(adapter, { query, queryId, sql, parameters })
      if (keepsPlan && adapter instanceof ServerAdapter) adapter.keepPlan(sql)
      if (unawaited && adapter instanceof ServerAdapter) adapter.doNotWaitFor(sql)
    }
    const given = filled(parameters, values)
    if (adapter instanceof EmbeddedAdapter) {
      const found = (apart && adapter.apart<R>(db, sql, given)) || adapter.atOnce<R>(db, sql, given)
      if (found) return found
    }
    const { rows } = await db.executeQuery<R>({ query, queryId, sql, parameters: given })
    return rows
  }
}

function filled(parameters: readonly unknown[], values: object): unknown[] {
  return parameters.map((parameter) => {
    if (!(parameter instanceof Slot)) return parameter
    const value: unknown = values[parameter.name as keyof typeof values]
    if (value === undefined) throw new TypeError(`${parameter.name} has no value`)
    return value
  })
}
