import { expect, test } from 'vitest'
import { type Client, onAnyDatabase } from '../kit/app.ts'
import { isFullRun, seed } from '../kit/depth.ts'

// Documents that no export contains: the server refuses them with their place and changes nothing.

type Document = Record<string, unknown>

const digits = '+33199000801'
const guide = { kind: 'topic', active: true, topic: { keywords: ['order'] } }
const full: Document = {
  tags: [{ name: 'Order', color: '#00b388' }],
  users: [
    { email: 'ada@example.test', first_name: 'Ada', last_name: 'Byron', roles: ['agent'], default_number: digits },
  ],
  teams: [{ name: 'Sales', users: ['ada@example.test'] }],
  trunks: [{ name: 'Main', host: '192.0.2.1', enabled: false, username: 'acme', password: 'quiet' }],
  carriers: [
    {
      name: 'Backup',
      kind: 'smpp',
      enabled: false,
      settings: { host: '192.0.2.1', system_id: 'a' },
      password: 'quiet',
    },
  ],
  ai_voice_agents: [{ name: 'Robin', knowledge_urls: [] }],
  numbers: [
    {
      digits,
      name: 'Reception',
      flow_editor_enabled: true,
      users: ['ada@example.test'],
      flow: {
        start: 'ring',
        nodes: {
          ring: { type: 'ring_to', targets: [{ type: 'team', name: 'Sales' }], branches: { no_answer: 'end' } },
          end: { type: 'hang_up', media: null },
        },
      },
    },
    { digits: '+33199000802', name: 'Shop', flow_editor_enabled: false, hold_music: 'https://media.example/quiet.mp3' },
  ],
  messaging: [{ digits, texts: true, carrier: 'Backup' }],
  conversation_intelligence: {
    enabled: true,
    numbers: [{ digits, enabled: false, language: null }],
    vocabulary: ['Byron'],
  },
  suggestions: { sources: [{ ai_voice_agent: 'Robin', teams: ['Sales'] }] },
  live_page: { email_users: ['ada@example.test'] },
  guides: [{ name: 'Orders', ...guide }],
  sms_templates: [{ name: 'Thanks', body: 'Thank you' }],
  blocked_callers: [{ phone: '+33180000077', note: 'spam' }],
  webhooks: [{ custom_name: 'CRM', url: 'https://crm.example.com/', events: ['call.created'] }],
}

const read = async (api: Client): Promise<Document> => {
  const answer = await api('GET', '/v1/admin/configuration')
  expect(answer.status, answer.text).toBe(200)
  return answer.json.configuration
}

const apply = (api: Client, configuration: unknown) =>
  api('POST', '/v1/admin/configuration/apply', { configuration, allow_deletes: true })

const plan = (api: Client, configuration: unknown) => api('POST', '/v1/admin/configuration/plan', { configuration })

const own = (text: string): unknown => JSON.parse(text)
const deep = (levels: number): unknown => own('['.repeat(levels) + ']'.repeat(levels))

/** Also objects that cannot become a text, and names that every object has. */
const hostile: unknown[] = [
  7,
  -0.5,
  true,
  '',
  'x'.repeat(20_000),
  '__proto__',
  '2026-02-30',
  [],
  [null],
  [{ toString: 1, valueOf: 1 }],
  [['a'], 7],
  {},
  { toString: 1, valueOf: 1, toJSON: 1 },
  own('{"__proto__": {"admin": true}}'),
  { constructor: { prototype: {} }, length: 3 },
  deep(20),
]

/** Paths of all values, except inside of flows, which have their own tests. */
function pathsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  const inner =
    typeof value === 'object' && value !== null && path.length < 4
      ? Object.entries(value).flatMap(([key, item]) =>
          pathsIn(item, [...path, Array.isArray(value) ? Number(key) : key]),
        )
      : []
  return path.length === 0 ? inner : [path, ...inner]
}

