import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { basic, onAnyDatabase, type TestApp } from '../kit/app.ts'
import { expectError } from './raw.ts'

const canary = {
  email: 'canary-mail@example.test',
  first: 'Canaryfirst',
  last: 'Canarylast',
  phone: '+33699887766',
  text: 'canary text that must not be logged',
  wrong: 'canary-wrong-token',
  search: 'canary-search@example.test',
}

/** Typical use of the product, with successful and failing requests. */
async function liveThrough({ a, as, anonymous }: TestApp): Promise<string[]> {
  const person = { email: canary.email, first_name: canary.first, last_name: canary.last }
  const contact = {
    first_name: canary.first,
    information: canary.text,
    phone_numbers: [{ label: canary.text, value: canary.phone }],
    emails: [{ label: 'x', value: canary.email }],
  }
  const answers = [
    await a.api('POST', '/v2/users', person),
    await a.api('POST', '/v2/users', person),
    await a.api('POST', '/v2/users', { ...person, role_ids: [canary.text] }),
    await a.api('GET', `/v2/users/${encodeURIComponent(canary.email)}`),
    await a.api('DELETE', `/v1/users/${encodeURIComponent(canary.email)}`),
    await a.api('GET', `/v2/users/${encodeURIComponent(canary.email)}`),
    await a.api('POST', '/v1/contacts', contact),
    await a.api('POST', '/v1/contacts', { ...contact, phone_numbers: canary.phone }),
    await a.api('POST', '/v1/contacts', { ...contact, emails: [{ label: 'x', value: canary.text }] }),
    await a.api('GET', `/v1/contacts/search?email=${canary.search}&phone_number=${canary.phone}`),
    await a.api('GET', `/v1/contacts/search?email=${canary.search}&order=up`),
    await a.api('POST', '/v1/webhooks', { url: `https://${canary.first}.test/`, custom_name: canary.text }),
    await a.api('POST', '/v1/webhooks', { url: `ftp://${canary.email}` }),
    await a.own('POST', '/v1/numbers', { digits: canary.phone, name: canary.text }),
    await a.own('POST', '/v1/numbers', { digits: canary.phone, name: canary.text }),
    await a.own('POST', '/v1/api_keys', { name: canary.text }),
    await as(basic(a.apiId, canary.wrong))('GET', '/v1/ping'),
    await as(`Bearer ${canary.wrong}`)('GET', '/v1/ping'),
    await anonymous('GET', `/v1/${canary.text}`),
    await anonymous('GET', `/v1/ping?token=${canary.wrong}`),
    await a.api('POST', '/v1/teams', `{"name":"${canary.text}`),
    await a.api('GET', '/v1/ping', undefined, { 'x-request-id': canary.text }),
  ]
  // Errors must not repeat client input, except event names, which are tested elsewhere.
  return answers.filter(({ status }) => status >= 400).map(({ text }) => text)
}

onAnyDatabase('secrets', (open) => {
  test('names, numbers, texts and tokens appear in no log line, no metric and no error', async () => {
    const app = await open()

    const errors = await liveThrough(app)
    await app.app.settle()

    const { text: metrics } = await app.anonymous('GET', '/metrics')
    const { cookie = '', 'x-csrf-token': csrf = '' } = app.a.session
    const tokens = [app.a.apiToken, app.b.apiToken, cookie.split('=')[1] ?? '', csrf]
    expect(errors.length).toBeGreaterThan(8)
    expect(app.logged()).toContain('request completed')
    for (const word of [...Object.values(canary), ...tokens, canary.phone.slice(1), '99887766']) {
      expect(word).not.toBe('')
      expect(app.logged().toLowerCase(), `log: ${word}`).not.toContain(word.toLowerCase())
      expect(metrics.toLowerCase(), `metrics: ${word}`).not.toContain(word.toLowerCase())
      for (const error of errors) expect(error.toLowerCase(), `error: ${word}`).not.toContain(word.toLowerCase())
    }
  })

  test('metric labels identify no company or person', async () => {
    const app = await open()
    await liveThrough(app)
    await app.b.api('GET', '/v1/ping')

    const { text } = await app.anonymous('GET', '/metrics')

    const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map(([, name = '']) => name))
    const known = [
      'method',
      'route',
      'status',
      'le',
      'kind',
      'outcome',
      'option',
      'quantile',
      'type',
      'space',
      'lane',
      'result',
      'reason',
      'state',
      'app',
      'class',
      'direction',
      'party',
      'queue',
      'rule',
      'trunk',
    ]
    expect([...labels].filter((label) => ![...known, 'version', 'major', 'minor', 'patch'].includes(label))).toEqual([])
    const paths = [...text.matchAll(/route="([^"]*)"/g)].map(([, route = '']) => route)
    expect(paths.filter((route) => /\d{2,}|@|%/.test(route))).toEqual([])
    expect(text).toContain('route="/v2/users/:id"')
  })

  test('the token of a key, a session and its CSRF token are not stored in plain text', async () => {
    const app = await open()
    const { a, dataDir, db } = app
    const made = (await a.own('POST', '/v1/api_keys', {})).json.api_key
    const { cookie = '', 'x-csrf-token': csrf = '' } = a.session
    const secrets = [a.apiToken, made.api_token, cookie.split('=')[1] ?? '', csrf]
    await app.app.settle()

    const dump = await everything(app)
    const files = await readdir(dataDir, { recursive: true, withFileTypes: true })
    for (const file of files.filter((entry) => entry.isFile())) {
      const bytes = await readFile(path.join(file.parentPath, file.name))
      for (const secret of secrets) expect(bytes.includes(secret), file.name).toBe(false)
    }
    for (const secret of secrets) expect(dump).not.toContain(secret)
    expect(dump).toContain(a.apiId)
    // The invitation link is in an e-mail, which is encrypted.
    expect(dump).not.toMatch(/https?:\/\/[^"]*invit/)
    expect(await db.selectFrom('mail').select('id').execute()).not.toEqual([])
  })

  test('an internal error reveals only the request id to the client, and is logged in full', async () => {
    const { a, db, logged } = await open()
    await sql`alter table tag rename to gone`.execute(db)

    const answer = await a.api('GET', '/v1/tags')

    expect(answer.status).toBe(500)
    expect(answer.json).toMatchObject({ error: 'Internal Server Error', success: false })
    expect(answer.text).not.toMatch(/tag|select|relation|sqlite|postgres|kysely|node_modules|\.ts|at /i)
    expect(answer.headers.get('x-hookswitchapi-remaining')).not.toBeNull()
    expect(logged()).toContain(answer.headers.get('x-request-id'))
    expectError(await a.api('GET', '/v1/teams/999'), 404)
  })
})

async function everything({ db, dataDir: _ }: TestApp): Promise<string> {
  const tables = await db.introspection.getTables()
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)))
  expect(tables.length).toBeGreaterThan(20)
  return JSON.stringify(rows.map((result) => result.rows))
}
