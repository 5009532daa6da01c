import { expect, test } from 'vitest'
import { connectUser } from '../../src/features/accounts/presence/actions.ts'
import { exchange, expectError, opened, parsed } from '../http/raw.ts'
import { basic, onAnyDatabase, testApp } from '../kit/app.ts'
import { freePort } from '../kit/databases.ts'
import { addUser } from '../kit/flows.ts'
import { openPhone, refusal } from './phone-app.ts'

// Who may open a socket, decided before the upgrade.

onAnyDatabase('opening the socket', (open) => {
  test('connects the user and sends hello', async () => {
    const world = await open()
    const { a } = world
    const ada = await addUser(a, 'Ada')
    // Events not yet in the log would be new to the phone, too.
    await world.settle()

    const phone = await openPhone(world, { userId: ada.email, query: { session: 'tab-1' } })
    const hello = await phone.first('hello')

    expect(hello).toEqual({
      type: 'hello',
      session: 'tab-1',
      user_id: ada.id,
      position: expect.any(Number),
      presence: expect.any(String),
      ice_servers: [],
      voice: 'simulated',
      emergency: false,
      now: expect.any(Number),
      calls: [],
    })
    await world.settle()
    expect((await world.events(a)).map(({ name }) => name).slice(-2)).toEqual(['user.connected', 'user.connected.v2'])
    const received = await phone.until((all) => all.filter(({ type }) => type === 'event').length === 2)
    expect(received.filter(({ type }) => type === 'event').map(({ name, data }) => [name, data.id])).toEqual([
      ['user.connected', ada.id],
      ['user.connected.v2', ada.id],
    ])
  })
})

test('credentials come first, and a user of the company is named', async () => {
  const world = await testApp()
  const { a, b } = world
  const stranger = await addUser(b, 'Eve')

  expectError(await refusal(world, { headers: { authorization: '' } }), 403, 'no credentials')
  expectError(await refusal(world, { headers: { authorization: basic(a.apiId, 'wrong') } }), 403, 'a wrong token')
  expectError(await refusal(world, { headers: { authorization: '', cookie: a.session.cookie ?? '' } }), 403, 'a cookie')
  expectError(await refusal(world, { userId: '' }), 422, 'nobody')
  for (const userId of [stranger.id, stranger.email, 99_999_999, 'x', '-1', '1e3', 'nobody@example.test']) {
    expectError(await refusal(world, { userId }), 404, String(userId))
  }
  for (const after of ['x', '-1', '1e3', '1.5', '9999999999999999', '']) {
    expectError(await refusal(world, { query: { after } }), 400, `after ${after}`)
  }
  expectError(await refusal(world, { headers: { 'last-event-id': 'x' } }), 400)
  for (const session of ['', 'a b', 'é', 'x'.repeat(65)]) {
    expectError(await refusal(world, { query: { session } }), 400, `session ${session}`)
  }
  expect(await world.db.selectFrom('phone_session').select('id').execute()).toEqual([])
})

test('a token in the URL is ignored, even a valid one', async () => {
  const world = await testApp()

  for (const field of ['token', 'access_token', 'api_token']) {
    expectError(await refusal(world, { query: { [field]: world.a.apiToken } }), 403, field)
  }
})

test('another site cannot open a socket', async () => {
  const world = await testApp()

  for (const origin of ['https://evil.example', 'null', `${world.base}.evil.example`, '']) {
    expectError(await refusal(world, { headers: { origin } }), 403, origin)
  }
  const phone = await openPhone(world, { headers: { origin: world.app.services.links.api } })
  expect(phone.received[0].type).toBe('hello')
})

test('production accepts no API key here', async () => {
  const env = {
    HOOKSWITCH_MODE: 'production',
    PUBLIC_URL: 'https://phone.example.test',
    ADMIN_PORT: String(await freePort()),
    TRUSTED_PROXIES: '127.0.0.1',
  }
  const world = await testApp({ env })

  expectError(await refusal(world, { headers: { 'x-forwarded-proto': 'https' } }), 403)
  expectError(await refusal(world), 403, 'plain HTTP')
})

