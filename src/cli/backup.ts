import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { type FileHandle, open, readdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ConfigError, type FilesPlace, readStoreConfig, type StoreConfig } from '../config.ts'
import { NoStore, readSnapshot, type Snapshot } from '../db/dump.ts'
import { NewerSchema } from '../db/errors.ts'
import { keySetting } from '../db/installation-key.ts'
import { schemaVersion } from '../db/migrate.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { systemClock } from '../lib/clock.ts'
import { isUnfinished } from '../lib/files.ts'
import { keyFileIn } from '../lib/key-file.ts'
import { keyFingerprint } from '../lib/secrets.ts'
import { version } from '../lib/version.ts'
import {
  checkBackup,
  demoName,
  formatVersion,
  keyName,
  lineOf,
  type Manifest,
  type MemberFacts,
  manifestName,
  memberFacts,
  memberOfFile,
  memberOfTable,
  rowsIn,
} from './archive.ts'
import type { CommandArguments, CommandResult } from './command.ts'
import { progress } from './progress.ts'
import { type Member, writeTar } from './tar.ts'

/** Writes the backup while the server is running; the file appears under its name when it is complete and verified. */
export async function backup({ words }: CommandArguments): Promise<CommandResult> {
  const store = readStoreConfig()
  const file = path.resolve(words[0] ?? '')
  await requireDirectory(file)
  const part = `${file}.${process.pid}.part`
  const cleanUp = () => {
    for (const left of [part, spoolOf(part)]) rmSync(left, { force: true })
  }
  const interrupted = () => {
    cleanUp()
    process.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted)
  try {
    await readSnapshot(store.database, systemClock(), (snapshot) => write(part, snapshot, store))
    progress.show('verifying the backup')
    const { manifest } = await checkBackup(part)
    await rename(part, file)
    return outcome(file, manifest, (await stat(file)).size, store)
  } catch (error) {
    throw error instanceof NoStore ? new ConfigError(error.message) : error
  } finally {
    progress.end()
    cleanUp()
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, interrupted)
  }
}

async function requireDirectory(file: string): Promise<void> {
  const folder = await stat(path.dirname(file)).catch(() => undefined)
  if (!folder?.isDirectory()) throw new CommandRefused(`the directory ${path.dirname(file)} does not exist`)
  if ((await stat(file).catch(() => undefined))?.isDirectory()) throw new CommandRefused(`${file} is a directory`)
}

function outcome(file: string, manifest: Manifest, bytes: number, { files }: StoreConfig): CommandResult {
  const rows = rowsIn(manifest.members)
  const { schema, created_at } = manifest
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
  return {
    text: `${file}: ${rows} rows, ${size}, written and verified. The file contains secrets: protect it.${elsewhere(files)}`,
    json: { file, bytes, rows, schema, created_at, holds_files: files.kind === 'folder', members: manifest.members },
  }
}

const elsewhere = (files: FilesPlace) =>
  files.kind === 's3'
    ? `\nWARNING: recordings, voicemails and uploads are NOT included. They are in the bucket ${files.bucket}: back it up separately.`
    : ''

const spoolOf = (part: string) => `${part}-table`

async function write(part: string, snapshot: Snapshot, store: StoreConfig): Promise<void> {
  if (snapshot.schema > schemaVersion) throw new NewerSchema(snapshot.schema, schemaVersion)
  const target = await open(part, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandRefused(`${part} cannot be written (${error.code})`)
  })
  try {
    await pipeline(writeTar(allMembers(snapshot, store, spoolOf(part))), createGzip(), async (chunks) => {
      for await (const chunk of chunks) await target.writeFile(chunk)
    })
    await target.sync()
  } finally {
    await target.close()
  }
}

