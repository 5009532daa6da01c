import { cp } from 'node:fs/promises'
import { sql } from 'kysely'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { forgetDeleted } from '../../src/db/dialect.ts'
import { createManualClock } from '../../src/lib/clock.ts'
import { type CompanyFacts, makeCompanies, type Pair } from './companies.ts'
import { copiedPostgresUrl, lastingFolder, lastingPostgresUrl, migrateFolder, temporaryFolder } from './databases.ts'
import { silent } from './stores.ts'

// Most tests start with the same two companies at the same time. They are created once, and the store is copied.

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

const templates = new Map<Kind, Promise<SeededStore>>()

/** A separate copy. */
export async function seededStore(kind: Kind): Promise<SeededStore> {
  const made = templates.get(kind) ?? seedStore(kind)
  templates.set(kind, made)
  const template = await made
  const dataDir = await temporaryFolder()
  await cp(template.dataDir, dataDir, { recursive: true })
  return { ...template, dataDir, url: template.url && (await copiedPostgresUrl(template.url)) }
}

async function seedStore(kind: Kind): Promise<SeededStore> {
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
  await forgetDeleted(app.services.db)
  await app.database.close()
  return { dataDir, url, companies, base }
}

/** As if this app had created the companies: events and e-mails contain its address. */
export async function moveLinks({ services: { db, vault } }: App, from: string, to: string): Promise<void> {
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
}
