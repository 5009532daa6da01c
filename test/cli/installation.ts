import { mkdirSync, writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import path from 'node:path'
import { type App, createApp } from '../../src/app.ts'
import { prepareDemo } from '../../src/cli/demo.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase, transaction } from '../../src/db/database.ts'
import { up as accounts } from '../../src/db/migrations/0001_accounts.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import {
  copiedPostgresUrl,
  freshPostgresUrl,
  lastingFolder,
  lastingPostgresUrl,
  temporaryFolder,
} from '../kit/databases.ts'
import { type Env, sandbox } from './program.ts'

// Installations to be backed up, made without a process of their own: those are slow and not what is tested here.

export type Kind = 'embedded' | 'postgres'

export async function emptyStore(kind: Kind): Promise<Env> {
  const url = kind === 'postgres' ? await freshPostgresUrl() : undefined
  return sandbox(url ? { DATABASE_URL: url } : {})
}

export const inData = (env: Env, name: string) => path.join(env.DATA_DIR ?? '', name)
export const newFile = async () => path.join(await temporaryFolder(), 'hookswitch.tar.gz')

/**
 * A sandbox as its first start leaves it, made once and copied from then on: the demo data take longer than all the rest of
 * a start.
 */
export async function seeded(kind: Kind, more: Env = {}): Promise<Env> {
  const template = templates.get(kind) ?? makeTemplate(kind)
  templates.set(kind, template)
  const { DATA_DIR: source = '', DATABASE_URL: url } = await template
  const copy = url && (await copiedPostgresUrl(url))
  const env = await sandbox({ ...(copy && { DATABASE_URL: copy }), ...more })
  await cp(source, env.DATA_DIR ?? '', { recursive: true })
  return env
}

const templates = new Map<Kind, Promise<Env>>()

async function makeTemplate(kind: Kind): Promise<Env> {
  const url = kind === 'postgres' ? await lastingPostgresUrl() : undefined
  const env = await sandbox({ DATA_DIR: path.join(await lastingFolder(), 'data'), ...(url && { DATABASE_URL: url }) })
  await withApp(env, (app) => prepareDemo(app, readConfig(env)))
  return env
}

export interface Lived {
  env: Env
  removedId: number
}

/** A seeded store with a recording beside it, and a Number that was added last and removed again. */
export async function lived(kind: Kind): Promise<Lived> {
  const env = await seeded(kind)
  const digits = '+33199000404'
  const { id } = (await ordered(env, 'numbers.add', { digits, company: 1 })) as { id: number }
  await ordered(env, 'numbers.remove', { number: digits, company: 1 })
  mkdirSync(inData(env, 'files/2026/06'), { recursive: true })
  writeFileSync(inData(env, 'files/2026/06/greeting.mp3'), 'not really music')
  return { env, removedId: id }
}

/** What the command of that name does while no server runs. */
export function ordered(env: Env, command: string, input: Record<string, unknown>): Promise<unknown> {
  return withApp(env, async ({ commands }) => commands[command]?.(input))
}

/** The installation without a server of its own. */
export async function withApp<T>(env: Env, work: (app: App) => Promise<T>): Promise<T> {
  const app = await createApp(readConfig(env), { log: createLog('silent') })
  try {
    return await work(app)
  } finally {
    await app.database.close()
  }
}

/** What the command needs of a server's settings. */
export function storeOf({ DATA_DIR = '', DATABASE_URL }: Env): Env {
  return { DATA_DIR, ...(DATABASE_URL && { DATABASE_URL }) }
}

/** As the first release would have left it: one migration, one company. */
export async function makeOldStore(env: Env): Promise<void> {
  const { DATA_DIR: folder = '', DATABASE_URL: url } = env
  const options = url ? { kind: 'postgres' as const, url, poolSize: 2 } : { kind: 'embedded' as const, folder }
  const database = await openDatabase(options, systemClock())
  await transaction(database.db, async (tx) => {
    await tx.schema
      .createTable('schema_migration')
      .addColumn('number', 'integer', (c) => c.primaryKey())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('applied_at', 'bigint', (c) => c.notNull())
      .execute()
    await accounts(tx)
    await tx.insertInto('schema_migration').values({ number: 1, name: 'accounts', applied_at: 1 }).execute()
    const flags = { whatsapp: 0, analytics_plus: 0, ai_voice_agents: 0, active: 1, verified: 1 } as const
    const plan = { plan: 'custom', ai_package: 'none', mandatory_tagging: 0, countries: null } as const
    await tx
      .insertInto('company')
      .values({ id: 5, name: 'Old', created_at: 1, ...flags, ...plan })
      .execute()
  })
  await database.close()
}
