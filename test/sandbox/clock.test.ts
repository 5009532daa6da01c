import { randomBytes } from 'node:crypto'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type App, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { day, hour } from '../../src/lib/clock.ts'
import { createLog } from '../../src/lib/log.ts'
import { expectError } from '../http/raw.ts'
import { basic, monday, onAnyDatabase, testApp } from '../kit/app.ts'
import { freePort, freshPostgresUrl, temporaryFolder } from '../kit/databases.ts'
import { receiver } from '../kit/receiver.ts'
import { addContact, addHook } from '../kit/webhooks.ts'

const clock = '/sandbox/v1/clock'
const at = (ms: number) => new Date(monday + ms).toISOString()

onAnyDatabase('the sandbox clock', (open) => {
  test('is shown and advanced: everything due has run when the response arrives', async () => {
    const { a, settle } = await open()
    const shop = await receiver(500)
    await addHook(a.api, shop, ['contact.created'])
    await addContact(a.api)
    await settle()

    const before = await a.api('GET', clock)
    const wound = await a.api('PUT', clock, { advance_seconds: 92 * 3_600 })

    expect([before.status, before.json]).toEqual([200, { now: at(0), mode: 'frozen', speed: 1, pending: 0 }])
    expect([wound.status, wound.json]).toEqual([200, { now: at(92 * hour), mode: 'frozen', speed: 1, pending: 0 }])
    expect(shop.got).toHaveLength(13)
  })

  test('is shared by all companies, and requires their ordinary credentials', async () => {
    const { a, b, anonymous, as } = await open()

    const wound = await b.api('PUT', clock, { advance_seconds: 0.5 })

    expect(wound.json.now).toBe(at(500))
    expect((await a.api('GET', clock)).json.now).toBe(at(500))
    expect((await a.own('GET', clock)).json.now).toBe(at(500))
    for (const [method, body] of [['GET'], ['PUT', { advance_seconds: 60 }]] as const) {
      expectError(await anonymous(method, clock, body), 403)
      expectError(await as(basic(a.apiId, b.apiToken))(method, clock, body), 403)
    }
    expect((await a.api('GET', clock)).json.now).toBe(at(500))
  })

  test('does not count against the rate limit', async () => {
    const { a } = await open({ env: { RATE_LIMIT_PER_MINUTE: '1' } })

    const answers = [await a.api('GET', clock), await a.api('PUT', clock, {}), await a.api('GET', clock)]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const names = answers.flatMap(({ headers }) => [...headers.keys()])
    expect(names.filter((name) => name.startsWith('x-hookswitchapi'))).toEqual([])
  })

  test('rejects invalid values and changes nothing', async () => {
    const { a } = await open()

    for (const body of [
      ...[{ mode: 'backwards' }, { mode: null }, { mode: '' }],
      ...[{ speed: 0 }, { speed: 0.09 }, { speed: 1_000.5 }, { speed: '10' }, { speed: null }],
      ...[-1, '60', 1e12, null, [60]].map((seconds) => ({ mode: 'running', advance_seconds: seconds })),
    ]) {
      expectError(await a.api('PUT', clock, body), 400, JSON.stringify(body))
    }

    expect((await a.api('GET', clock)).json).toMatchObject({ now: at(0), mode: 'frozen', speed: 1 })
  })
})

test('the clock cannot be advanced to a year with five digits', async () => {
  const { a } = await testApp({ start: Date.UTC(9_998, 11, 31) })

  expectError(await a.api('PUT', clock, { advance_seconds: day / 1_000 + 1 }), 400)
})

test('in production there is no sandbox clock', async () => {
  const env = { HOOKSWITCH_MODE: 'production', PUBLIC_URL: 'https://phone.example.test', TRUSTED_PROXIES: '127.0.0.1' }
  const { a, anonymous, app } = await testApp({ env: { ...env, ADMIN_PORT: String(await freePort()) } })
  const secure = { 'x-forwarded-proto': 'https' }

  for (const path of [clock, `/app${clock}`]) {
    expectError(await a.api('GET', path, undefined, secure), 404, path)
    expectError(await a.api('PUT', path, { mode: 'frozen' }, secure), 404, path)
  }
  const document = await anonymous('GET', '/openapi.json', undefined, secure)
  expect(Object.keys(document.json.paths).filter((path) => path.includes('sandbox'))).toEqual([])
  expect(app.services.sandbox).toBeUndefined()
})

/** On the system clock, as in a real installation. */
async function start(env: Record<string, string>): Promise<App> {
  let isStopped = false
  const port = String(await freePort())
  const app = await createApp(readConfig({ HOOKSWITCH_MODE: 'sandbox', ...env, PORT: port }), {
    log: createLog('silent'),
  })
  await app.start()
  const stop = async () => {
    if (!isStopped) await app.stop()
    isStopped = true
  }
  onTestFinished(stop)
  return { ...app, stop }
}

function clockOf({ services: { sandbox } }: App) {
  if (!sandbox) throw new Error('this is a sandbox')
  return sandbox.clock
}

describe.each(['embedded', 'postgres'] as const)('a real clock (%s)', (kind) => {
  async function place(): Promise<Record<string, string>> {
    const url = kind === 'postgres' ? await freshPostgresUrl() : undefined
    return { DATA_DIR: await temporaryFolder(), ...(url && { DATABASE_URL: url, DATABASE_POOL_SIZE: '4' }) }
  }
  const isMissing = kind === 'postgres' && inject('postgres') === null

  test.skipIf(isMissing)('that is frozen is found where it stood', async () => {
    const env = await place()
    const first = await start(env)
    const { now } = await clockOf(first).change({ mode: 'frozen', advanceMs: 5 * hour })
    await first.stop()

    const again = await start(env)

    expect(await clockOf(again).state()).toMatchObject({ now, mode: 'frozen', speed: 1 })
    expect(again.services.clock.now()).toBe(now)
  })

  test.skipIf(isMissing)('that runs is not set back by a stop, nor by the end of a process', async () => {
    const env = await place()
    const first = await start(env)
    const begin = first.services.clock.now()
    await clockOf(first).change({ speed: 1_000, advanceMs: 5 * hour })
    const seen = [first.services.clock.now()]
    await first.stop()
    seen.push(first.services.clock.now())
    const second = await start(env)
    seen.push(second.services.clock.now())
    await clockOf(second).change({ speed: 1, advanceMs: hour })
    seen.push(second.services.clock.now())
    await second.stop()
    const third = await start(env)
    seen.push(third.services.clock.now())

    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect((seen.at(-1) ?? 0) - begin).toBeGreaterThanOrEqual(6 * hour)
    expect(await clockOf(third).state()).toMatchObject({ mode: 'running', speed: 1 })
  })

  test.skipIf(isMissing || kind === 'embedded')('is the same in every process', async () => {
    // Processes of one installation share its key.
    const env = { ...(await place()), HOOKSWITCH_KEY: randomBytes(32).toString('base64') }
    const [here, there] = [await start(env), await start({ ...env, DATA_DIR: await temporaryFolder() })]

    const { now } = await clockOf(here).change({ mode: 'frozen', advanceMs: hour })

    await expect.poll(async () => (await clockOf(there).state()).now, { timeout: 30_000 }).toBe(now)
    expect(await clockOf(there).state()).toMatchObject({ mode: 'frozen', pending: 0 })
  })
})
