import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { Row } from '../db/dump.ts'
import { CommandRefused } from '../http/admin-socket.ts'
import { type Member, readTar } from './tar.ts'

// A backup is a gzipped tar: tables/NAME.ndjson for each table, keys/installation.key, demo.json, files/…, and at last
// manifest.json, which says what must be there. The same for both databases.

export const formatVersion = 1

export interface Manifest {
  product: 'hookswitch'
  format: number
  version: string
  schema: number
  created_at: string
  /** Tells one installation key from another and nothing about either; null: no secret was ever sealed. */
  key_fingerprint: string | null
  /** The highest key ever handed out, by table. */
  last_keys: Record<string, number>
  members: MemberFacts[]
}

export interface MemberFacts {
  name: string
  bytes: number
  sha256: string
  /** Of a table. */
  rows?: number
}

export const manifestName = 'manifest.json'
export const keyName = 'keys/installation.key'
export const demoName = 'demo.json'
export const memberOfTable = (table: string) => `tables/${table}.ndjson`
export const memberOfFile = (parts: readonly string[]) => `files/${parts.join('/')}`
export const tableOf = (member: string) => /^tables\/([a-z][a-z0-9_]*)\.ndjson$/.exec(member)?.[1]

/** Where in the folder of files, when it is of there. */
export const fileOf = (member: string) => (member.startsWith('files/') ? member.slice('files/'.length) : undefined)

/** Nothing that came from outside may name a place outside. */
const isOurs = (name: string) =>
  [manifestName, keyName, demoName].includes(name) ||
  tableOf(name) !== undefined ||
  fileOf(name)
    ?.split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..') === true

export const rowsIn = (facts: MemberFacts[]) => facts.reduce((sum, { rows = 0 }) => sum + rows, 0)

export interface CheckedBackup {
  manifest: Manifest
  key: Buffer | undefined
}

/** Reads all of it and compares it with what it says about itself. */
export async function checkBackup(file: string): Promise<CheckedBackup> {
  const found: MemberFacts[] = []
  try {
    const kept = new Map<string, Buffer>()
    for await (const { name, size, body } of membersOf(file)) {
      if (!isOurs(name)) throw new NotOurs()
      const isKept = name === manifestName || name === keyName
      const sha = createHash('sha256')
      const parts: Buffer[] = []
      let rows = 0
      for await (const chunk of body) {
        sha.update(chunk)
        if (isKept) parts.push(chunk)
        if (tableOf(name)) for (const byte of chunk) if (byte === 0x0a) rows++
      }
      if (isKept) kept.set(name, Buffer.concat(parts))
      if (name !== manifestName) found.push(factsOf(name, size, sha.digest('hex'), rows))
    }
    const manifest = readManifest(kept.get(manifestName))
    if (JSON.stringify(found) !== JSON.stringify(manifest.members)) throw new Error('its parts are not what they were')
    const key = kept.get(keyName)
    return { manifest, key: key && Buffer.from(key.toString().trim(), 'base64') }
  } catch (error) {
    throw refusal(file, error, found.length > 0)
  }
}

/** Nothing in it, or the first thing in it, is ours. */
class NotOurs extends Error {}

function refusal(file: string, error: unknown, isOurBackup: boolean): Error {
  if (!(error instanceof Error) || error instanceof CommandRefused) return new CommandRefused(String(error))
  if ('syscall' in error && 'code' in error) return new CommandRefused(`${file} cannot be read (${error.code})`)
  if (!isOurBackup || error instanceof NotOurs) return new CommandRefused(`${file} is no Hookswitch backup`)
  return new CommandRefused(`${file} is damaged (${error.message}) and was not used`)
}

export const factsOf = (name: string, bytes: number, sha256: string, rows: number): MemberFacts => ({
  name,
  bytes,
  sha256,
  ...(tableOf(name) && { rows }),
})

export async function* membersOf(file: string): AsyncGenerator<Member> {
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
  if (!bytes) throw new Error('the end is missing')
  const manifest = JSON.parse(bytes.toString()) as Manifest
  if (manifest.product !== 'hookswitch') throw new NotOurs()
  if (manifest.format > formatVersion) {
    throw new CommandRefused(
      `the backup was made by release ${manifest.version}, which writes another format; use that one`,
    )
  }
  return manifest
}

/** One row per line. */
export async function* readRows(body: AsyncIterable<Buffer>): AsyncGenerator<Row> {
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

export const lineOf = (row: Row) => `${JSON.stringify(row)}\n`
