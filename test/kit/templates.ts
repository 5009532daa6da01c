import { accessSync, constants, statfsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { type DatabaseOptions, openDatabase } from '../../src/db/database.ts'
import { forgetDeleted } from '../../src/db/dialect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { Log } from '../../src/lib/log.ts'

// A store of each kind with our schema, created once per run and copied by the tests.

export const templateName = 'hookswitch_template'
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

/** A memory file system where large enough: tests write a lot and keep nothing. */
export function fastFolder(neededBytes = 0): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > neededBytes ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** The folder of a run with the template of the embedded store; contains everything that tests write. */
export async function makeRunFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(fastFolder(), 'hookswitch-run-'))
  await fill({ kind: 'embedded', folder: join(folder, 'template') })
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

export async function makePostgresTemplate(serverUrl: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(`create database ${templateName}`)
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = `/${templateName}`
  await fill({ kind: 'postgres', url: url.href, poolSize: 2 })
}

async function fill(options: DatabaseOptions): Promise<void> {
  const clock = systemClock()
  const database = await openDatabase(options, clock)
  await migrate(database, { clock, log: silent })
  await forgetDeleted(database.db)
  await database.close()
}
