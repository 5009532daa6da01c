import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, inject } from 'vitest'

export { freePort } from './postgres.ts'

/** A new, empty database, or undefined where PostgreSQL is not installed. Dropped when the test file is done. */
export async function freshPostgresUrl(): Promise<string | undefined> {
  const serverUrl = inject('postgresUrl')
  if (serverUrl === null) return undefined
  const name = `test_${randomBytes(8).toString('hex')}`
  // Not template1: it cannot be copied while somebody is connected to it.
  await execute(serverUrl, `create database ${name} template template0`)
  leftovers.push(() => dropUnlessInUse(serverUrl, name))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** A new, empty folder, deleted when the test file is done. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hookswitch-test-'))
  leftovers.push(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

const leftovers: (() => Promise<void>)[] = []

// Registered while the file's imports run, hence before any hook of the file, and vitest runs such hooks last first:
// whatever the tests opened is closed by now.
afterAll(async () => {
  for (const remove of leftovers.splice(0).reverse()) await remove()
})

async function dropUnlessInUse(serverUrl: string, name: string): Promise<void> {
  const objectInUse = '55006'
  await execute(serverUrl, `drop database ${name}`).catch((error: unknown) => {
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
