import { expect, test } from 'vitest'
import { hashOf, randomToken } from '../../src/lib/secrets.ts'
import { basic, onAnyDatabase, type TestApp, testApp } from '../kit/app.ts'
import { expectError, rawRequest } from './raw.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

async function bearerOf({ db }: TestApp, companyId: number): Promise<{ id: number; token: string }> {
  const token = randomToken()
  const row = { company_id: companyId, token_hash: hashOf(token), created_at: 0, revoked_at: null }
  const { id } = await db.insertInto('oauth_token').values(row).returning('id').executeTakeFirstOrThrow()
  return { id, token }
}

onAnyDatabase('credentials', (open) => {
  test('an invalid Authorization header is 403, never 5xx', async () => {
    const { base, a } = await open()
    const right = base64(`${a.apiId}:${a.apiToken}`)
    const headers = [
      [],
      ['Authorization:'],
      ['Authorization: Basic'],
      ['Authorization: Basic '],
      ['Authorization: Basic :'],
      [`Authorization: Basic ${base64(a.apiId)}`],
      [`Authorization: Basic ${base64(`:${a.apiToken}`)}`],
      [`Authorization: Basic ${base64(`${a.apiId}:`)}`],
      [`Authorization: Basic ${base64(`${a.apiId}\0:${a.apiToken}`)}`],
      [`Authorization: Basic ${base64(`${a.apiId}:${a.apiToken}\0`)}`],
      [`Authorization: Basic ${base64(`${a.apiId}:${a.apiToken}x`)}`],
      [`Authorization: Basic ${base64(` ${a.apiId}:${a.apiToken}`)}`],
      [`Authorization: Basic ${base64(`${a.apiId}:${'x'.repeat(8_000)}`)}`],
      ['Authorization: Basic !!!not base64!!!'],
      ['Authorization: Basic /////w=='],
      [`Authorization: Bearer ${right}`],
      [`Authorization: Bearer ${a.apiId}:${a.apiToken}`],
      ['Authorization: Bearer'],
      ['Authorization: Bearer \xff\xfe'],
      [`Authorization: Digest ${right}`],
      [`Authorization: ${right}`],
      [`Authorization: Basic ${right}`, `Authorization: Basic ${right}`],
      [`Authorization: Basic ${right}`, 'Authorization: Bearer x'],
      [`X-Authorization: Basic ${right}`],
      [`Proxy-Authorization: Basic ${right}`],
    ]

    for (const lines of headers) expectError(await rawRequest(base, { headers: lines }), 403, lines.join(' | '))
    const oversized = [`Authorization: Basic ${base64('x'.repeat(20_000))}`]
    expectError(await rawRequest(base, { headers: oversized }), 431)
  })

  test('the scheme name is case-insensitive, and a URL may contain the credentials', async () => {
    const app = await open()
    const { a, as } = app
    const { token } = await bearerOf(app, a.id)
    const pair = base64(`${a.apiId}:${a.apiToken}`)

    for (const value of [`basic ${pair}`, `BASIC ${pair}`, `bearer ${token}`, `BeArEr ${token}`, `Basic  ${pair}`]) {
      expect((await as(value)('GET', '/v1/ping')).json, value).toEqual({ ping: 'pong' })
    }
  })

  test("an id with another company's token, and each kind of token in the other's place, is 403", async () => {
    const app = await open()
    const { a, b, as } = app
    const { token } = await bearerOf(app, a.id)

    for (const value of [
      basic(a.apiId, b.apiToken),
      basic(b.apiId, a.apiToken),
      `Bearer ${a.apiToken}`,
      `Bearer ${a.apiId}`,
      basic(a.apiId, token),
      basic(token, a.apiToken),
      basic(a.apiId, hashOf(a.apiToken)),
      `Bearer ${hashOf(token)}`,
    ]) {
      expectError(await as(value)('GET', '/v1/company'), 403)
    }
  })

  test('a revoked key and a revoked token are refused from the next request on', async () => {
    const app = await open()
    const { a, as, db } = app
    const { id, token } = await bearerOf(app, a.id)
    const made = (await a.own('POST', '/v1/api_keys', { name: 'Second' })).json.api_key
    const key = as(basic(made.api_id, made.api_token))
    const bearer = as(`Bearer ${token}`)
    expect([(await key('GET', '/v1/ping')).status, (await bearer('GET', '/v1/ping')).status]).toEqual([200, 200])

    expect((await a.own('DELETE', `/v1/api_keys/${made.id}`)).status).toBe(204)
    await db.updateTable('oauth_token').set({ revoked_at: 1 }).where('id', '=', id).execute()

    expectError(await key('GET', '/v1/ping'), 403)
    expectError(await bearer('GET', '/v1/ping'), 403)
    expect((await a.api('GET', '/v1/ping')).status).toBe(200)
  })

  test('the API and /app accept their own credentials only', async () => {
    const { a, anonymous } = await open()

    expectError(await anonymous('GET', '/v1/ping', undefined, a.session), 403)
    expectError(await anonymous('GET', '/app/v1/ping', undefined, { authorization: basic(a.apiId, a.apiToken) }), 403)
    expect((await a.own('GET', '/v1/ping')).status).toBe(200)
    expect((await anonymous('GET', '/v1', undefined, { authorization: 'nonsense' })).status).toBe(200)
  })
})

