import { randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { keyFingerprint } from './secrets.ts'

export const keyFileIn = (dataDir: string) => path.join(dataDir, 'keys', 'installation.key')

export const newKey = () => randomBytes(32)

/** The key of a rotation, until it is put into place. */
const newKeyFileIn = (dataDir: string) => `${keyFileIn(dataDir)}.new`

/** Undefined when the file does not exist. */
export const readKey = (dataDir: string) => readKeyFile(keyFileIn(dataDir))

/** Undefined without a rotation, and while its file is not completely written: no database has such a key. */
export function readNewKey(dataDir: string): Buffer | undefined {
  try {
    return readKeyFile(newKeyFileIn(dataDir))
  } catch {
    return undefined
  }
}

/** Undefined when the file does not exist. */
export function readKeyFile(file: string): Buffer | undefined {
  try {
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
    if (key.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes; put it back from a backup`)
    return key
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Creates the key of a new installation, unless another process has created it first. */
export const makeKey = (dataDir: string) => makeKeyFile(keyFileIn(dataDir), newKey())

/** The key of a rotation: kept from an interrupted one unless another key is given. */
export function makeNewKey(dataDir: string, given: Buffer | undefined): Buffer {
  const file = newKeyFileIn(dataDir)
  if (given || !readNewKey(dataDir)) rmSync(file, { force: true })
  return makeKeyFile(file, given ?? newKey())
}

/** The previous key stays beside it, for backups that were encrypted with it. */
export function putNewKeyInPlace(dataDir: string): void {
  const file = keyFileIn(dataDir)
  const previous = readKeyFile(file)
  if (previous) copyFileSync(file, path.join(path.dirname(file), `${keyFingerprint(previous)}.key`))
  renameSync(newKeyFileIn(dataDir), file)
}

/** Readable by its owner only; a file that another process has created first is kept. */
export function makeKeyFile(file: string, fresh: Buffer): Buffer {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, fresh.toString('base64'), { flag: 'wx', mode: 0o600, flush: true })
    syncFolder(path.dirname(file))
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  const key = readKeyFile(file)
  if (!key) throw new Error(`${file} was removed while it was read`)
  return key
}

/** The file is found after a power failure, too. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