async function* allMembers(snapshot: Snapshot, store: StoreConfig, spool: string): AsyncGenerator<Member> {
  const facts: MemberFacts[] = []
  for (const table of snapshot.tables) yield* tableMember(snapshot, table, spool, facts)
  const beside = await sideFiles(store)
  for (const [done, { name, file }] of beside.entries()) {
    progress.show(`${name}: ${done + 1} of ${beside.length} files`)
    yield* fileMember(name, file, facts)
  }
  const key = store.key ?? keyIn(store.dataDir)
  const manifest: Manifest = {
    product: 'hookswitch',
    format: formatVersion,
    version,
    schema: snapshot.schema,
    created_at: new Date(systemClock().machineNow()).toISOString(),
    key_fingerprint: (await storedFingerprint(snapshot)) ?? (key ? keyFingerprint(key) : null),
    last_keys: snapshot.lastKeys,
    members: facts,
  }
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
  yield { name: manifestName, size: bytes.length, body: once(bytes) }
}

/** The key fingerprint of the database, regardless of the key file: a restore requires the matching key. */
async function storedFingerprint(snapshot: Snapshot): Promise<string | undefined> {
  for await (const rows of snapshot.rows('setting')) {
    const row = rows.find(({ key }) => key === keySetting)
    if (typeof row?.value === 'string') return row.value
  }
  return undefined
}

function keyIn(dataDir: string): Buffer | undefined {
  const file = keyFileIn(dataDir)
  return existsSync(file) ? Buffer.from(readFileSync(file, 'utf8').trim(), 'base64') : undefined
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** A tar header contains the size, so the table is spooled to a temporary file first. */
async function* tableMember(
  snapshot: Snapshot,
  table: string,
  spool: string,
  facts: MemberFacts[],
): AsyncGenerator<Member> {
  const expected = await snapshot.count(table)
  const handle = await open(spool, 'w+', 0o600)
  try {
    const { rows, bytes, sha256 } = await spoolTable(snapshot, table, handle, expected)
    if (rows !== expected) throw new Error(`the table ${table} has ${expected} rows, but ${rows} were read`)
    const name = memberOfTable(table)
    facts.push(memberFacts(name, bytes, sha256, rows))
    yield { name, size: bytes, body: handle.createReadStream({ start: 0, autoClose: false }) }
  } finally {
    await handle.close()
  }
}

async function spoolTable(snapshot: Snapshot, table: string, handle: FileHandle, expected: number) {
  const sha = createHash('sha256')
  let rows = 0
  let bytes = 0
  for await (const batch of snapshot.rows(table)) {
    const lines = Buffer.from(batch.map(lineOf).join(''))
    await handle.writeFile(lines)
    sha.update(lines)
    bytes += lines.length
    rows += batch.length
    progress.show(`${table}: ${rows} of ${expected} rows`)
  }
  return { rows, bytes, sha256: sha.digest('hex') }
}

/** Files outside the database. The key is not included when it comes from HOOKSWITCH_KEY. */
async function sideFiles(store: StoreConfig): Promise<{ name: string; file: string }[]> {
  const found = [demoName, ...(store.key ? [] : [keyName])]
    .map((name) => ({ name, file: path.join(store.dataDir, name) }))
    .filter(({ file }) => existsSync(file))
  if (store.files.kind !== 'folder' || !existsSync(store.files.folder)) return found
  const { folder } = store.files
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const parts = path.relative(folder, file).split(path.sep)
    if (entry.isFile() && !parts.some(isUnfinished)) found.push({ name: memberOfFile(parts), file })
  }
  return found
}

async function* fileMember(name: string, file: string, facts: MemberFacts[]): AsyncGenerator<Member> {
  // Retention may have deleted the file since it was listed. An open file stays readable.
  const handle = await open(file, 'r').catch(() => undefined)
  if (!handle) return
  try {
    const { size } = await handle.stat()
    const sha = createHash('sha256')
    async function* body(open: FileHandle): AsyncGenerator<Buffer> {
      if (size === 0) return
      for await (const chunk of open.createReadStream({ end: size - 1, autoClose: false })) {
        sha.update(chunk)
        yield chunk
      }
    }
    yield { name, size, body: body(handle) }
    facts.push(memberFacts(name, size, sha.digest('hex'), 0))
  } finally {
    await handle.close()
  }
}
