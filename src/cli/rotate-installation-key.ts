import path from 'node:path'
import { ConfigError, readStoreConfig, type StoreConfig } from '../config.ts'
import { type Db, openDatabase, type Tx, transaction } from '../db/database.ts'
import { holdLock } from '../db/dialect.ts'
import { appliedMigrations, tableNames } from '../db/dump.ts'
import { replaceInstallationKey, storedFingerprint } from '../db/installation-key.ts'
import { schemaVersion } from '../db/migrate.ts'
import { isServedByOthers } from '../db/other-processes.ts'
import { type Resealed, resealAll } from '../db/sealed-values.ts'
import { continueAudit, listCompanies } from '../features/accounts/index.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { systemClock } from '../lib/clock.ts'
import {
  keyFileIn,
  makeKeyFile,
  makeNewKey,
  newKey,
  putNewKeyInPlace,
  readKey,
  readKeyFile,
  readNewKey,
} from '../lib/key-file.ts'
import { createVault, keyFingerprint } from '../lib/secrets.ts'
import { type CommandArguments, type CommandResult, UsageError } from './command.ts'
import { requireWritable } from './data-dir.ts'
import { progress } from './progress.ts'

/**
 * Replaces the installation key while the service is stopped. One transaction: a rotation that is interrupted has changed
 * nothing, and one that is complete is known by the fingerprint in the database.
 */
export async function rotateInstallationKey(given: CommandArguments): Promise<CommandResult> {
  const store = readStoreConfig()
  requireWritable(store.dataDir)
  const database = await openDatabase(store.database, systemClock())
  const { db } = database
  try {
    if (await isServedByOthers(db)) throw new CommandRefused('a server uses the database; stop it first')
    await requireCurrentSchema(db)
    // Never replaced by another key: it may be the only copy.
    const finished = store.key ? undefined : await finishInterrupted(db, store.dataDir)
    if (finished) return outcome(store, keyFileIn(store.dataDir), finished, undefined)
    const { from, to, place, adopt } = keysFor(store, given.text('new-key'))
    const resealed = await transaction(db, (tx) => rotate(tx, from, to, given.flag('renew-derived')))
    adopt()
    return outcome(store, place, to, resealed)
  } finally {
    progress.end()
    await database.close()
  }
}

/** The key that the database has since an interrupted run, whose file was not in place yet. */
async function finishInterrupted(db: Db, dataDir: string): Promise<Buffer | undefined> {
  const key = readNewKey(dataDir)
  if (!key || keyFingerprint(key) !== (await storedFingerprint(db))) return undefined
  putNewKeyInPlace(dataDir)
  return key
}

interface Keys {
  from: Buffer
  to: Buffer
  /** Where the new key is. */
  place: string
  /** Called when the database has the new key. */
  adopt(): void
}

function keysFor({ key, dataDir }: StoreConfig, file: string | undefined): Keys {
  const given = file === undefined ? undefined : path.resolve(file)
  if (key) {
    if (given === undefined)
      throw new UsageError('HOOKSWITCH_KEY is set: name a file for the new key with --new-key FILE')
    return { from: key, to: keyIn(given), place: given, adopt() {} }
  }
  const from = readKey(dataDir)
  if (!from) throw new ConfigError(`${keyFileIn(dataDir)} does not exist`)
  const to = makeNewKey(dataDir, given === undefined ? undefined : keyIn(given))
  return { from, to, place: keyFileIn(dataDir), adopt: () => putNewKeyInPlace(dataDir) }
}

/** Created if it does not exist. */
function keyIn(file: string): Buffer {
  try {
    return readKeyFile(file) ?? makeKeyFile(file, newKey())
  } catch (error) {
    throw new CommandRefused(error instanceof Error ? error.message : `${file} cannot be read`)
  }
}

/** Undefined when an earlier run has done it. */
async function rotate(tx: Tx, from: Buffer, to: Buffer, renewsDerived: boolean): Promise<Resealed | undefined> {
  // A server that starts now waits before it reads the fingerprint.
  await holdLock(tx, 'migrate')
  const stored = await storedFingerprint(tx)
  if (stored === keyFingerprint(to)) return undefined
  if (stored !== keyFingerprint(from))
    throw new ConfigError(
      `the present installation key is wrong: it has the fingerprint ${keyFingerprint(from)}, and the database was ` +
        `encrypted with ${stored ? `the key of fingerprint ${stored}` : 'none yet; start the service once'}`,
    )
  const resealed = await resealAll(tx, createVault(from), createVault(to), (table) => progress.show(`sealing ${table}`))
  const earlier = await replaceInstallationKey(tx, from, to, renewsDerived)
  const services = { clock: systemClock(), vault: createVault(to, earlier) }
  for (const { id } of await listCompanies(tx)) await continueAudit(services, tx, id, createVault(from))
  return resealed
}

async function requireCurrentSchema(db: Db): Promise<void> {
  const applied = (await tableNames(db)).includes('schema_migration') ? await appliedMigrations(db) : []
  if (applied.length === schemaVersion) return
  throw new CommandRefused(
    `the database has schema ${applied.length}, this release ${schemaVersion}; run \`hookswitch migrate\` first`,
  )
}

function outcome({ key }: StoreConfig, place: string, to: Buffer, resealed: Resealed | undefined): CommandResult {
  const { values, unreadable } = resealed ?? { values: 0, unreadable: 0 }
  const fingerprint = keyFingerprint(to)
  const lines = [
    resealed
      ? `The installation key was replaced: ${values} values are sealed with the key of fingerprint ${fingerprint}.`
      : `The database already has the key of fingerprint ${fingerprint}.`,
    ...(unreadable > 0
      ? [`${unreadable} values could not be opened with the previous key either, and were not changed.`]
      : []),
    key
      ? `Set HOOKSWITCH_KEY of all processes to the content of ${place} before they start.`
      : `The new key is in ${place}, the previous one beside it.`,
    'Backups from before need the previous key. Create a backup now.',
  ]
  return { text: lines.join('\n'), json: { fingerprint, values, unreadable, rotated: resealed !== undefined } }
}
