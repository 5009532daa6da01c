import { randomBytes } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject, onTestFinished, test } from 'vitest'
import { isFullRun } from './depth.ts'
import { postgresUrl } from './postgres-on-demand.ts'
import { templateName } from './templates.ts'

export { freePort } from './postgres.ts'

/** A test that takes long on PostgreSQL and runs on the embedded store every time. */
export function onPostgresInFullRun(title: string, story: () => Promise<void>): void {
  if (isFullRun) test.skipIf(inject('postgres') === null)(title, story)
}

/** A new, empty database, or undefined where PostgreSQL is not installed. Dropped when the test is done. */
export const freshPostgresUrl = () => newDatabase('template0')

/** The same with our schema in it: a copy costs less than the migrations. */
export const migratedPostgresUrl = () => newDatabase(templateName)

/** A database that others are copied from, for as long as the run lasts. */
export const lastingPostgresUrl = () => createDatabase(templateName)

/** A copy of it, while nobody is connected to it. */
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
  // The files are copied as they are: the other way writes every page into the log.
  await execute(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** A new, empty folder for as long as the run lasts. */
export const lastingFolder = () => mkdtemp(join(inject('runFolder'), 'lasting-'))

/** A new, empty folder, deleted when the test is done. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(inject('runFolder'), 'test-'))
  whenDone(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** A folder whose embedded store has our schema already. */
export async function migratedFolder(): Promise<string> {
  const folder = await temporaryFolder()
  await migrateFolder(folder)
  return folder
}

export const migrateFolder = (folder: string) =>
  copyFile(join(inject('runFolder'), 'template', storeFile), join(folder, storeFile))

const storeFile = 'hookswitch.db'

/** Cleans up after the test. What a hook has made belongs to no test and goes away with the run. */
function whenDone(cleanUp: () => Promise<void>): void {
  try {
    onTestFinished(cleanUp)
  } catch {
    // Outside a test.
  }
}

async function dropUnlessInUse(url: string): Promise<void> {
  const serverUrl = await postgresUrl()
  if (serverUrl === undefined) return
  const objectInUse = '55006'
  await execute(serverUrl, `drop database ${new URL(url).pathname.slice(1)}`).catch((error: unknown) => {
    // A connection that was left open is no reason to fail: the whole server goes away with the run.
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
