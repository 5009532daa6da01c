import { expect, test } from 'vitest'
import { basic, testApp } from '../kit/app.ts'
import { exchange, expectError, opened, parsed, rawRequest, untilClosed } from './raw.ts'

const head = (line: string, ...headers: string[]) => `${[line, 'Host: a.test', ...headers].join('\r\n')}\r\n\r\n`

test('a URL and headers over 16 KiB are 431 in the error format', async () => {
  const { base } = await testApp()

  expectError(parsed(await exchange(base, head(`GET /v1/users?tags=${'1,'.repeat(9_000)} HTTP/1.1`))), 431)
  expectError(parsed(await exchange(base, head('GET /v1/ping HTTP/1.1', `X-Long: ${'x'.repeat(17_000)}`))), 431)
})

test('very many keys or roles are 400, and unknown parameters are ignored', async () => {
  const { a } = await testApp()
  const manyKeys = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${i}`, 1]))
  const person = { email: 'many@example.test', first_name: 'A', last_name: 'B' }

  expectError(await a.api('POST', '/v1/teams', manyKeys), 400)
  expectError(await a.api('POST', '/v2/users', { ...person, role_ids: Array(100_000).fill('agent') }), 400)
  expectError(await a.api('POST', '/v2/users', { ...person, role_ids: [] }), 400)
  expect((await a.api('GET', `/v1/teams?${'x=1&'.repeat(3_000)}`)).status).toBe(200)
})

test('slow headers, a slow body and idle sockets are closed, and others are served meanwhile', async () => {
  const { base, a } = await testApp({ requestTimeoutMs: 300 })
  const slow = [
    'GET /v1/ping HTTP/1.1\r\nHost: a.test\r\nX-Slow: ',
    `POST /v1/teams HTTP/1.1\r\nHost: a.test\r\nAuthorization: ${basic(a.apiId, a.apiToken)}\r\nContent-Length: 50\r\n\r\n{`,
    '',
  ]
  const sockets = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const socket = await opened(base)
      socket.write(slow[i % slow.length] ?? '')
      return untilClosed(socket)
    }),
  )

  const served = await Promise.all(Array.from({ length: 20 }, () => a.api('GET', '/v1/ping')))
  const responses = await Promise.all(sockets)

  expect(served.every(({ status }) => status === 200)).toBe(true)
  // An idle socket may be closed silently; a client with an incomplete request gets a response.
  for (const [i, text] of responses.entries()) if (i % slow.length !== 2) expectError(parsed(text), 408, slow[i % 3])
  expect((await a.api('GET', '/v1/teams')).json.meta.total).toBe(0)
})

test('strange methods and paths are refused in the error format', async () => {
  const { base, a } = await testApp()
  const authorization = `Authorization: ${basic(a.apiId, a.apiToken)}`
  const ask = (method: string, path: string, ...headers: string[]) =>
    rawRequest(base, { method, path, headers: [authorization, ...headers] })
  const expected: [method: string, path: string, ...statuses: number[]][] = [
    ['TRACE', '/v1/ping', 405],
    ['CONNECT', 'example.test:443', 405],
    ['CONNECT', '/v1/ping', 400, 405],
    ['PROPFIND', '/v1/ping', 405],
    ['QUERY', '/v1/ping', 400, 405],
    ['BREW', '/v1/ping', 400],
    ['get', '/v1/ping', 400],
    ['GET', '/v1/../admin', 404],
    ['GET', '/v1/%2e%2e/admin', 404],
    ['GET', '//v1/ping', 404],
    ['GET', '/v1//ping', 404],
    ['GET', '/v1/ping%00', 404],
    ['GET', '/v1/ping%', 400],
    ['GET', '/v1/%zz', 400],
    ['GET', '/v1/teams/%zz', 400],
    ['GET', '/v1/teams/%ff', 400],
    ['GET', '/V1/ping', 404],
    ['GET', '/v1/PING', 404],
    ['GET', '/v1/ping;a=b', 404],
    ['GET', '/v1/ping/..;/teams', 404],
    ['GET', '/v1/ping\\..\\teams', 404],
    ['GET', '*', 404],
    ['OPTIONS', '*', 404, 405],
    ['GET', 'v1/ping', 400, 404],
  ]

  for (const [method, path, ...statuses] of expected) {
    const answer = await ask(method, path)
    expect(statuses, `${method} ${path}`).toContain(answer.status)
    expectError(answer, answer.status, `${method} ${path}`)
    if (answer.status === 405) expect(answer.head).toMatch(/\r\nallow: GET/i)
  }
  for (const header of ['X-HTTP-Method-Override: DELETE', 'X-Method-Override: DELETE', 'X-HTTP-Method: DELETE']) {
    expect((await ask('GET', '/v1/teams', header)).status, header).toBe(200)
  }
})

test('a request that could be read as two is 400, and the connection is closed', async () => {
  const { base, a } = await testApp()
  const authorization = `Authorization: ${basic(a.apiId, a.apiToken)}`
  const post = (...headers: string[]) => head('POST /v1/teams HTTP/1.1', authorization, ...headers)
  const smuggled = `0\r\n\r\nGET /v1/ping HTTP/1.1\r\nHost: a.test\r\n${authorization}\r\nX: x`
  const attacks = [
    `${post('Content-Length: 6', 'Transfer-Encoding: chunked')}${smuggled}`,
    `${post('Transfer-Encoding: chunked', 'Content-Length: 6')}${smuggled}`,
    `${post('Content-Length: 5', 'Content-Length: 6')}${smuggled}`,
    `${post('Content-Length: 5, 5')}${smuggled}`,
    `${post('Content-Length: +5')}${smuggled}`,
    `${post('Content-Length: -1')}${smuggled}`,
    `${post('Content-Length: 0x5')}${smuggled}`,
    `${post('Transfer-Encoding: xchunked')}${smuggled}`,
    `${post('Transfer-Encoding: chunked, identity')}${smuggled}`,
    `${post('Transfer-Encoding: identity', 'Transfer-Encoding: chunked')}${smuggled}`,
    `${post('Transfer-Encoding : chunked')}${smuggled}`,
    `${post('Transfer-Encoding:\x0bchunked')}${smuggled}`,
    `${post('Transfer-Encoding: chunked\n X: y')}${smuggled}`,
    `${post('Transfer-Encoding: chunked')}5;\nxx\r\n{"a"}\r\n${smuggled}`,
    `${post('Transfer-Encoding: chunked')}ffffffffffffffff1\r\n${smuggled}`,
    `GET /v1/ping HTTP/1.1\nHost: a.test\n${authorization}\n\n`,
    `GET /v1/ping HTTP/1.1\r\nHost: a.test\r\n${authorization}\r\nX: a\rY: b\r\n\r\n`,
    `GET /v1/ping HTTP/1.1\r\n Host: a.test\r\n\r\n`,
    `${post('Host: b.test')}`,
    `GET /v1/ping HTTP/9.9\r\nHost: a.test\r\n\r\n`,
    `GET /v1/ping HTTP/1.1\r\nHost: a.test\r\nX\0Y: z\r\n\r\n`,
  ]

  for (const attack of attacks) {
    const responses = await exchange(base, attack)
    const refused = parsed(responses)
    expect(refused.status, `${attack}\n→ ${responses}`).toBe(400)
    expect(responses.match(/HTTP\/1\.1 /g), attack).toHaveLength(1)
    expectError(refused, 400, attack)
  }
  expect((await a.api('GET', '/v1/teams')).json.meta.total).toBe(0)
})

test('a request without Host, or with an unknown expectation, is refused in the error format', async () => {
  const { base } = await testApp()

  expectError(parsed(await exchange(base, 'GET /v1/ping HTTP/1.1\r\nConnection: close\r\n\r\n')), 400)
  const strange = await exchange(base, head('GET /v1/ping HTTP/1.1', 'Expect: a-miracle', 'Connection: close'))
  expect(parsed(strange).json).toMatchObject({ success: false })
})

test('a request in progress during shutdown is answered with Connection: close', async () => {
  const { base, a, app } = await testApp()
  const lines = ['Content-Type: application/json', 'Content-Length: 16', 'Expect: 100-continue']
  const socket = await opened(base)
  const responses = untilClosed(socket)
  socket.write(head('POST /v1/teams HTTP/1.1', `Authorization: ${basic(a.apiId, a.apiToken)}`, ...lines))
  await new Promise((resolve) => socket.once('data', resolve))

  const stopped = app.http.close()
  socket.write(`{"name":"Early"}${head('GET /v1/ping HTTP/1.1', 'Connection: close')}`)
  const [, early = '', late] = (await responses).split(/(?=HTTP\/1\.1 )/)
  await stopped

  expect(parsed(early).status).toBe(201)
  expect(early).toMatch(/\r\nconnection: close\r\n/i)
  expect(late).toBeUndefined()
})

test('a request that is incomplete when the server stops is 503 in the error format', async () => {
  const { base, app } = await testApp()
  const socket = await opened(base)
  const responses = untilClosed(socket)
  await new Promise<void>((resolve) => socket.write('GET /v1/ping HTTP/1.1\r\nHost: x\r\n', () => resolve()))
  // The server has read the beginning once it has answered a later client.
  await fetch(`${base}/healthz`)

  const stopped = app.http.close()
  socket.write('Connection: close\r\n\r\n')
  const late = await responses
  await stopped

  expectError(parsed(late), 503)
  expect(late).toMatch(/\r\nretry-after: 2\r\n/i)
})
