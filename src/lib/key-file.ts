import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const keyFileIn = (dataDir: string) => path.join(dataDir, 'keys', 'installation.key')

/** Undefined when the file does not exist. */
export function readKey(dataDir: string): Buffer | undefined {
  const file = keyFileIn(dataDir)
  try {
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
    if (key.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes; put it back from a backup`)
    return key
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Creates the key of a new installation, readable by its owner only, unless another process has created it first. */
export function makeKey(dataDir: string): Buffer {
  const file = keyFileIn(dataDir)
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  }
  const key = readKey(dataDir)
  if (!key) throw new Error(`${file} was removed while it was read`)
  return key
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
