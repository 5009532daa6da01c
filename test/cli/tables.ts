import { readStoreConfig } from '../../src/config.ts'
import { type DumpRow, readSnapshot } from '../../src/db/dump.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Env } from './program.ts'

/** All rows of all tables, as they are now. */
export async function everything(env: Env): Promise<Record<string, DumpRow[]>> {
  return readSnapshot(readStoreConfig(env).database, systemClock(), async (snapshot) => {
    const found: Record<string, DumpRow[]> = {}
    for (const table of snapshot.tables) {
      found[table] = []
      for await (const rows of snapshot.rows(table)) found[table].push(...rows)
    }
    return found
  })
}
