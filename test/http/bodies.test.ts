import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { basic, type TestApp, testApp } from '../kit/app.ts'
import { expectError, rawRequest } from './raw.ts'

const limit = 1_048_576

/** Creates a team with raw bytes and headers; 422 means that the body was read and has no name. */
function sender({ base, a }: TestApp) {
  return (body: string | Buffer, ...headers: string[]) =>
    rawRequest(base, {
      method: 'POST',
      path: '/v1/teams',
      headers: [`Authorization: ${basic(a.apiId, a.apiToken)}`, ...headers],
      body,
    })
}

const json = 'Content-Type: application/json'

test('no body, {} and [] all mean "no fields"', async () => {
  const send = sender(await testApp())

  for (const body of ['', '{}', '[]', ' {} ', '\n[ ]\n']) {
    expectError(await send(body), 422, body)
    expectError(await send(body, json), 422, body)
  }
})

test('JSON other than an object, and invalid JSON, is 400', async () => {
  const send = sender(await testApp())

  for (const body of ['null', '"x"', '7', 'true', '[1]', '[[]]', '[{"name":"x"}]']) {
    expectError(await send(body, json), 400, body)
  }
  for (const body of ['{', '{"name":"x"', "{'name':'x'}", '{"name":"x",}', '{}{}', 'name=x', '\0', ' ', '{"a":01}']) {
    expectError(await send(body, json), 400, body)
  }
  expectError(await send(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), json), 400, 'not UTF-8')
})

test('a byte order mark before JSON causes no 5xx', async () => {
  const send = sender(await testApp())

  const answer = await send('\ufeff{"name":"BOM"}', json)

  expect([201, 400]).toContain(answer.status)
})

test('JSON is assumed without a Content-Type, and every +json type is JSON', async () => {
  const send = sender(await testApp())
  const types = [
    [],
    [json],
    ['Content-Type: application/json; charset=utf-8'],
    ['Content-Type: APPLICATION/JSON'],
    ['Content-Type: application/json;charset="utf-8"'],
    ['Content-Type: application/vnd.api+json'],
    ['Content-Type: application/merge-patch+json; charset=utf-8'],
  ]

  for (const [i, headers] of types.entries()) {
    expect((await send(`{"name":"Team ${i}"}`, ...headers)).status, headers[0] ?? 'none').toBe(201)
  }
})

test('another Content-Type with a body is 400 and names the expected one; without a body it does not matter', async () => {
  const send = sender(await testApp())
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'application/jsonp',
    'application/xml',
    'image/json+png',
    'json',
    '/',
    'application/',
    'a b/c d',
  ]

  for (const type of types) {
    const answer = await send('{"name":"x"}', `Content-Type: ${type}`)
    expectError(answer, 400, type)
    expect(answer.json.troubleshoot, type).toContain('application/json')
    expectError(await send('', `Content-Type: ${type}`), 422, `${type}, empty`)
  }
})

test('with STRICT_CONTENT_TYPE=1 a missing Content-Type is 400 on POST, PUT and DELETE, but not on GET', async () => {
  const app = await testApp({ env: { STRICT_CONTENT_TYPE: '1' } })
  const send = sender(app)
  const { team } = (await app.a.api('POST', '/v1/teams', { name: 'Strict' })).json
  const headers = [`Authorization: ${basic(app.a.apiId, app.a.apiToken)}`]
  const on = (method: string, path: string) => rawRequest(app.base, { method, path, headers })

  expectError(await send('{"name":"x"}'), 400)
  expectError(await send(''), 400)
  expect((await send('{"name":"x"}', json)).status).toBe(201)
  expectError(await on('DELETE', `/v1/teams/${team.id}`), 400)
  expectError(await on('PUT', `/v1/users/${app.a.ownerId}`), 400)
  expect((await on('GET', '/v1/teams')).status).toBe(200)
  expect((await on('HEAD', '/v1/teams')).status).toBe(200)
})

test('a JSON object in the body of a GET is read as parameters when the query string has none', async () => {
  const { base, a } = await testApp()
  const headers = [`Authorization: ${basic(a.apiId, a.apiToken)}`]
  const tag = (await a.api('POST', '/v1/tags', { name: 'vip', color: '#fff' })).json.tag.id
  for (const value of ['+33199000001', '+33199000002', '+33199000001']) {
    await a.api('POST', '/v1/contacts', { phone_numbers: [{ label: 'Work', value }] })
  }
  const get = (path: string, body: unknown, type = json) =>
    rawRequest(base, { path, headers: [...headers, type], body: JSON.stringify(body) })

  const first = await get('/v1/contacts/search', {
    phone_number: '+33199000001',
    per_page: 1,
    order: 'desc',
    ignored: {},
  })
  expect(first.json.meta).toMatchObject({ count: 1, total: 2, per_page: 1 })
  // The link contains the parameters of the body, so it leads to the same list.
  const second = await a.api('GET', first.json.meta.next_page_link)
  expect(second.json.meta).toMatchObject({ count: 1, total: 2, current_page: 2, next_page_link: null })
  expect(
    (await get('/v1/contacts/search', { phone_number: '+33199000002' }, 'Content-Type: text/plain')).json.meta.total,
  ).toBe(1)
  expect((await get('/v1/calls/search', { tags: [tag], fetch_contact: true })).json.meta.total).toBe(0)

  expect((await get('/v1/contacts/search?order=asc', { phone_number: '+33199000001' })).json.meta.total).toBe(3)
  expect((await get('/v1/contacts', { per_page: 51 })).status).toBe(400)
  expect((await get('/v1/contacts', { per_page: '2' })).json.meta.per_page).toBe(2)
  expect((await get('/v1/contacts', { phone_number: null })).json.meta.total).toBe(3)
})

