import { expect, test } from 'vitest'
import { basic, onAnyDatabase, signedIn, type TestApp, testApp } from '../../../../test/kit/app.ts'

/** Somebody of company A with these roles, signed in: their requests, on the /app mount. */
async function colleague({ a, app, base, anonymous }: TestApp, ...roles: string[]) {
  const email = `${roles.join('-')}@example.test`
  const body = { email, first_name: 'C', last_name: 'C', role_ids: roles }
  const { user } = (await a.api('POST', '/v2/users', body)).json
  const session = await signedIn(app, base, a.id, user.id)
  const ask = async (method: string, path: string, sent?: unknown) =>
    (await anonymous(method, `/app${path}`, sent, session)).status
  return { id: user.id as number, ask }
}

const team = { name: 'Support' }

test('without a session all requests under /app are refused, also with other credentials', async () => {
  const { a, anonymous } = await testApp()
  const wrongCookie = { ...a.session, cookie: 'hookswitch_session=guess' }
  const key = { authorization: basic(a.apiId, a.apiToken) }

  for (const headers of [{}, wrongCookie, key, { ...key, origin: a.session.origin ?? '' }]) {
    expect((await anonymous('GET', '/app/v1/teams', undefined, headers)).status).toBe(403)
    expect((await anonymous('GET', '/app/v1/company/settings', undefined, headers)).status).toBe(403)
    expect((await anonymous('POST', '/app/v1/teams', team, headers)).status).toBe(403)
  }
  expect((await a.api('GET', '/v1/teams')).json.meta.total).toBe(0)
})

test('a session cookie is no credential under /v1 and /v2', async () => {
  const { a, anonymous } = await testApp()

  expect((await anonymous('GET', '/v1/teams', undefined, a.session)).status).toBe(403)
  expect((await anonymous('GET', '/v2/users', undefined, a.session)).status).toBe(403)
  expect((await anonymous('POST', '/v1/teams', team, a.session)).status).toBe(403)
})

test('a change must come from our own pages with the token of the session', async () => {
  const { a, b, anonymous, base } = await testApp()
  const { origin: _origin, ...noOrigin } = a.session
  const { 'x-csrf-token': _token, ...noToken } = a.session
  const forged = [
    noOrigin,
    { ...a.session, origin: 'https://evil.test' },
    { ...a.session, origin: 'null' },
    { ...a.session, origin: `${base}.evil.test` },
    { ...a.session, origin: base.replace('http:', 'https:') },
    noToken,
    { ...a.session, 'x-csrf-token': '' },
    { ...a.session, 'x-csrf-token': 'guess' },
    { ...a.session, 'x-csrf-token': b.session['x-csrf-token'] ?? '' },
  ]

  for (const headers of forged) {
    const sent = JSON.stringify(headers)
    expect((await anonymous('POST', '/app/v1/teams', team, headers)).status, sent).toBe(403)
    expect((await anonymous('PUT', '/app/v1/company/settings', { name: 'X' }, headers)).status, sent).toBe(403)
    expect((await anonymous('DELETE', `/app/v1/users/${a.ownerId}`, undefined, headers)).status, sent).toBe(403)
  }
  expect((await anonymous('GET', '/app/v1/teams', undefined, noToken)).status).toBe(200)
  expect((await anonymous('POST', '/app/v1/teams', team, a.session)).status).toBe(201)
})

test('/v1 and /app return the same, and /app does not count against the rate limit', async () => {
  const { a, anonymous } = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '2' } })

  const open = await a.api('GET', '/v2/users')
  const own = []
  for (let i = 0; i < 5; i++) own.push(await anonymous('GET', '/app/v2/users', undefined, a.session))

  expect(own.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(own[0]?.json).toEqual(open.json)
  expect(open.headers.has('x-hookswitchapi-remaining')).toBe(true)
  expect(own[0]?.headers.has('x-hookswitchapi-remaining')).toBe(false)
})

