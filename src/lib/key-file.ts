import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const keyFileIn = (dataDir: string) => path.join(dataDir, 'keys', 'installation.key')

/** The installation key: made at the first start, readable by its owner only. */
export function readOrMakeKey(dataDir: string): Buffer {
  const file = keyFileIn(dataDir)
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, randomBytes(32).toString('base64'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new Error(`${file} does not hold a key of 32 bytes; put it back from a backup`)
  return key
}
