import { expect, test } from 'vitest'
import { basic, testApp } from '../kit/app.ts'
import { exchange, parsed, rawRequest } from './raw.ts'

/** One response of every origin: routes, /app, pages, error handlers, and refusals of the parser. */
const origins: [method: string, path: string][] = [
  ['GET', '/v1'],
  ['GET', '/v1/ping'],
  ['HEAD', '/v1/ping'],
  ['GET', '/v1/teams/99999'],
  ['POST', '/v1/teams'],
  ['PATCH', '/v1/teams'],
  ['OPTIONS', '/v1/teams'],
  ['GET', '/nothing'],
  ['GET', '/app/v1/ping'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/audio/welcome.wav'],
  ['GET', '/audio/none.wav'],
  ['GET', '/healthz'],
  ['GET', '/metrics'],
  ['GET', '/v1/%zz'],
  ['BREW', '/v1/ping'],
  ['CONNECT', 'a.test:443'],
]

test('every response forbids sniffing, framing and referrers, and reveals no version', async () => {
  const { base, a } = await testApp()
  const headers = [`Authorization: ${basic(a.apiId, a.apiToken)}`]

  for (const [method, path] of origins) {
    const { head } = await rawRequest(base, { method, path, headers })
    const what = `${method} ${path}\n${head}`
    expect(head, what).toMatch(/\r\nx-content-type-options: nosniff/i)
    expect(head, what).toMatch(/\r\nreferrer-policy: no-referrer/i)
    expect(head, what).toMatch(/\r\ncontent-security-policy: [^\r]*frame-ancestors 'none'/i)
    expect(head, what).not.toMatch(/\r\n(server|x-powered-by|via):/i)
    expect(head, what).not.toMatch(/fastify|node|express/i)
    // Plain HTTP in the sandbox: no Strict-Transport-Security.
    expect(head, what).not.toMatch(/strict-transport-security/i)
  }
})

test('no Origin, foreign, null or like ours, is ever allowed', async () => {
  const { base, a, anonymous } = await testApp()
  const lookalikes = ['https://evil.test', 'null', `${base}.evil.test`, base.replace('127.0.0.1', 'localhost'), base]

  for (const origin of lookalikes) {
    const preflight = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    for (const answer of [
      await a.api('GET', '/v1/ping', undefined, { origin }),
      await anonymous('OPTIONS', '/v1/teams', undefined, preflight),
      await anonymous('OPTIONS', '/app/v1/teams', undefined, preflight),
      await anonymous('GET', '/openapi.json', undefined, { origin }),
    ]) {
      const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'))
      expect(names, origin).toEqual([])
    }
  }
})

test('a request id of the client is kept when it is plain, and replaced when it is not', async () => {
  const { a, base, logged } = await testApp()
  const send = async (id: string) => (await a.api('GET', '/v1/ping', undefined, { 'x-request-id': id })).headers
  const idOf = (headers: Headers) => headers.get('x-request-id') ?? ''

  expect(idOf(await send('trace-1.a:b_c'))).toBe('trace-1.a:b_c')
  expect(logged()).toContain('trace-1.a:b_c')
  for (const odd of ['x'.repeat(65), 'a b', 'a"b', '<script>', 'é', '']) {
    expect(idOf(await send(odd)), odd).toMatch(/^[0-9a-f]{32}$/)
  }
  const twice = await rawRequest(base, { headers: ['X-Request-Id: one', 'X-Request-Id: two'] })
  expect(twice.head).toMatch(/\r\nx-request-id: [0-9a-f]{32}\r\n/i)
  const ids = await Promise.all(Array.from({ length: 20 }, async () => idOf(await send(''))))
  expect(new Set(ids).size).toBe(20)
})

test('CR LF in any place never makes a header of its own', async () => {
  const { base, a } = await testApp()
  const authorization = `Authorization: ${basic(a.apiId, a.apiToken)}`
  const injected = 'a%0d%0aX-Injected:%201%0d%0a%0d%0a<html>'
  const paths = [
    `/v1/teams/${injected}`,
    `/v1/users/${injected}@x`,
    `/v1/${injected}`,
    `/v1/teams?order=${injected}`,
    `/v1/teams?per_page=1&x=${injected}`,
    `/audio/${injected}`,
  ]
  for (const path of paths) {
    const { head, status } = await rawRequest(base, { path, headers: [authorization] })
    expect([200, 400, 404], path).toContain(status)
    expect(head, path).not.toMatch(/^x-injected/im)
  }
  for (const id of ['a\r\n X-Injected: 1', 'a\nX-Injected: 1', 'a\rX-Injected: 1']) {
    const bytes = `GET /v1/ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${authorization}\r\nX-Request-Id: ${id}\r\n\r\n`
    expect(parsed(await exchange(base, bytes)).head).not.toMatch(/\r\nx-injected/i)
  }
  const evilHost = `GET /v1/teams HTTP/1.1\r\nHost: a\r\n\tX-Injected: 1\r\nConnection: close\r\n${authorization}\r\n\r\n`
  expect(parsed(await exchange(base, evilHost)).head).not.toMatch(/\r\nx-injected/i)
})

test('a deprecated endpoint links to the real path of its successor', async () => {
  const { a } = await testApp()
  const { json } = await a.api('GET', '/v2/users')
  const [{ id, email }] = json.users
  const successorOf = async (path: string) => (await a.api('GET', path)).headers.get('link')

  expect(await successorOf('/v1/users')).toBe('</v2/users>; rel="successor-version"')
  expect(await successorOf(`/v1/users/${id}`)).toBe(`</v2/users/${id}>; rel="successor-version"`)
  expect(await successorOf(`/v1/users/${encodeURIComponent(email)}`)).toBe(
    `</v2/users/${encodeURIComponent(email)}>; rel="successor-version"`,
  )
  expect(await successorOf('/v1/calls/77/realtime_transcription')).toBe(
    '</v1/calls/77/transcription?mode=realtime>; rel="successor-version"',
  )
  expect((await a.own('GET', `/v1/users/${id}`)).headers.get('link')).toBe(
    `</app/v2/users/${id}>; rel="successor-version"`,
  )
})

test('the web apps can ask for an empty response instead of a 404; the public API always answers 404', async () => {
  const { a } = await testApp()
  const prefer = { prefer: 'absent=204' }
  const path = `/v1/users/${a.ownerId}/dialer_campaign`

  const empty = await a.own('GET', path, undefined, prefer)
  const plain = await a.own('GET', path)
  const open = await a.api('GET', path, undefined, prefer)
  const written = await a.own('DELETE', path, undefined, prefer)

  expect([empty.status, empty.text]).toEqual([204, ''])
  expect([plain.status, open.status, written.status]).toEqual([404, 404, 404])
})
