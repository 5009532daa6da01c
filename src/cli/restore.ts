import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ConfigError, readStoreConfig, type StoreConfig } from '../config.ts'
import type { DumpRow } from '../db/dump.ts'
import { replaceStore, StoreNotReplaceable } from '../db/load.ts'
import { schemaVersion } from '../db/migrate.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { systemClock } from '../lib/clock.ts'
import { readKey } from '../lib/key-file.ts'
import { createLog } from '../lib/log.ts'
import { keyFingerprint } from '../lib/secrets.ts'
import {
  archiveMembers,
  type CheckedBackup,
  checkBackup,
  demoName,
  fileOf,
  keyName,
  type Manifest,
  manifestName,
  memberOfTable,
  readRows,
  rowsIn,
  tableOfMember,
} from './archive.ts'
import type { CommandArguments, CommandResult } from './command.ts'
import { requireWritable } from './data-dir.ts'
import { progress } from './progress.ts'

/** Restores a backup; existing data is replaced only at the end. */
export async function restore(given: CommandArguments): Promise<CommandResult> {
  const store = readStoreConfig()
  const file = path.resolve(given.words[0] ?? '')
  progress.show('verifying the backup')
  const checked = await checkBackup(file)
  const { manifest } = checked
  if (manifest.schema > schemaVersion) {
    throw new CommandRefused(
      `the backup has schema ${manifest.schema}, this release supports ${schemaVersion}; use release ${manifest.version}`,
    )
  }
  requireMatchingKey(checked, store)
  requireFolderForFiles(manifest, store)
  requireWritable(store.dataDir)
  const stage = stageOf(store)
  removeStage(stage)
  try {
    await replaceStore(
      store.database,
      {
        schema: manifest.schema,
        lastKeys: manifest.last_keys,
        force: given.flag('force'),
        fill: (load) => fill(file, manifest, stage, load),
        done: () => putInPlace(stage, store),
      },
      { clock: systemClock(), log: createLog('warn') },
    )
  } catch (error) {
    throw error instanceof StoreNotReplaceable ? new CommandRefused(error.message) : error
  } finally {
    progress.end()
    removeStage(stage)
  }
  return outcome(file, manifest, store)
}

function outcome(
  file: string,
  { schema, created_at, version, members }: Manifest,
  { files }: StoreConfig,
): CommandResult {
  const rows = rowsIn(members)
  const migrated = schema < schemaVersion ? ` and migrated from schema ${schema} to ${schemaVersion}` : ''
  const untouched = files.kind === 's3' ? ` The bucket ${files.bucket} was not changed.` : ''
  return {
    text: `Restored ${rows} rows of ${created_at} (release ${version})${migrated}.${untouched}`,
    json: { file, rows, created_at, version, schema: schemaVersion, from_schema: schema },
  }
}

/** A bucket cannot be replaced atomically like a folder. */
function requireFolderForFiles({ members }: Manifest, { files }: StoreConfig): void {
  if (files.kind === 'folder' || !members.some(({ name }) => fileOf(name) !== undefined)) return
  throw new CommandRefused(
    'the backup contains files, and FILES_URL is a bucket; restore it with FILES_URL set to a folder, then copy that folder',
  )
}

/** Secrets in the database can be decrypted with the key of the backup only. */
function requireMatchingKey({ manifest, key }: CheckedBackup, store: StoreConfig): void {
  if (manifest.key_fingerprint === null) return
  const own = readKey(store.dataDir)
  const used = store.key ?? key ?? own
  if (used && keyFingerprint(used) === manifest.key_fingerprint) return
  throw new ConfigError(
    store.key
      ? 'HOOKSWITCH_KEY is not the installation key of the backup; set it to that key'
      : 'the backup does not contain its installation key; set HOOKSWITCH_KEY to the key of that installation',
  )
}

/** Staging directories next to their targets, so that a rename is sufficient; files may be on another disk. */
interface Stage {
  data: string
  files: string
}

const stageOf = ({ dataDir, files }: StoreConfig): Stage => {
  const data = path.join(dataDir, 'restoring-files')
  return { data, files: files.kind === 'folder' ? path.join(files.folder, '~restoring') : path.join(data, '~files') }
}

function removeStage({ data, files }: Stage): void {
  for (const folder of [data, files]) rmSync(folder, { recursive: true, force: true })
}

type Load = (table: string, rows: AsyncIterable<DumpRow>) => Promise<number>

async function fill(file: string, manifest: Manifest, stage: Stage, load: Load): Promise<void> {
  const expected = new Map(manifest.members.map(({ name, rows }) => [name, rows]))
  for await (const { name, body } of archiveMembers(file)) {
    progress.show(name)
    const table = tableOfMember(name)
    if (table) {
      const count = await load(table, readRows(body))
      if (count !== expected.get(memberOfTable(table)))
        throw new CommandRefused(`${file} was changed during the restore`)
    } else if (name !== manifestName) {
      const kept = fileOf(name)
      const target = kept === undefined ? path.join(stage.data, name) : path.join(stage.files, kept)
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
      await pipeline(body, createWriteStream(target, { mode: 0o600 }))
    }
  }
}

/** Moves the staged files into place with a few renames. */
function putInPlace(stage: Stage, { dataDir, key, files }: StoreConfig): void {
  mkdirSync(path.join(dataDir, path.dirname(keyName)), { recursive: true, mode: 0o700 })
  if (!key) replace(keyName)
  rmSync(path.join(dataDir, demoName), { force: true })
  replace(demoName)
  if (files.kind === 'folder') replaceFolder(stage, files.folder)

  function replace(name: string) {
    const staged = path.join(stage.data, name)
    if (existsSync(staged)) renameSync(staged, path.join(dataDir, name))
  }
}

function replaceFolder(stage: Stage, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const staged = path.basename(stage.files)
  const old = readdirSync(folder).filter((name) => name !== staged)
  for (const name of old) rmSync(path.join(folder, name), { recursive: true, force: true })
  const restored = existsSync(stage.files) ? readdirSync(stage.files) : []
  for (const name of restored) renameSync(path.join(stage.files, name), path.join(folder, name))
}
