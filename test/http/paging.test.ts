import { expect, test } from 'vitest'
import { routes } from '../../src/features/index.ts'
import { freshCampaign } from '../../src/features/voice-agents/campaigns/settings.ts'
import { insertAgentCampaign } from '../../src/features/voice-agents/campaigns/store.ts'
import { ulid } from '../../src/lib/ulid.ts'
import { basic, onAnyDatabase, type TestApp, type TestCompany, testApp } from '../kit/app.ts'
import { exchange, expectError, parsed, rawRequest } from './raw.ts'

/** Parameters without which a list is refused. Its dates are days, not seconds. */
const needed: Record<string, string> = { '/v1/analytics/calls': 'timezone=Europe/Paris&last_days=7&' }

/** All lists, by mount: new ones are covered as soon as they accept `page`. */
const lists = routes
  .filter(({ document: { query } }) => query && 'properties' in query && Object.hasOwn(query.properties ?? {}, 'page'))
  .map(({ path, access, document: { query } }) => ({
    path,
    own: access === 'app',
    ranged: Object.hasOwn((query as { properties: object }).properties, 'from') && needed[path] === undefined,
  }))

const offsetLimited = [
  ...['/v1/calls', '/v1/calls/search', '/v1/me/calls', '/v1/analytics/calls'],
  ...['/v1/contacts', '/v1/contacts/search', '/v1/contacts/named'],
]

interface Meta {
  count: number
  total: number
  next_page_link: string | null
}

const on = (company: TestCompany, own: boolean) => (own ? company.own : company.api)
const filled = (path: string, { a }: TestApp, { webhook, campaign }: Listed) => {
  const id = path.startsWith('/v1/outbound-campaigns/') ? campaign : String(a.ownerId)
  return `${path.replace(':id', id).replace(':webhook_id', webhook)}?${needed[path] ?? ''}`
}

interface Listed {
  webhook: string
  campaign: string
}

/** Objects that have lists. */
async function listed({ a, db, clock }: TestApp): Promise<Listed> {
  const { json } = await a.api('POST', '/v1/webhooks', { url: 'https://example.com/' })
  const settings = { ...freshCampaign, name: 'Campaign', agentId: 'agent', numberIds: [] }
  const campaign = await insertAgentCampaign(db, a.id, ulid(clock.machineNow()), settings, clock.now())
  return { webhook: json.webhook.webhook_id, campaign: campaign.id }
}

async function addTeams(company: TestCompany, n: number) {
  for (let i = 0; i < n; i++) await company.api('POST', '/v1/teams', { name: `Team ${i}` })
}

