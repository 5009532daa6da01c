import { randomBytes } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createManualClock, type ManualClock } from '../../src/lib/clock.ts'
import { hashOf, randomToken } from '../../src/lib/secrets.ts'
import { basic, onBothDatabases, type TestApp } from '../kit/app.ts'
import { nextMinute } from '../kit/clocks.ts'
import { freePort, freshPostgresUrl, temporaryFolder } from '../kit/databases.ts'
import { silent } from '../kit/stores.ts'
import { expectError } from './raw.ts'

const limits = (headers: Headers) => ({
  limit: headers.get('x-hookswitchapi-limit'),
  remaining: headers.get('x-hookswitchapi-remaining'),
  reset: headers.get('x-hookswitchapi-reset'),
})

/** All ways to spend a request: keys, a token, versions, methods, unknown paths. */
async function waysToSpend({ a, as, db }: TestApp) {
  const key = (await a.own('POST', '/v1/api_keys', {})).json.api_key
  const token = randomToken()
  const row = { company_id: a.id, token_hash: hashOf(token), created_at: 0, revoked_at: null }
  await db.insertInto('oauth_token').values(row).execute()
  const second = as(basic(key.api_id, key.api_token))
  const bearer = as(`Bearer ${token}`)
  return [
    () => a.api('GET', '/v1/ping'),
    () => second('GET', '/v2/users'),
    () => bearer('GET', '/v1/teams/'),
    () => a.api('HEAD', '/v1/ping'),
    () => second('OPTIONS', '/v1/ping'),
    () => bearer('DELETE', '/v1/ping'),
    () => a.api('GET', '/v1/nothing'),
    () => second('GET', '/v1/teams/99999'),
    () => a.api('POST', '/v1/teams', '{'),
    () => bearer('POST', '/v1/teams', {}),
  ]
}

onBothDatabases('the rate limit', (open) => {
  test('requests by any key, token, version and method count once; the next one is 429', async () => {
    const app = await open({ env: { RATE_LIMIT_PER_MINUTE: '20' } })
    const ways = await waysToSpend(app)
    nextMinute(app.clock)

    const answers = []
    for (const way of [...ways, ...ways]) answers.push(await way())
    const over = await app.a.api('GET', '/v1/ping')

    expect(answers.map(({ status }) => status)).not.toContain(429)
    expect(answers.map(({ headers }) => Number(limits(headers).remaining))).toEqual(
      Array.from({ length: 20 }, (_, i) => 19 - i),
    )
    expectError(over, 429)
    const reset = (Math.floor(app.clock.machineNow() / 60_000) + 1) * 60
    expect(limits(over.headers)).toEqual({ limit: '20', remaining: '0', reset: String(reset) })
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(over.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    nextMinute(app.clock)
    expect((await app.a.api('GET', '/v1/ping')).status).toBe(200)
  })

  test('/app, public routes, other companies and wrong credentials do not count', async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '5', TRUSTED_PROXIES: '127.0.0.1' }
    const { a, b, as, anonymous, clock } = await open({ env })
    const elsewhere = { 'x-forwarded-for': '198.51.100.9' }
    const guess = (path: string) => as(basic(a.apiId, 'wrong'))('GET', path, undefined, elsewhere)
    nextMinute(clock)

    for (let i = 0; i < 30; i++) {
      expect((await a.own('GET', '/v1/ping')).status).toBe(200)
      expect((await a.api('GET', '/v1')).headers.get('x-hookswitchapi-limit')).toBeNull()
      expectError(await guess('/v1/ping'), i < 10 ? 403 : 429)
      expectError(await guess('/v1/nothing'), 404)
      expectError(await anonymous('GET', '/v1/ping'), 403)
    }

    const spent = await Promise.all(Array.from({ length: 5 }, () => a.api('GET', '/v1/ping')))
    expect(spent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expectError(await a.api('GET', '/v1/ping'), 429)
    expect((await b.api('GET', '/v1/ping')).status).toBe(200)
    expect((await a.own('GET', '/v1/ping')).status).toBe(200)
  })

  test('the prefix of the headers is a setting', async () => {
    const { a } = await open({ env: { API_HEADER_PREFIX: 'X-Acme' } })

    const { headers } = await a.api('GET', '/v1/ping')

    expect(headers.get('x-acme-limit')).toBe('1000000')
    expect(headers.get('x-hookswitchapi-limit')).toBeNull()
  })

  test('one process with eight clients lets through exactly the limit in every window', async () => {
    const { a, base, clock } = await open({ env: { RATE_LIMIT_PER_MINUTE: '120' } })

    for (let window = 0; window < 3; window++) {
      nextMinute(clock)
      await expectExactly(120, [{ base, share: 1 }], basic(a.apiId, a.apiToken))
    }
  })
})

