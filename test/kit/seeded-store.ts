import { cp, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { forgetDeleted } from '../../src/db/dialect.ts'
import { createManualClock } from '../../src/lib/clock.ts'
import { hashOf } from '../../src/lib/secrets.ts'
import { ensureSeeded } from '../../src/sandbox/seed.ts'
import { type CompanyFacts, makeCompanies, type Pair } from './companies.ts'
import { copiedPostgresUrl, lastingFolder, lastingPostgresUrl, migrateFolder, temporaryFolder } from './databases.ts'
import { silent } from './stores.ts'

// Most tests start with the same two companies at the same time, some with the demo companies too. They are created once
// per worker, and the store is copied.

export type Kind = 'embedded' | 'postgres'

export interface SeededStore {
  dataDir: string
  url: string | undefined
  companies: Pair<CompanyFacts>
  /** Base of links in events and e-mails. */
  base: string
}

/** 2026-06-15 is a Monday; noon UTC. */
export const monday = Date.UTC(2026, 5, 15, 12)

const templates = new Map<string, Promise<SeededStore>>()

/** A separate copy. */
export async function seededStore(kind: Kind, { demo = false } = {}): Promise<SeededStore> {
  const key = `${kind} ${demo}`
  const made = templates.get(key) ?? seedStore(kind, demo)
  templates.set(key, made)
  const template = await made
  const dataDir = await temporaryFolder()
  await cp(template.dataDir, dataDir, { recursive: true, filter: isKept })
  return { ...template, dataDir, url: template.url && (await copiedPostgresUrl(template.url)) }
}

/** The closed store is whole without them; SQLite deletes them when its statements are collected, at any later moment. */
const isKept = (file: string) => !/-(shm|wal)$/.test(file)

async function seedStore(kind: Kind, demo: boolean): Promise<SeededStore> {
  const dataDir = await lastingFolder()
  if (kind === 'embedded') await migrateFolder(dataDir)
  const url = kind === 'postgres' ? await lastingPostgresUrl() : undefined
  if (kind === 'postgres' && !url) throw new Error('PostgreSQL is not there')
  const base = 'http://127.0.0.1:9'
  const config = readConfig({
    HOOKSWITCH_MODE: 'sandbox',
    PORT: '9',
    DATA_DIR: dataDir,
    ...(url && { DATABASE_URL: url }),
  })
  const app = await createApp(config, { clock: createManualClock(monday), log: silent })
  const companies = await makeCompanies(app, base)
  if (demo) await ensureSeeded(app.services)
  await forgetDeleted(app.services.db)
  await app.database.close()
  return { dataDir, url, companies, base }
}

/** As if this app had created the companies: events, e-mails and the library of audio files contain its address. */
export async function moveLinks({ services: { db, vault, sounds } }: App, from: string, to: string): Promise<void> {
  await db
    .updateTable('event')
    .set({ data: sql`replace(data, ${from}, ${to})` })
    .execute()
  for (const { id, text_sealed } of await db.selectFrom('mail').select(['id', 'text_sealed']).execute()) {
    const text = vault.open(text_sealed).replaceAll(from, to)
    await db
      .updateTable('mail')
      .set({ text_sealed: vault.seal(text) })
      .where('id', '=', id)
      .execute()
  }
  for (const { id, url } of await db.selectFrom('sound').select(['id', 'url']).execute()) {
    const moved = url.replace(from, to)
    const place = await sounds.fileOf(url)
    if (place) await sounds.put(moved, await readFile(place))
    await sounds.remove(url)
    await db
      .updateTable('sound')
      .set({ id: hashOf(moved), url: moved })
      .where('id', '=', id)
      .execute()
  }
}