test('any other body on GET is ignored, even when it is malformed', async () => {
  const { base, a } = await testApp()
  const headers = [`Authorization: ${basic(a.apiId, a.apiToken)}`]

  for (const [body, type] of [
    ['{', json],
    ['[1]', json],
    ['a=b', 'Content-Type: text/plain'],
    ['{', 'Content-Encoding: gzip'],
    ['per_page=51', 'Content-Type: application/x-www-form-urlencoded'],
    ['', json],
  ] as const) {
    const answer = await rawRequest(base, { path: '/v1/teams', headers: [...headers, type], body })
    expect(answer.status, body).toBe(200)
  }
})

test('a compressed body is refused and not inflated', async () => {
  const send = sender(await testApp())
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))

  expectError(await send(gzipSync('{"name":"x"}'), json, 'Content-Encoding: gzip'), 400)
  expectError(await send(bomb, json, 'Content-Encoding: gzip'), 400)
  for (const encoding of ['br', 'deflate', 'zstd', 'GZIP', 'gzip, gzip']) {
    expectError(await send('{"name":"x"}', json, `Content-Encoding: ${encoding}`), 400, encoding)
  }
  expect((await send('{"name":"plain"}', json, 'Content-Encoding: identity')).status).toBe(201)
})

test('a body of exactly 1 MiB is read, one byte more is 413', async () => {
  const send = sender(await testApp())
  const sized = (bytes: number) => `{"name":"Fits","padding":"${'x'.repeat(bytes - 28)}"}`.padEnd(bytes)

  expect(Buffer.byteLength(sized(limit))).toBe(limit)
  expect((await send(sized(limit), json)).status).toBe(201)
  expectError(await send(sized(limit + 1), json), 413)
  expectError(await send(sized(3 * limit), 'Content-Type: text/plain'), 413)
})

test('a chunked body is measured as it comes', async () => {
  const { base, a } = await testApp()
  const chunked = (bytes: number) => {
    const body = `{"name":"Chunked","padding":"${'x'.repeat(bytes - 31)}"}`.padEnd(bytes)
    return rawRequest(base, {
      method: 'POST',
      path: '/v1/teams',
      headers: [`Authorization: ${basic(a.apiId, a.apiToken)}`, json, 'Transfer-Encoding: chunked'],
      body: `${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      bare: true,
    })
  }

  expect((await chunked(limit)).status).toBe(201)
  expectError(await chunked(limit + 1), 413)
})

test('a client that announces a far too large body gets 413 without sending it', async () => {
  const { base, a } = await testApp()

  const answer = await rawRequest(base, {
    method: 'POST',
    path: '/v1/teams',
    headers: [`Authorization: ${basic(a.apiId, a.apiToken)}`, json, 'Content-Length: 99999999999'],
    bare: true,
  })

  expectError(answer, 413)
})

test('a client that disconnects during its request is not logged as a failure', async () => {
  const { base, a, logged } = await testApp({ requestTimeoutMs: 500 })
  const half = rawRequest(base, {
    method: 'POST',
    path: '/v1/teams',
    headers: [`Authorization: ${basic(a.apiId, a.apiToken)}`, json, 'Content-Length: 100'],
    body: '{"name":',
    bare: true,
  })

  await half
  expect((await a.api('GET', '/v1/teams')).json.meta.total).toBe(0)
  expect(logged()).not.toContain('request failed')
})

test('32 levels of nesting are read, 33 are 400, and very deep ones cost nothing', async () => {
  const send = sender(await testApp())
  // The body itself is the first level.
  const nested = (levels: number, name: string) =>
    `{"name":"${name}","deep":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

  expect((await send(nested(32, 'Deep'), json)).status).toBe(201)
  expectError(await send(nested(33, 'Deeper'), json), 400)
  expectError(await send(nested(200_000, 'Deepest'), json), 400)
  expectError(await send(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, json), 400)
})

test('read-only fields and __proto__ are ignored', async () => {
  const { a } = await testApp()
  const body =
    '{"name":"Owned","id":1,"company_id":99,"created_at":"x","direct_link":"x","users":[1],"role":"owner",' +
    '"__proto__":{"name":"polluted","admin":true},"constructor":{"prototype":{"admin":true}}}'

  const made = await a.api('POST', '/v1/teams', body)

  expect(made.status).toBe(201)
  expect(made.json.team).toMatchObject({ name: 'Owned', users: [] })
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
  expectError(await a.api('POST', '/v1/teams', '{"__proto__":{"name":"Inherited"}}'), 422)
})

test('a strict server rejects a Content-Type other than JSON even without a body', async () => {
  const { a } = await testApp({ env: { STRICT_CONTENT_TYPE: '1' } })
  const { tag } = (await a.api('POST', '/v1/tags', { name: 'Order', color: '#fff' })).json

  const wrong = await a.api('DELETE', `/v1/tags/${tag.id}`, undefined, { 'content-type': 'text/plain' })
  const right = await a.api('DELETE', `/v1/tags/${tag.id}`, undefined, { 'content-type': 'application/json' })

  expect([wrong.status, right.status]).toEqual([400, 204])
})
