import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { DumpRow } from '../db/dump.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { type Member, readTar } from './tar.ts'

// A backup is a gzipped tar: tables/NAME.ndjson for each table, keys/installation.key, demo.json, files/…, and finally
// manifest.json, which lists the members. The format is the same for both databases.

export const formatVersion = 1

export interface Manifest {
  product: 'hookswitch'
  format: number
  version: string
  schema: number
  created_at: string
  /** Identifies the installation key without revealing it; null: no secret was ever stored. */
  key_fingerprint: string | null
  /** The highest primary key ever used, by table. */
  last_keys: Record<string, number>
  members: MemberFacts[]
}

export interface MemberFacts {
  name: string
  bytes: number
  sha256: string
  /** Tables only. */
  rows?: number
}

export const manifestName = 'manifest.json'
export const keyName = 'keys/installation.key'
export const demoName = 'demo.json'
export const memberOfTable = (table: string) => `tables/${table}.ndjson`
export const memberOfFile = (parts: readonly string[]) => `files/${parts.join('/')}`
export const tableOfMember = (member: string) => /^tables\/([a-z][a-z0-9_]*)\.ndjson$/.exec(member)?.[1]

/** The path within the files folder; undefined for other members. */
export const fileOf = (member: string) => (member.startsWith('files/') ? member.slice('files/'.length) : undefined)

/** Rejects unknown members and path traversal. */
const isKnownMember = (name: string) =>
  [manifestName, keyName, demoName].includes(name) ||
  tableOfMember(name) !== undefined ||
  fileOf(name)
    ?.split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..') === true

export const rowsIn = (facts: MemberFacts[]) => facts.reduce((sum, { rows = 0 }) => sum + rows, 0)

export interface CheckedBackup {
  manifest: Manifest
  key: Buffer | undefined
}

/** Reads the whole backup and verifies it against its manifest. */
export async function checkBackup(file: string): Promise<CheckedBackup> {
  const found: MemberFacts[] = []
  try {
    const kept = new Map<string, Buffer>()
    for await (const { name, size, body } of archiveMembers(file)) {
      if (!isKnownMember(name)) throw new NotABackup()
      const isKept = name === manifestName || name === keyName
      const sha = createHash('sha256')
      const parts: Buffer[] = []
      let rows = 0
      for await (const chunk of body) {
        sha.update(chunk)
        if (isKept) parts.push(chunk)
        if (tableOfMember(name)) for (const byte of chunk) if (byte === 0x0a) rows++
      }
      if (isKept) kept.set(name, Buffer.concat(parts))
      if (name !== manifestName) found.push(memberFacts(name, size, sha.digest('hex'), rows))
    }
    const manifest = readManifest(kept.get(manifestName))
    if (JSON.stringify(found) !== JSON.stringify(manifest.members)) throw new Error('checksums do not match')
    const key = kept.get(keyName)
    return { manifest, key: key && Buffer.from(key.toString().trim(), 'base64') }
  } catch (error) {
    throw refusal(file, error, found.length > 0)
  }
}

/** The file is not a Hookswitch backup. */
class NotABackup extends Error {}

function refusal(file: string, error: unknown, isBackup: boolean): Error {
  if (!(error instanceof Error) || error instanceof CommandRefused) return new CommandRefused(String(error))
  if ('syscall' in error && 'code' in error) return new CommandRefused(`${file} cannot be read (${error.code})`)
  if (!isBackup || error instanceof NotABackup) return new CommandRefused(`${file} is not a Hookswitch backup`)
  return new CommandRefused(`${file} is damaged (${error.message}) and was not used`)
}

export const memberFacts = (name: string, bytes: number, sha256: string, rows: number): MemberFacts => ({
  name,
  bytes,
  sha256,
  ...(tableOfMember(name) && { rows }),
})

export async function* archiveMembers(file: string): AsyncGenerator<Member> {
  const source = createReadStream(file)
  const plain = createGunzip()
  source.once('error', (error) => plain.destroy(error))
  try {
    yield* readTar(source.pipe(plain))
  } finally {
    source.destroy()
    plain.destroy()
  }
}

function readManifest(bytes: Buffer | undefined): Manifest {
  if (!bytes) throw new Error('unexpected end of file')
  const manifest = JSON.parse(bytes.toString()) as Manifest
  if (manifest.product !== 'hookswitch') throw new NotABackup()
  if (manifest.format > formatVersion) {
    throw new CommandRefused(
      `the backup was created by release ${manifest.version} in a newer format; use that release`,
    )
  }
  return manifest
}

/** NDJSON: one row per line. */
export async function* readRows(body: AsyncIterable<Buffer>): AsyncGenerator<DumpRow> {
  let rest: Buffer[] = []
  for await (const chunk of body) {
    let start = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      yield JSON.parse(Buffer.concat([...rest, chunk.subarray(start, end)]).toString())
      rest = []
      start = end + 1
    }
    if (start < chunk.length) rest.push(chunk.subarray(start))
  }
}

export const lineOf = (row: DumpRow) => `${JSON.stringify(row)}\n`
