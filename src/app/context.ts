import path from 'node:path'
import type { Config } from '../config.ts'
import { type Database, type Db, openDatabase } from '../db/database.ts'
import { isUnavailable } from '../db/errors.ts'
import { earlierKeys, installationKey, type KeySource } from '../db/installation-key.ts'
import { migrate } from '../db/migrate.ts'
import type { AdjustableClock } from '../lib/adjustable-clock.ts'
import { type Clock, second, systemClock } from '../lib/clock.ts'
import { keyFileIn, makeKey, putNewKeyInPlace, readKey, readNewKey } from '../lib/key-file.ts'
import { createLog, type Log, oneOutageLineASecond } from '../lib/log.ts'
import { createMetrics, type Metrics } from '../lib/metrics.ts'
import type { SafeFetchOptions } from '../lib/safe-fetch.ts'
import { createVault, type Vault } from '../lib/secrets.ts'
import { storedClock } from '../sandbox/open-clock.ts'
import type { Services } from '../services.ts'

/** Replacements for tests. */
export interface Overrides {
  /** Not started, stopped or saved by the app. */
  clock?: AdjustableClock
  log?: Log
  requestTimeoutMs?: number
  /** The jitter of retries. */
  random?: () => number
  /** Name servers and certificates of the test. */
  network?: Pick<SafeFetchOptions, 'dnsServers' | 'ca'>
  /** AI engines. */
  ai?: Partial<Services['ai']>
  /** False: no real calls, even if trunks are configured. */
  voice?: boolean
}

/** What every part needs: settings, clocks, log, metrics and the migrated database. */
export interface AppContext {
  config: Config
  overrides: Overrides
  /** Sandbox mode. */
  sandbox: boolean
  /** Machine time, or the clock of a test. */
  machine: Clock
  /** Product time. */
  clock: Clock
  /** Product time where it can be changed: in a sandbox and in tests. */
  adjustable: AdjustableClock | undefined
  log: Log
  metrics: Metrics
  database: Database
  db: Db
  /** Whether other processes use the same database. */
  shared: boolean
  /** The installation key. */
  key: Buffer
  vault: Vault
}

/** Opens and migrates the database; closes it if the installation cannot be opened. */
export async function openContext(config: Config, overrides: Overrides): Promise<AppContext> {
  const machine = overrides.clock ?? systemClock()
  const log = oneOutageLineASecond(overrides.log ?? createLog(config.logLevel), isUnavailable, machine)
  const metrics = createMetrics()
  const database = await openDatabase(config.database, machine, (ms) => metrics.querySeconds.observe(ms / second))
  if (database.pool) metrics.pool(database.pool)
  const { db, shared } = database
  const sandbox = config.mode === 'sandbox'
  try {
    await migrate(database, { clock: machine, log, backupFolder: path.join(config.dataDir, 'backups') })
    const key = await installationKey(db, keySource(config))
    const vault = createVault(key, await earlierKeys(db, key))
    const adjustable = overrides.clock ?? (sandbox ? await storedClock(db, machine) : undefined)
    const clock = adjustable ?? machine
    return { config, overrides, sandbox, machine, clock, adjustable, log, metrics, database, db, shared, key, vault }
  } catch (error) {
    await database.close()
    throw error
  }
}

function keySource({ key, dataDir }: Config): KeySource {
  if (key) return { key, place: 'HOOKSWITCH_KEY', make: () => key }
  const next = readNewKey(dataDir)
  return {
    key: readKey(dataDir),
    place: keyFileIn(dataDir),
    make: () => makeKey(dataDir),
    ...(next && { next: { key: next, adopt: () => putNewKeyInPlace(dataDir) } }),
  }
}
