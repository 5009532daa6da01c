import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, inject, onTestFinished } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/database.ts'
import { readEvents } from '../../src/events/log.ts'
import { createManualClock, type ManualClock } from '../../src/lib/clock.ts'
import type { Log } from '../../src/lib/log.ts'
import type { Services } from '../../src/services.ts'
import { type Client, client } from './client.ts'
import { type CompanyFacts, makeCompanies, type Pair, reachedAt, type TestCompany } from './companies.ts'
import { freePort, migratedFolder, migratedPostgresUrl, temporaryFolder } from './databases.ts'
import { isDeeperRun, isFullRun } from './depth.ts'
import { type Kind, monday, moveLinks, seededStore } from './seeded-store.ts'
import { leaveOutCovered, noteStatements, recordingFile } from './statements.ts'

export type { Answer, Client } from './client.ts'
export { basic, signedIn, type TestCompany } from './companies.ts'
export { monday } from './seeded-store.ts'

// The real app on a real socket, with its own store and a frozen clock. Nothing is mocked.

export interface TestApp {
  app: App
  db: Db
  clock: ManualClock
  base: string
  /** Two isolated companies: A has all features, B is on the essentials plan. */
  a: TestCompany
  b: TestCompany
  anonymous: Client
  as(authorization: string): Client
  /** Events of a company, in order: name and parsed data. */
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  events(company: TestCompany): Promise<{ name: string; data: any }[]>
  /** All log lines so far, as text; also those of its line node. */
  logged(): string
  dataDir: string
  /** Of PostgreSQL. */
  databaseUrl: string | undefined
  /** Resolves when no due work is left in any process on the same data. */
  settle(): Promise<void>
  /** Stops this process for the rest of the test. */
  stop(): Promise<void>
  /** Stops this process and opens the same data again, later and optionally with other settings. */
  restart(downMs?: number, env?: Record<string, string>): Promise<TestApp>
  /** A second process on the same data with the same clock; PostgreSQL only. */
  beside(env?: Record<string, string>): Promise<TestApp>
}

export interface TestOptions {
  env?: Record<string, string>
  requestTimeoutMs?: number
  /** With SIP trunks: opens sockets, and starts the media process on demand. */
  voice?: boolean
  /** Real time: media cannot be advanced. */
  running?: boolean
  start?: number
  /** With the demo companies; see `openDemo`. */
  demo?: boolean
  /** AI engines. */
  ai?: Partial<Services['ai']>
  /** A special clock; see clocks.ts. */
  clock?: ManualClock
  /** Certificates of the test's carriers. */
  network?: { ca: string }
}

export type OpenApp = (options?: TestOptions) => Promise<TestApp>

/**
 * Feature tests: on the embedded store, and in the full run on PostgreSQL where SQL is at stake. Both run the same code except
 * for what `onBothDatabases` covers in every run.
 */
export function onAnyDatabase(title: string, stories: (open: OpenApp) => void): void {
  if (!isFullRun) onEmbedded(title, 'any', stories)
  else {
    onEmbedded(`${title} (embedded store)`, 'any', stories)
    onPostgres(title, (open) => {
      if (!isDeeperRun) leaveOutCovered(title)
      stories(open)
    })
  }
}

/** Tests of SQL, transactions or several processes; skipped with a notice where PostgreSQL is missing. */
export function onBothDatabases(title: string, stories: (open: OpenApp) => void): void {
  onEmbedded(`${title} (embedded store)`, 'both', stories)
  if (!recordingFile) onPostgres(title, stories)
}

function onEmbedded(title: string, kind: 'any' | 'both', stories: (open: OpenApp) => void): void {
  describe(title, () => {
    if (isFullRun || recordingFile) noteStatements(kind)
    stories((options) => openApp('embedded', options))
  })
}

function onPostgres(title: string, stories: (open: OpenApp) => void): void {
  describe.skipIf(inject('postgres') === null)(`${title} (PostgreSQL)`, () =>
    stories((options) => openApp('postgres', options)),
  )
}

/** For tests independent of the store. */
export const testApp: OpenApp = (options) => openApp('embedded', options)