test('after 20 wrong tokens for one key the address waits a minute, then longer; the owner elsewhere does not', async () => {
  const { a, as, clock } = await testApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const wrong = () => as(basic(a.apiId, 'wrong'))('GET', '/v1/ping')
  const right = (from: string) => a.api('GET', '/v1/ping', undefined, { 'x-forwarded-for': from })
  const guess = async () => {
    for (let i = 0; i < 20; i++) expectError(await wrong(), 403)
  }

  await guess()
  const blocked = await wrong()
  const owner = await a.api('GET', '/v1/ping')
  const elsewhere = await right('198.51.100.7')

  expectError(blocked, 429)
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(58)
  expect(blocked.headers.get('x-hookswitchapi-limit')).toBeNull()
  expectError(owner, 429)
  expect(elsewhere.status).toBe(200)
  clock.shiftMachine(61_000)
  expect((await a.api('GET', '/v1/ping')).status).toBe(200)
  await guess()
  expect(Number((await wrong()).headers.get('retry-after'))).toBeGreaterThan(118)
  clock.shiftMachine(61_000)
  expectError(await wrong(), 429)
})

test('of 200 parallel wrong tokens twenty are evaluated, for a known key and an unknown one', async () => {
  for (const identifier of ['known', 'unknown']) {
    const { a, as } = await testApp()
    const apiId = identifier === 'known' ? a.apiId : '0'.repeat(32)

    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => as(basic(apiId, `wrong-${i}`))('GET', '/v1/ping')),
    )

    const statuses = answers.map(({ status }) => status)
    const waits = answers.map(({ headers }) => Number(headers.get('retry-after') ?? 0))
    expect([403, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([20, 180])
    expect(Math.max(...waits)).toBeLessThanOrEqual(60)
  }
})

test('a hundred parallel requests with valid credentials are all answered', async () => {
  const { a } = await testApp()

  const answers = await Promise.all(Array.from({ length: 100 }, () => a.api('GET', '/v1/ping')))

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('19 wrong tokens, and wrong ones spread over minutes, do not block', async () => {
  const { a, as, clock } = await testApp()
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 19; i++) expectError(await as(basic(a.apiId, 'wrong'))('GET', '/v1/ping'), 403)
    expect((await a.api('GET', '/v1/ping')).status).toBe(200)
    clock.shiftMachine(61_000)
  }
})

test('after 200 wrong ids the address waits, whichever id it tries next', async () => {
  const { a, as, clock } = await testApp()
  for (let i = 0; i < 200; i++) {
    const wrong = i % 2 === 0 ? basic(`guess-${i}`, 'x') : `Bearer guess-${i}`
    expectError(await as(wrong)('GET', '/v1/ping'), 403)
  }

  expectError(await as(basic('another', 'x'))('GET', '/v1/ping'), 429)
  expectError(await a.api('GET', '/v1/ping'), 429)
  expect((await a.own('GET', '/v1/ping')).status).toBe(200)
  clock.shiftMachine(61_000)
  expect((await a.api('GET', '/v1/ping')).status).toBe(200)
})

test('without TRUSTED_PROXIES no header changes the address, the scheme or the host', async () => {
  const { a, as, base } = await testApp()
  await a.api('POST', '/v1/teams', { name: 'One' })
  await a.api('POST', '/v1/teams', { name: 'Two' })
  const forged = (i: number) => ({
    'x-forwarded-for': `198.51.100.${i}`,
    'x-real-ip': `198.51.100.${i}`,
    forwarded: `for=198.51.100.${i};proto=https;host=evil.test`,
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
  })

  const page = await a.api('GET', '/v1/teams?per_page=1', undefined, forged(1))
  for (let i = 0; i < 20; i++) await as(basic(a.apiId, 'wrong'))('GET', '/v1/ping', undefined, forged(i))

  expect(page.json.meta.next_page_link).toBe(`${base}/v1/teams?page=2&per_page=1`)
  expectError(await a.api('GET', '/v1/ping', undefined, forged(99)), 429)
})
