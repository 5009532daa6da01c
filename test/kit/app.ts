import path from 'node:path'
import { describe, inject, onTestFinished } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/database.ts'
import { readEvents } from '../../src/events/log.ts'
import { insertSession } from '../../src/features/users/store.ts'
import { type HandWoundClock, handWoundClock } from '../../src/lib/clock.ts'
import type { Log } from '../../src/lib/log.ts'
import { hashOf, randomToken } from '../../src/lib/secrets.ts'
import { type Client, client } from './client.ts'
import { freePort, migratedFolder, migratedPostgresUrl, temporaryFolder } from './databases.ts'

export type { Answer, Client } from './client.ts'

// The real app on a real socket, with its own store and a clock that stands still. Nothing of ours is replaced.

export interface TestCompany {
  id: number
  ownerId: number
  apiId: string
  apiToken: string
  /** With the company's key. */
  api: Client
  /** Signed in as the owner, on the /app mount. */
  own: Client
  session: Record<string, string>
}

export interface TestApp {
  app: App
  db: Db
  clock: HandWoundClock
  base: string
  /** Two companies that must never see each other: A has everything, B is on the essentials plan. */
  a: TestCompany
  b: TestCompany
  anonymous: Client
  as(authorization: string): Client
  /** Events of a company, in order: name and parsed data. */
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  events(company: TestCompany): Promise<{ name: string; data: any }[]>
  /** All log lines so far, as text. */
  logged(): string
  dataDir: string
  /** Resolves when nothing due is left, in any process on the same data. */
  settle(): Promise<void>
  /** Ends the process' part, for the rest of the test. */
  stop(): Promise<void>
  /** Ends the process' part and opens the same data again, so much later; meanwhile nobody is there. */
  restart(downMs?: number): Promise<TestApp>
  /** A second process on the same data, with the same clock; PostgreSQL only. */
  beside(): Promise<TestApp>
}

export interface TestOptions {
  env?: Record<string, string>
  requestTimeoutMs?: number
  start?: number
  /** A clock with a gift of its own; see clocks.ts. */
  clock?: HandWoundClock
}

export type OpenApp = (options?: TestOptions) => Promise<TestApp>

/** 2026-06-15 is a Monday; noon in UTC. */
export const monday = Date.UTC(2026, 5, 15, 12)

/** The same stories on both databases; without PostgreSQL its half is skipped, and the run has said so. */
export function onBothDatabases(title: string, stories: (open: OpenApp) => void): void {
  describe(`${title} (embedded store)`, () => stories((options) => openApp('embedded', options)))
  describe.skipIf(inject('postgresUrl') === null)(`${title} (PostgreSQL)`, () =>
    stories((options) => openApp('postgres', options)),
  )
}

/** For stories that the store has no part in. */
export const testApp: OpenApp = (options) => openApp('embedded', options)

async function openApp(kind: 'embedded' | 'postgres', options: TestOptions = {}): Promise<TestApp> {
  const dataDir = kind === 'postgres' ? await temporaryFolder() : await migratedFolder()
  const url = kind === 'postgres' ? await migratedPostgresUrl() : undefined
  if (kind === 'postgres' && !url) throw new Error('PostgreSQL is not there')
  const clock = options.clock ?? handWoundClock(options.start ?? monday)
  return launch({ dataDir, url, clock, options, crew: new Set() })
}

type Known = { a: TestCompany; b: TestCompany }

interface Place {
  dataDir: string
  url: string | undefined
  clock: HandWoundClock
  options: TestOptions
  /** All processes that are open on the data. */
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
    ...(url && { DATABASE_URL: url, DATABASE_POOL_SIZE: '4' }),
    ...options.env,
  })
  const { requestTimeoutMs } = options
  const app = await createApp(config, {
    clock,
    log: collectingLog(lines),
    // Retries come exactly when they are due, and names lead nowhere: no test leaves the machine.
    chance: () => 0.5,
    network: { dnsServers: ['127.0.0.1:9'] },
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  })
  const settle = () => settled(crew)
  clock.settleWith(settle)
  crew.add(app)
  await app.start()
  const stop = async () => {
    if (crew.delete(app)) await app.stop()
  }
  onTestFinished(stop)
  const base = `http://127.0.0.1:${port}`
  const a = known ? at(base, known.a) : at(base, await newCompany(app, base, 'Company A'))
  const b = known ? at(base, known.b) : at(base, await newCompany(app, base, 'Company B'))
  await app.services.db.updateTable('company').set(everything).where('id', '=', a.id).execute()
  await app.services.db.updateTable('company').set({ plan: 'essentials' }).where('id', '=', b.id).execute()
  const made: TestApp = {
    app,
    db: app.services.db,
    clock,
    base,
    a,
    b,
    dataDir,
    anonymous: client(base, {}),
    as: (authorization) => client(base, { authorization }),
    async events(of) {
      await app.settle()
      const rows = await readEvents(app.services.db, of.id)
      return rows.map(({ name, data }) => ({ name, data: JSON.parse(data) }))
    },
    logged: () => lines.join('\n'),
    settle,
    stop,
    async restart(downMs = 0) {
      await stop()
      if (downMs > 0) await clock.advance(downMs)
      return launch(place, { a, b })
    },
    beside: () => launch(place, { a, b }),
  }
  return made
}

/** What one has done may be work for another, so everybody is asked as often as there are others. */
async function settled(crew: ReadonlySet<App>): Promise<void> {
  for (let round = 0; round < crew.size; round++) for (const app of [...crew]) await app.settle()
}

const everything = {
  plan: 'custom',
  ai_package: 'assist-pro',
  whatsapp: 1,
  analytics_plus: 1,
  ai_voice_agents: 1,
} as const

interface NewCompany {
  company_id: number
  owner_id: number
  api_id: string
  api_token: string
}

/** Made as an operator makes one. */
async function newCompany(app: App, base: string, name: string): Promise<Omit<TestCompany, 'api' | 'own'>> {
  const command = app.commands['company.create']
  if (!command) throw new Error('the command is there')
  const email = `${name.replace(' ', '-').toLowerCase()}@example.test`
  const made = (await command({ name, owner_email: email })) as NewCompany
  return {
    id: made.company_id,
    ownerId: made.owner_id,
    apiId: made.api_id,
    apiToken: made.api_token,
    session: await signedIn(app, base, made.company_id, made.owner_id),
  }
}

/** The company's clients, for where the app listens now. */
function at(base: string, of: Omit<TestCompany, 'api' | 'own'>): TestCompany {
  const session = { ...of.session, origin: base }
  const authorization = basic(of.apiId, of.apiToken)
  return { ...of, session, api: client(base, { authorization }), own: client(`${base}/app`, session) }
}

/** Headers of a person with a session; what makes sessions for people comes with the sign-in page. */
export async function signedIn(app: App, base: string, companyId: number, userId: number) {
  const session = randomToken()
  const csrf = randomToken()
  const row = { idHash: hashOf(session), userId, csrfHash: hashOf(csrf), at: app.services.clock.machineNow() }
  await insertSession(app.services.db, companyId, row)
  return { cookie: `hookswitch_session=${session}`, origin: base, 'x-csrf-token': csrf }
}

export const basic = (id: string, token: string) => `Basic ${Buffer.from(`${id}:${token}`).toString('base64')}`

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