test('an invalid handshake is rejected in the error format', async () => {
  const { base, a } = await testApp()
  const key = basic(a.apiId, a.apiToken)
  const upgradeWith = (...headers: string[]) => {
    const lines = [`GET /live?user_id=${a.ownerId} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${key}`, ...headers]
    return exchange(base, `${lines.join('\r\n')}\r\n\r\n`).then(parsed)
  }
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']

  expectError(await a.api('GET', `/live?user_id=${a.ownerId}`), 400, 'no upgrade')
  expectError(await upgradeWith(...upgrade), 400, 'no version')
  expectError(await upgradeWith(...upgrade, 'Sec-WebSocket-Version: 13'), 400, 'no key')
  expectError(
    await upgradeWith(...upgrade, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: short'),
    400,
    'a short key',
  )
  expectError(
    await upgradeWith(...upgrade, 'Sec-WebSocket-Version: 8', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='),
    400,
    'an old version',
  )
  expectError(await a.api('POST', '/live', {}), 404, 'another verb')
})

test('an offer of another protocol with an ordinary request is ignored', async () => {
  const { base, a } = await testApp()
  const body = JSON.stringify({ name: 'Upgraders' })
  const always = ['Host: 127.0.0.1', `Authorization: ${basic(a.apiId, a.apiToken)}`]
  const h2c = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']
  const text = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
  const socket = await opened(base)
  let responses = ''
  const answers = (wanted: number) =>
    new Promise<void>((resolve) => {
      const look = () => responses.split('HTTP/1.1 ').length > wanted && responses.endsWith('}') && resolve()
      socket.on('data', look)
    })
  socket.on('data', (chunk) => {
    responses += chunk
  })

  socket.write(text('GET /v1/ping HTTP/1.1', ...always, ...h2c))
  await answers(1)
  const post = ['POST /v1/teams HTTP/1.1', ...always, ...h2c, 'Content-Type: application/json']
  socket.write(text(...post, `Content-Length: ${body.length}`) + body.slice(0, 5))
  socket.write(body.slice(5))
  await answers(2)
  socket.write(text('GET /v1/teams HTTP/1.1', ...always, 'Upgrade: websocket', 'Connection: close, upgrade'))
  await answers(3)

  expect(responses.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 201', 'HTTP/1.1 200'])
  expect(responses.match(/"name":"Upgraders"/g)).toHaveLength(2)
})

test('an upgrade pipelined behind another request is refused without side effects', async () => {
  const { base, a } = await testApp()
  const always = `Host: 127.0.0.1\r\nAuthorization: ${basic(a.apiId, a.apiToken)}\r\n`
  const handshake =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

  const responses = await exchange(
    base,
    `GET /v1/teams HTTP/1.1\r\n${always}\r\nGET /live?user_id=${a.ownerId} HTTP/1.1\r\n${always}${handshake}\r\n`,
  )

  expect(responses).not.toContain('101 Switching Protocols')
  expect((await a.api('GET', '/v1/ping')).status).toBe(200)
})

test('a session of the sandbox is not taken over', async () => {
  const world = await testApp()
  const { a, app, clock, db } = world
  const session = {
    id: 'one',
    userId: a.ownerId,
    name: 'default',
    kind: 'sandbox',
    owner: '',
    at: clock.now(),
  } as const
  await connectUser(app.services, a.id, session)

  await expect(openPhone(world, { query: { session: 'default' } })).rejects.toThrow('ended')

  expect(await db.selectFrom('phone_session').select(['name', 'kind']).execute()).toEqual([
    { name: 'default', kind: 'sandbox' },
  ])
})

test('a user has at most ten phone apps open, and the same session again is not one more', async () => {
  const world = await testApp()
  const phones = []
  for (let i = 0; i < 10; i++) phones.push(await openPhone(world, { query: { session: `tab-${i}` } }))

  expectError(await refusal(world, { query: { session: 'one-more' } }), 429)
  const again = await openPhone(world, { query: { session: 'tab-3' } })

  expect((await phones[3]?.over)?.code).toBe(4001)
  expect(again.received[0]).toMatchObject({ type: 'hello', session: 'tab-3' })
})