onAnyDatabase('roles under /app', (open) => {
  test('an admin may do everything, a supervisor reads, an agent has no dashboard', async () => {
    const world = await open()
    const { a } = world
    const admin = await colleague(world, 'admin')
    const supervisor = await colleague(world, 'supervisor')
    const agent = await colleague(world, 'agent')
    const reads = ['/v1/company', '/v1/company/settings', '/v1/company/plan', '/v1/webhooks', '/v1/events', '/v1/live']
    const forEverybody = ['/v1/users', '/v2/users', '/v1/teams', '/v1/tags', '/v1/numbers', '/v1/contacts', '/v1/me']
    const forAdmins = ['/v1/api_keys', '/v1/mail_outbox', '/v1/audit_log']
    const changes: [method: string, path: string, body?: object][] = [
      ['POST', '/v2/users', { email: 'new@example.test', first_name: 'N', last_name: 'N' }],
      ['PUT', `/v2/users/${agent.id}`, { wrap_up_time: 5 }],
      ['PUT', `/v1/users/${agent.id}/working_hours`, { hours: {} }],
      ['POST', '/v1/teams', team],
      ['PUT', '/v1/company/settings', { name: 'Acme' }],
      ['PUT', '/v1/company/plan', { whatsapp: true }],
      ['POST', '/v1/api_keys', { name: 'Mine' }],
      ['DELETE', `/v1/users/${agent.id}`],
    ]

    for (const path of [...reads, ...forAdmins]) expect(await agent.ask('GET', path), path).toBe(403)
    for (const [method, path, body] of changes) {
      expect(await agent.ask(method, path, body), path).toBe(403)
      expect(await supervisor.ask(method, path, body), path).toBe(403)
    }
    for (const path of forEverybody) expect(await agent.ask('GET', path), path).toBe(200)
    for (const path of reads) expect(await supervisor.ask('GET', path), path).toBe(200)
    for (const path of forAdmins) expect(await supervisor.ask('GET', path), path).toBe(403)
    for (const path of [...reads, ...forAdmins]) expect(await admin.ask('GET', path), path).toBe(200)
    expect((await a.api('GET', '/v1/teams')).json.meta.total).toBe(0)
    const done = []
    for (const [method, path, body] of changes) done.push(await admin.ask(method, path, body))
    expect(done).toEqual([201, 200, 200, 201, 200, 200, 201, 204])
  })

  test('only an admin changes roles, including their own', async () => {
    const world = await open()

    for (const role of ['supervisor', 'agent']) {
      const { id, ask } = await colleague(world, role)
      expect(await ask('PUT', `/v1/users/${id}`, { role_ids: ['owner'] })).toBe(403)
      expect(await ask('PUT', `/v2/users/${world.a.ownerId}`, { role_ids: ['agent'] })).toBe(403)
    }
  })

  test('with several roles the widest counts, and a change of roles counts from the next request on', async () => {
    const world = await open()
    const { a, app, base, anonymous } = world
    const { id, ask: first } = await colleague(world, 'agent', 'supervisor')
    const again = async () => {
      const session = await signedIn(app, base, a.id, id)
      return async (method: string, path: string, sent?: unknown) =>
        (await anonymous(method, `/app${path}`, sent, session)).status
    }
    const tries = async (ask: typeof first, name: string) => [
      await ask('GET', '/v1/company'),
      await ask('POST', '/v1/teams', { name }),
    ]

    const before = await tries(first, 'A')
    await a.api('PUT', `/v1/users/${id}`, { role_ids: ['supervisor', 'agent', 'agent'] })
    const unchanged = await tries(first, 'B')
    await a.api('PUT', `/v1/users/${id}`, { role_ids: ['agent', 'admin'] })
    const ended = await tries(first, 'C')
    const second = await again()
    const promoted = await tries(second, 'D')
    await a.api('PUT', `/v1/users/${id}`, { role_ids: ['agent'] })
    const demoted = [await tries(second, 'E'), await tries(await again(), 'F')]

    expect([before, unchanged, ended, promoted, ...demoted]).toEqual([
      [200, 403],
      [200, 403],
      [403, 403],
      [200, 201],
      [403, 403],
      [403, 403],
    ])
  })

  test('the session of a deleted user is invalid, and no session reaches another company', async () => {
    const world = await open()
    const { a, b } = world
    const { id, ask } = await colleague(world, 'admin')

    expect(await ask('GET', `/v1/users/${b.ownerId}`)).toBe(404)
    expect(await ask('PUT', `/v1/users/${b.ownerId}`, { first_name: 'Mine' })).toBe(404)
    await a.api('DELETE', `/v1/users/${id}`)
    expect(await ask('GET', '/v1/teams')).toBe(403)
  })
})