async function openApp(kind: Kind, options: TestOptions = {}): Promise<TestApp> {
  const clock = options.clock ?? createManualClock(options.start ?? monday)
  const common = { clock, options, crew: new Set<App>() }
  // Settings may change the companies.
  if (!options.env && !options.running && clock.now() === monday) {
    const { dataDir, url, companies, base } = await seededStore(kind, options)
    return launch({ ...common, dataDir, url }, { ...companies, movedFrom: base })
  }
  const dataDir = kind === 'postgres' ? await temporaryFolder() : await migratedFolder()
  const url = kind === 'postgres' ? await migratedPostgresUrl() : undefined
  if (kind === 'postgres' && !url) throw new Error('PostgreSQL is not there')
  return launch({ ...common, dataDir, url })
}

/** Existing companies, possibly created by an app at another address. */
type Known = Pair<CompanyFacts> & { movedFrom?: string }

interface Place {
  dataDir: string
  url: string | undefined
  clock: ManualClock
  options: TestOptions
  /** All open processes on the data. */
  crew: Set<App>
}

async function launch(place: Place, known?: Known): Promise<TestApp> {
  const { dataDir, url, clock, options, crew } = place
  const lines: string[] = []
  const port = await freePort()
  const config = readConfig({
    HOOKSWITCH_MODE: 'sandbox',
    PORT: String(port),
    DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '1000000',
    SIP_REFUSE_EMERGENCY: '1',
    // Every test has two companies.
    ...(options.env?.HOOKSWITCH_MODE === 'production' && { TENANCY: 'multi' }),
    ...(url && { DATABASE_URL: url, DATABASE_POOL_SIZE: '4' }),
    ...options.env,
  })
  const { requestTimeoutMs } = options
  const app = await createApp(config, {
    ...(!options.running && { clock }),
    log: collectingLog(lines),
    // Retries are not jittered, and DNS resolves nothing: no test leaves the machine.
    random: () => 0.5,
    voice: options.voice ?? false,
    network: { dnsServers: ['127.0.0.1:9'], ...options.network },
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(options.ai && { ai: options.ai }),
  })
  const settle = () => settled(crew)
  clock.settleWith(settle)
  crew.add(app)
  const base = `http://127.0.0.1:${port}`
  if (known?.movedFrom) await moveLinks(app, known.movedFrom, base)
  await app.start()
  const stop = async () => {
    if (crew.delete(app)) await app.stop()
  }
  onTestFinished(stop)
  const companies = known ?? (await makeCompanies(app, base))
  const [a, b] = [reachedAt(base, companies.a), reachedAt(base, companies.b)]
  const made: TestApp = {
    app,
    db: app.services.db,
    clock,
    base,
    a,
    b,
    dataDir,
    databaseUrl: url,
    anonymous: client(base, {}),
    as: (authorization) => client(base, { authorization }),
    async events(of) {
      await app.settle()
      const rows = await readEvents(app.services.db, of.id)
      return rows.map(({ name, data }) => ({ name, data: JSON.parse(data) }))
    },
    logged: () => [...lines, logOfLineNode(place.dataDir)].join('\n'),
    settle,
    stop,
    async restart(downMs = 0, env = {}) {
      await stop()
      if (downMs > 0) await clock.advance(downMs)
      return launch({ ...place, options: { ...options, env: { ...options.env, ...env } } }, { a, b })
    },
    beside: (env = {}) => launch({ ...place, options: { ...options, env: { ...options.env, ...env } } }, { a, b }),
  }
  return made
}

/** Work of one process may cause work in another, so all are settled as often as there are processes. */
async function settled(crew: ReadonlySet<App>): Promise<void> {
  for (let round = 0; round < crew.size; round++) for (const app of [...crew]) await app.settle()
}

function collectingLog(lines: string[], bound: object = {}): Log {
  const write = (level: string) => (facts: object, message: string) => {
    const shown = JSON.stringify({ ...bound, ...facts }, (_key, value) =>
      value instanceof Error ? { message: value.message, stack: value.stack } : value,
    )
    lines.push(`${level} ${message} ${shown}`)
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (facts) => collectingLog(lines, { ...bound, ...facts }),
  }
}

export const inDataDir = (app: TestApp, name: string) => path.join(app.dataDir, name)

/** Empty if it was never started. */
function logOfLineNode(dataDir: string): string {
  try {
    return readFileSync(path.join(dataDir, 'line-node.log'), 'utf8')
  } catch {
    return ''
  }
}