function withValue(document: unknown, [key, ...rest]: (string | number)[], value: unknown): unknown {
  if (key === undefined) return value
  const copy = (Array.isArray(document) ? [...document] : { ...(document as Document) }) as Document
  copy[key] = withValue(copy[key], rest, value)
  return copy
}

/** numbers, 2, flow → numbers[2].flow */
const placeOf = (path: (string | number)[]) =>
  path.map((key, n) => (typeof key === 'number' ? `[${key}]` : n === 0 ? key : `.${key}`)).join('')

onAnyDatabase('hostile configuration documents', (open) => {
  test('a wrong value at any place is refused with its object, or changes nothing else', {
    timeout: 600_000,
  }, async () => {
    const { a } = await open()
    const made = await apply(a.api, full)
    expect(made.status, made.text).toBe(200)
    const before = await read(a.api)
    const wrong: string[] = []
    let refused = 0

    // Another value for each place.
    const step = isFullRun ? 3 : 11
    const offset = seed % step
    for (const [n, path] of pathsIn(before).entries()) {
      if (n % step !== offset) continue
      const value = hostile[n % hostile.length]
      const { status, json } = await plan(a.api, withValue(before, path, value))
      const message = String(json.troubleshoot ?? '')
      const isPlaced = status < 500 && message.startsWith(String(path[0])) && message.length < 600
      if (status !== 200) refused++
      if (status !== 200 && !isPlaced)
        wrong.push(`${placeOf(path)} = ${JSON.stringify(value).slice(0, 80)}: ${status} ${message.slice(0, 300)}`)
    }

    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(15)
    expect(await read(a.api)).toEqual(before)
  })

  test('wrong types are refused with the place of the field', async () => {
    const { a } = await open()
    const before = await read(a.api)
    const cases: [Document, string][] = [
      [{ tags: { name: 'Order' } }, 'tags: must be a list'],
      [{ tags: ['Order'] }, 'tags[0]: must be an object'],
      [{ tags: [{ name: { toString: 1 } }] }, 'tags[0].name: must be a text'],
      [{ settings: [] }, 'settings: must be an object'],
      [{ settings: { country: 7 } }, 'settings.country: must be'],
      [{ teams: [{ name: 'Sales', users: 'ada@example.test' }] }, 'teams[0].users: must be a list of texts'],
      [{ teams: [{ name: 'Sales', users: [{}] }] }, 'teams[0].users[0]: must be a text'],
      [{ numbers: [{ digits, name: 'A', flow: 'ring' }] }, 'numbers[0].flow: must be an object'],
      [
        { numbers: [{ digits, name: 'A', flow_editor_enabled: false, audio: [] }] },
        'numbers[0].audio: must be an object',
      ],
      [
        { numbers: [{ digits, name: 'A', flow_editor_enabled: false, opening_hours: 'always' }] },
        'numbers[0].opening_hours: must be an object',
      ],
      [{ numbers: [{ digits, name: 'A', hold_music: 'ftp://media.example/x' }] }, 'numbers[0].hold_music: must'],
      [{ numbers: [{ digits }, { digits }] }, `numbers[1].digits: ${digits} is that of numbers[0], too`],
      [{ carriers: [{ name: 'X', kind: 'constructor' }] }, 'carriers[0].kind: must be'],
      [{ carriers: [{ name: 'X', kind: { toString: 1 } }] }, 'carriers[0].kind: must be a text'],
      [{ conversation_intelligence: { numbers: [7] } }, 'conversation_intelligence.numbers[0]: must be an object'],
      [
        { ai_voice_agents: [{ name: 'X', knowledge_urls: [{}] }] },
        'ai_voice_agents[0].knowledge_urls[0]: must be a text',
      ],
      [{ live_page: { email_users: ['nobody@example.test'] } }, 'live_page.email_users[0]: there is no user nobody'],
      [{ version: { valueOf: 1 } }, 'version: is {"valueOf":1}, but'],
    ]

    for (const [document, message] of cases) {
      const answer = await apply(a.api, document)
      expect([answer.status, answer.json.success], answer.text).toEqual([400, false])
      expect(answer.json.troubleshoot).toContain(message)
    }
    expect(await read(a.api)).toEqual(before)
  })

  test('names that every object has are unknown names', async () => {
    const { a } = await open()
    const before = await read(a.api)
    for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
      const field = own(`{"name": "Order", "color": "#00b388", ${JSON.stringify(name)}: {"admin": true}}`)
      const inside = own(`{"per_minute": 5, "rates": [{"prefix": "33", "per_minute": 1, ${JSON.stringify(name)}: 1}]}`)
      for (const [document, place] of [
        [own(`{${JSON.stringify(name)}: {"tags": []}}`), name],
        [{ tags: [field] }, `tags[0].${name}`],
        [{ outbound_calling_rules: inside }, `outbound_calling_rules.rates[0].${name}`],
      ] as const) {
        const answer = await apply(a.api, document)
        expect([answer.status, answer.json.troubleshoot]).toEqual([
          400,
          expect.stringContaining(`${place}: is unknown`),
        ])
      }
    }
    expect(({} as Document).admin).toBeUndefined()
    expect(await read(a.api)).toEqual(before)
  })

  test('huge texts, long lists and deep nesting are refused with a short message', async () => {
    const { a } = await open()
    const before = await read(a.api)
    const huge = 'x'.repeat(1_000_000)
    const person = { first_name: 'Ada', last_name: 'Byron' }
    const documents: unknown[] = [
      { [huge]: [] },
      { version: huge },
      { tags: [{ name: huge, color: '#00b388' }] },
      { tags: [{ name: 'Order', [huge]: 1 }] },
      { teams: [{ name: 'Sales', users: [huge] }] },
      { users: [{ email: `${huge}@example.test`, ...person }] },
      { users: [{ email: 'ada@example.test', ...person, first_name: huge }] },
      { users: [{ email: 'ada@example.test', ...person, extension: huge }] },
      { users: [{ email: 'ada@example.test', ...person, default_number: huge }] },
      { users: [huge, huge].map((email) => ({ email, ...person })) },
      { numbers: [{ digits: huge, name: 'A' }] },
      { numbers: [{ digits, name: 'A', hold_music: `https://media.example/${huge}` }] },
      { messaging: [{ digits: huge, texts: true }] },
      { messaging: huge },
      { tags: Array.from({ length: 180_000 }, () => 7) },
      { settings: deep(60) },
      { settings: deep(25) },
    ]

    for (const document of documents) {
      const answer = await apply(a.api, document)
      expect(answer.status, answer.text.slice(0, 300)).toBeGreaterThanOrEqual(400)
      expect(answer.status, answer.text.slice(0, 300)).toBeLessThan(500)
      expect(answer.text.length).toBeLessThan(1_000)
    }
    const large = await apply(a.api, { tags: [{ name: 'x'.repeat(9 * 1_048_576) }] })
    expect(large.status).toBe(413)
    expect(await read(a.api)).toEqual(before)
  })

  test('an id of another company is no name, and neither is its user', async () => {
    const { a, b } = await open()
    const stranger = (await b.api('GET', '/v2/users')).json.users[0]
    for (const name of [stranger.id, String(stranger.id), stranger.email]) {
      for (const document of [
        { teams: [{ name: 'Sales', users: [name] }] },
        { live_page: { email_users: [name] } },
        { numbers: [{ digits, name: 'A', users: [name] }] },
      ])
        expect((await apply(a.api, document)).json.troubleshoot).toContain('there is no user')
    }
    // The same address may have an account in both companies.
    const invited = { email: stranger.email, first_name: 'Same', last_name: 'Address' }
    expect((await apply(a.api, { users: [invited] })).status).toBe(200)
    expect((await b.api('GET', '/v2/users')).json.users).toEqual([stranger])
  })
})