interface Process {
  base: string
  share: number
}

/** Eight clients send 170 requests, distributed over the processes. */
async function expectExactly(limit: number, processes: readonly Process[], authorization: string): Promise<void> {
  const bases = processes.flatMap(({ base, share }) => Array<string>(share).fill(base))
  let sent = 0
  let passed = 0
  const client = async () => {
    while (sent < limit + 50) {
      const base = bases[sent++ % bases.length]
      const { status, headers } = await fetch(`${base}/v1/ping`, { headers: { authorization } })
      const remaining = Number(limits(headers).remaining ?? -1)
      expect(remaining).toBeGreaterThanOrEqual(0)
      expect(remaining).toBeLessThan(limit)
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      else passed++
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  expect(passed).toBe(limit)
}

async function startProcesses(n: number, clock: ManualClock) {
  const url = await freshPostgresUrl()
  if (!url) throw new Error('PostgreSQL is not there')
  const apps: { app: App; base: string }[] = []
  const installation = {
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: '4',
    HOOKSWITCH_KEY: randomBytes(32).toString('base64'),
  }
  for (let i = 0; i < n; i++) {
    const port = await freePort()
    const env = { PORT: String(port), DATA_DIR: await temporaryFolder(), ...installation }
    const app = await createApp(readConfig({ HOOKSWITCH_MODE: 'sandbox', ...env }), { clock, log: silent })
    await app.start()
    onTestFinished(() => app.stop())
    apps.push({ app, base: `http://127.0.0.1:${port}` })
  }
  return apps
}

test.skipIf(inject('postgres') === null).each([
  { title: 'two processes evenly', shares: [1, 1] },
  { title: 'two processes, nearly all to one', shares: [1, 19] },
  { title: 'three processes unevenly', shares: [1, 3, 8] },
])('exactly 120 a window over $title (PostgreSQL)', async ({ shares }) => {
  const clock = createManualClock(Date.now())
  const apps = await startProcesses(shares.length, clock)
  const create = apps[0]?.app.commands['company.create']
  const made = (await create?.({ name: 'Rated', owner_email: 'o@example.test' })) as Record<string, string>
  const authorization = basic(made.api_id ?? '', made.api_token ?? '')
  const processes = apps.map(({ base }, i) => ({ base, share: shares[i] ?? 1 }))

  for (let window = 0; window < 3; window++) {
    nextMinute(clock)
    await expectExactly(120, processes, authorization)
  }
})

test.skipIf(inject('postgres') === null)(
  'what one process holds unspent is not lost to another (PostgreSQL)',
  async () => {
    const clock = createManualClock(Date.now())
    const [first, second] = await startProcesses(2, clock)
    const create = first?.app.commands['company.create']
    const made = (await create?.({ name: 'Rated', owner_email: 'o@example.test' })) as Record<string, string>
    const authorization = basic(made.api_id ?? '', made.api_token ?? '')
    const ask = (base = '') => fetch(`${base}/v1/ping`, { headers: { authorization } })
    nextMinute(clock)

    // Fast spending increases the reservations of the first process; then it becomes idle.
    let passed = 0
    for (let i = 0; i < 18; i++) if ((await ask(first?.base)).status === 200) passed++
    while ((await ask(second?.base)).status === 200) passed++

    expect(passed).toBe(120)
  },
)
