import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import SqliteFile from 'libsql'
import pg from 'pg'
import { createVault } from '../../src/lib/secrets.ts'
import { freePort } from '../../test/kit/postgres.ts'
import { timingClient } from '../client.ts'
import { print } from '../kit.ts'
import { basic, end, readDemo, run, sandboxEnvironment, temporaryFolder, untilReady } from '../servers.ts'
import { signIn } from '../web/sign-in.ts'
import { allThreadsMs, mainThreadMs, serverMs } from './cpu.ts'
import type { Question } from './questions.ts'
import { type Run, type Seeding, seedGrowth } from './seed.ts'

/** What one request costs: the main thread of the product, and the processes of PostgreSQL. */
export interface Cost {
  ms: number
  blockedMs: number
  /** From the request to the last byte of the response. */
  clockMs: number
  total: number | undefined
  text: string
}

/** A product with one company of a given size. */
export interface Company {
  seeding: Seeding
  url: string
  /** Of the owner. */
  cookie: string
  ask(question: Question): Promise<Cost>
  stop(): Promise<void>
}

export interface Sizes {
  rows: number
  accounts: number
}

const program = path.join(import.meta.dirname, '..', '..', 'dist', 'main.js')

interface Place {
  /** Kept for the next run; without it a temporary one. */
  folder?: string | undefined
  database?: { url: string; postmaster: number } | undefined
  seed?: (run: Run, seeding: Seeding) => Promise<void>
}

export async function openCompany(
  sizes: Sizes,
  { folder = temporaryFolder(), database, seed = seedGrowth }: Place,
): Promise<Company> {
  const port = await freePort()
  const kept = path.join(folder, 'seeding.json')
  const isSeeded = existsSync(kept)
  mkdirSync(folder, { recursive: true })
  const { key, ...seeding }: Kept = isSeeded ? JSON.parse(readFileSync(kept, 'utf8')) : newSeeding(sizes)
  const env = {
    ...sandboxEnvironment(folder, port),
    HOOKSWITCH_KEY: key,
    ...(database && { DATABASE_URL: database.url }),
  }
  const start = async () => {
    const child = run([program, 'start'], env)
    await untilReady(child)
    return child
  }
  if (!isSeeded) {
    await end(await start())
    const started = performance.now()
    const write = (execute: Run) => seed(execute, seeding)
    await (database ? seedServer(database.url, write) : seedFile(path.join(folder, 'hookswitch.db'), write))
    writeFileSync(kept, JSON.stringify({ key, ...seeding }))
    print(`${sizes.rows.toLocaleString('en')} rows seeded in ${Math.round((performance.now() - started) / 1_000)} s`)
  }
  const child = await start()
  const pid = child.pid ?? 0
  const url = `http://127.0.0.1:${port}`
  const demo = readDemo(folder)
  const client = timingClient(url)
  const keys = { authorization: basic(demo) }
  const cookie = await signIn(client, url, demo.users[0])
  return {
    seeding,
    url,
    cookie,
    async ask({ path: asked, app }) {
      const server = () => (database ? serverMs(database.postmaster) : 0)
      const before = { main: mainThreadMs(pid), all: allThreadsMs(pid), server: server() }
      const { status, text, ms: clockMs } = await client({ path: asked, headers: app ? { cookie } : keys })
      const blockedMs = mainThreadMs(pid) - before.main
      const ms = allThreadsMs(pid) - before.all + server() - before.server
      if (status !== 200) throw new Error(`${asked} answered ${status}: ${text.slice(0, 300)}`)
      return { ms, blockedMs, clockMs, total: JSON.parse(text).meta?.total, text }
    },
    stop: () => end(child),
  }
}

type Kept = Seeding & { key: string }

function newSeeding(sizes: Sizes): Kept {
  const key = randomBytes(32)
  const sealedText = createVault(key).seal('You have been invited.')
  return { ...sizes, companyId: 1, now: Date.now(), sealedText, key: key.toString('base64') }
}

async function seedFile(file: string, write: (execute: Run) => Promise<void>): Promise<void> {
  const db = new SqliteFile(file)
  for (const pragma of ['journal_mode = wal', 'synchronous = off', 'cache_size = -512000', 'foreign_keys = off']) {
    db.exec(`pragma ${pragma}`)
  }
  const execute: Run = async (sql) => {
    db.exec(sql)
  }
  await write(execute)
  db.exec('pragma wal_checkpoint(truncate)')
  db.close()
}

async function seedServer(url: string, write: (execute: Run) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const execute: Run = async (sql) => {
    await client.query(sql)
  }
  await write(execute)
  for (const table of ['user', 'number', 'team', 'tag', 'contact', 'call'])
    await client.query(`select setval(pg_get_serial_sequence('"${table}"', 'id'), (select max(id) from "${table}"))`)
  await client.query(`select setval(pg_get_serial_sequence('event', 'row_id'), (select max(row_id) from event))`)
  // What autovacuum does on a server that runs for longer than a bench.
  await client.query('vacuum analyze')
  await client.end()
}

/** The first process of a server, from its own folder. */
async function postmasterOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`)
  await client.end()
  return Number(readFileSync(path.join(rows[0]?.folder ?? '', 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** A database of a server, created if it does not exist. */
export async function databaseOf(server: string, name: string): Promise<{ url: string; postmaster: number }> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const found = await client.query('select 1 from pg_database where datname = $1', [name])
  if (found.rows.length === 0) await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, postmaster: await postmasterOf(server) }
}
