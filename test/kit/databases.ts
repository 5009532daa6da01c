import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject, onTestFinished, test } from 'vitest'
import { isFullRun } from './depth.ts'
import { postgresUrl } from './postgres-on-demand.ts'
import { templateName } from './templates.ts'

export { freePort } from './postgres.ts'

/** A test that is slow on PostgreSQL; the embedded store runs it every time. */
export function onPostgresInFullRun(title: string, story: () => Promise<void>): void {
  if (isFullRun) test.skipIf(inject('postgres') === null)(title, story)
}

/** A new, empty database, or undefined where PostgreSQL is missing. Dropped after the test. */
export const freshPostgresUrl = () => newDatabase('template0')

/** The same with our schema: a copy is faster than the migrations. */
export const migratedPostgresUrl = () => newDatabase(templateName)

/** A template database for the duration of the run. */
export const lastingPostgresUrl = () => createDatabase(templateName)

/** A copy of it, while it has no connections. */
export const copiedPostgresUrl = (url: string) => newDatabase(new URL(url).pathname.slice(1))

async function newDatabase(template: string): Promise<string | undefined> {
  const url = await createDatabase(template)
  if (url) whenDone(() => dropUnlessInUse(url))
  return url
}

async function createDatabase(template: string): Promise<string | undefined> {
  const serverUrl = await postgresUrl()
  if (serverUrl === undefined) return undefined
  const name = `test_${randomBytes(8).toString('hex')}`
  // Copies files: the other strategy writes every page to the log.
  await execute(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** A new, empty folder for the duration of the run. */
export const lastingFolder = () => mkdtemp(join(inject('runFolder'), 'lasting-'))

/** A new, empty folder, deleted after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(inject('runFolder'), 'test-'))
  whenDone(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** A folder whose embedded store has our schema. */
export async function migratedFolder(): Promise<string> {
  const folder = await temporaryFolder()
  await migrateFolder(folder)
  return folder
}

export const migrateFolder = (folder: string) =>
  copyFile(join(inject('runFolder'), 'template', storeFile), join(folder, storeFile))

const storeFile = 'hookswitch.db'

/** Cleans up after the test. What a hook has created is removed with the run. */
function whenDone(cleanUp: () => Promise<void>): void {
  try {
    onTestFinished(cleanUp)
  } catch {
    // Outside of a test.
  }
}

async function dropUnlessInUse(url: string): Promise<void> {
  const serverUrl = await postgresUrl()
  if (serverUrl === undefined) return
  const objectInUse = '55006'
  await execute(serverUrl, `drop database ${new URL(url).pathname.slice(1)}`).catch((error: unknown) => {
    // A connection left open is not a failure: the server is removed with the run.
    if (!(error instanceof Error && 'code' in error && error.code === objectInUse)) throw error
  })
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
