import { describe, inject, onTestFinished } from 'vitest'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Log } from '../../src/lib/log.ts'
import { freshPostgresUrl, temporaryFolder } from './databases.ts'

/** An empty location for data. */
export interface EmptyStore {
  options: DatabaseOptions
  /** Closed after the test. */
  open(): Promise<Database>
}

/** As onBothDatabases, for tests of the store itself: not migrated. */
export function onBothStores(title: string, stories: (empty: () => Promise<EmptyStore>) => void): void {
  describe(`${title} (embedded store)`, () =>
    stories(async () => storeOf({ kind: 'embedded', folder: await temporaryFolder() })))
  describe.skipIf(inject('postgres') === null)(`${title} (PostgreSQL)`, () =>
    stories(async () => {
      const url = await freshPostgresUrl()
      if (!url) throw new Error('PostgreSQL is not there')
      return storeOf({ kind: 'postgres', url, poolSize: 4 })
    }),
  )
}

function storeOf(options: DatabaseOptions): EmptyStore {
  return {
    options,
    async open() {
      const database = await openDatabase(options, systemClock())
      let closed = false
      const close = async () => {
        if (!closed) await database.close()
        closed = true
      }
      onTestFinished(close)
      return { ...database, close }
    },
  }
}

/** Without the setting that migrations leave: tests of the store write and count settings. */
export async function migrated(store: EmptyStore): Promise<Database> {
  const database = await store.open()
  await migrate(database, { clock: systemClock(), log: silent })
  await database.db.deleteFrom('setting').execute()
  return database
}

export const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }
