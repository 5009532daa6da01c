import path from 'node:path'
import { readStoreConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { appliedMigrations } from '../db/dump.ts'
import { migrate } from '../db/migrate.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import type { CommandResult } from './command.ts'
import { requireWritable } from './data-dir.ts'

/** Runs the migrations without starting the service. */
export async function migrateStore(): Promise<CommandResult> {
  const { database: options, dataDir } = readStoreConfig()
  requireWritable(dataDir)
  const clock = systemClock()
  const database = await openDatabase(options, clock)
  try {
    const count = await migrate(database, {
      clock,
      log: createLog('warn'),
      backupFolder: path.join(dataDir, 'backups'),
    })
    const all = await appliedMigrations(database.db)
    const applied = count > 0 ? all.slice(-count) : []
    const lines = applied.map(({ number, name }) => `  ${number} ${name}`)
    const text = count > 0 ? `Applied migrations:\n${lines.join('\n')}` : 'The schema is up to date.'
    return { text: `${text}\nSchema version: ${all.length}.`, json: { schema: all.length, applied } }
  } finally {
    await database.close()
  }
}
