import { accessSync, constants, mkdirSync } from 'node:fs'
import { ConfigError, type StoreConfig } from '../config.ts'
import { readKey } from '../lib/key-file.ts'

/** Verifies before startup that the data directory is writable and that its key, if present, is readable. */
export function prepareDataDir({ dataDir, key }: StoreConfig): void {
  requireWritable(dataDir)
  if (key) return
  try {
    readKey(dataDir)
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : 'the installation key cannot be read')
  }
}

export function requireWritable(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unknown'
    throw new ConfigError(
      `DATA_DIR: ${dataDir} is not writable (${reason}); choose a directory that belongs to this user`,
    )
  }
}