onAnyDatabase('lists', (open) => {
  test('reject invalid pages, sizes, orders and ranges', async () => {
    const app = await open()
    const objects = await listed(app)
    const bad = [
      ...['0', '-1', '51', '1000000', 'abc', '', '1.5', '1e1', ' 5', '+5', '٥', '0x10', '99999999999999999999'].map(
        (value) => `per_page=${encodeURIComponent(value)}`,
      ),
      ...['0', '-1', 'abc', '', '1.5', 'Infinity', 'NaN', '1e3', '99999999999999999999'].map(
        (value) => `page=${value}`,
      ),
      'per_page=5&per_page=6',
      'page=1&page=2',
      'order=up',
      'order=',
      'order=ASC',
      'order=asc&order=desc',
    ]
    const badRanges = [
      ...['abc', '', '-1', 'Infinity', '-Infinity', 'NaN', '1e9', '1584998199.', '.5', '0x10'].flatMap((value) => [
        `from=${value}`,
        `to=${value}`,
      ]),
      'from=2&to=1',
      'from=1&from=2',
    ]

    expect(lists.length).toBeGreaterThanOrEqual(9)
    for (const { path, own, ranged } of lists) {
      const targets = (ranged ? [...bad, ...badRanges] : bad).map((query) => `${filled(path, app, objects)}${query}`)
      const answers = await Promise.all(targets.map((target) => on(app.a, own)('GET', target)))
      for (const [i, answer] of answers.entries()) expectError(answer, 400, targets[i])
    }
  })

  test('are empty beyond the last page, and 400 beyond the offset limit of calls and contacts', async () => {
    const app = await open()
    const objects = await listed(app)

    for (const { path, own } of lists) {
      if (offsetLimited.includes(path) || /\/(deliveries|mail_outbox)$/.test(path)) continue
      const { status, json } = await on(app.a, own)('GET', `${filled(path, app, objects)}page=1000000000&per_page=50`)
      expect(status, path).toBe(200)
      expect(json.meta, path).toMatchObject({ count: 0, current_page: 1_000_000_000, next_page_link: null })
    }
    for (const { path, own } of lists.filter(({ path }) => offsetLimited.includes(path))) {
      const ask = on(app.a, own)
      expect((await ask('GET', `${filled(path, app, objects)}page=200&per_page=50`)).json.meta).toMatchObject({
        count: 0,
        total: 0,
      })
      const wall = await ask('GET', `${filled(path, app, objects)}page=201&per_page=50`)
      expectError(wall, 400)
      expect(wall.json.troubleshoot).toContain('`from`')
    }
  })

  test('take UNIX seconds whole or decimal, drop the fraction and include both ends', async () => {
    const { a, clock } = await open()
    const made = Math.floor(clock.now() / 1_000)
    const total = async (query: string) => (await a.api('GET', `/v2/users?${query}`)).json.meta.total

    expect(await total(`from=${made}&to=${made}`)).toBe(1)
    expect(await total(`from=${made}.9&to=${made}.0`)).toBe(1)
    expect(await total(`from=${made + 1}`)).toBe(0)
    expect(await total(`to=${made - 1}`)).toBe(0)
  })

  test('count exactly, in either order, without gaps, repeats or another company', async () => {
    const { a, b } = await open()
    await addTeams(a, 7)
    await addTeams(b, 3)
    for (const order of ['asc', 'desc']) {
      const names: string[] = []
      let link: string | null = `/v1/teams?order=${order}&per_page=3`
      while (link) {
        const { meta, teams }: { meta: Meta; teams: { name: string }[] } = (await a.api('GET', link)).json
        expect(meta.total).toBe(7)
        expect(meta.count).toBe(teams.length)
        names.push(...teams.map(({ name }) => name))
        link = meta.next_page_link
      }
      const wanted = Array.from({ length: 7 }, (_, i) => `Team ${i}`)
      expect(names).toEqual(order === 'asc' ? wanted : wanted.reverse())
    }
  })
})

test('links to neighbours are absolute, follow the Host, and keep every other parameter', async () => {
  const { a, base } = await testApp()
  await addTeams(a, 5)

  const { meta } = (await a.api('GET', '/v1/teams/?order=desc&x=a%26b&x=2&per_page=2&page=2&t[]=1&e=')).json

  const kept = 'order=desc&x=a%26b&x=2&t%5B%5D=1&e='
  expect(meta.next_page_link).toBe(`${base}/v1/teams?${kept}&page=3&per_page=2`)
  expect(meta.previous_page_link).toBe(`${base}/v1/teams?${kept}&page=1&per_page=2`)
  const first = (await a.api('GET', '/v1/teams')).json.meta
  expect(first).toEqual({
    count: 5,
    total: 5,
    current_page: 1,
    per_page: 20,
    next_page_link: null,
    previous_page_link: null,
  })
  const own = (await a.own('GET', '/v1/teams?per_page=4')).json.meta
  expect(own.next_page_link).toBe(`${base}/app/v1/teams?page=2&per_page=4`)
})

test('the Host makes links only where PUBLIC_URL is unset, and nothing else ever', async () => {
  const evil = 'Host: evil.test'
  const ask = async (app: TestApp) => {
    await addTeams(app.a, 2)
    const lines = [`GET /v1/teams?per_page=1 HTTP/1.1`, evil, `Authorization: ${basic(app.a.apiId, app.a.apiToken)}`]
    const responses = parsed(await exchange(app.base, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`))
    return responses.json
  }
  const byHost = await testApp()
  const byUrl = await testApp({ env: { PUBLIC_URL: 'https://phone.example.test/' } })

  const hosted = await ask(byHost)
  const named = await ask(byUrl)

  expect(hosted.meta.next_page_link).toBe('http://evil.test/v1/teams?page=2&per_page=1')
  expect(hosted.teams[0].direct_link).toMatch(byHost.base)
  expect(named.meta.next_page_link).toBe('https://phone.example.test/v1/teams?page=2&per_page=1')
  expect(named.teams[0].direct_link).toMatch('https://phone.example.test/v1/teams/')
})

test('a request line with a whole URL, as proxies send it, gives the same links', async () => {
  const { a, base } = await testApp()
  await addTeams(a, 2)

  const answer = await rawRequest(base, {
    path: `${base}/v1/teams?per_page=1`,
    headers: [`Authorization: ${basic(a.apiId, a.apiToken)}`],
  })

  expect(answer.json.meta.next_page_link).toBe(`${base}/v1/teams?page=2&per_page=1`)
})
