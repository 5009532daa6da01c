import type { CompiledQuery } from 'kysely'
import type { Db } from './database.ts'
import { EmbeddedAdapter } from './embedded.ts'
import { ServerAdapter } from './postgres.ts'

/** Stands for a value while the query is compiled. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const slots = new Proxy({}, { get: (_target, name) => new Slot(String(name)) })

type Given<V> = { readonly [K in keyof V]?: V[K] | undefined }

/**
 * For the few queries that most requests make: building and compiling one costs more than running it, so it is done once
 * per database, and afterwards only the values are filled in. `build` passes them on unseen; what it does not use need
 * not be given. The embedded store answers in the same breath, so the way through Kysely is left out, too. `apart`: it may
 * look at many rows, so a large embedded store answers it from another thread.
 */
export function hotQuery<V extends object, R>(
  build: (db: Db, values: V) => CompiledQuery<R>,
  /**
   * `keepsPlan`: a server keeps its plan from one run to the next, for statements whose best plan never depends on the values.
   * `unawaited`: within a transaction its answer is not waited for, and always empty; a failure fails the commit.
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
