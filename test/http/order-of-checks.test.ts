import { expect, test } from 'vitest'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { nextMinute } from '../kit/clocks.ts'
import { expectError, rawRequest } from './raw.ts'

// Path and method, credentials, rate limit, company state, resource, body and query, state of the resource: each stage
// is tested by a request that is wrong in this stage and in every later one.

const tooLarge = `{"name":"${'x'.repeat(1_048_576)}"}`

onAnyDatabase('the order of checks', (open) => {
  test('an unknown path and a wrong method are reported before credentials are checked', async () => {
    const { anonymous, as, a } = await open()

    for (const client of [anonymous, as('Basic nonsense'), a.api]) {
      expectError(await client('GET', '/v1/nothing'), 404)
      const wrongVerb = await client('POST', '/v1/teams/1', 'not json')
      expectError(wrongVerb, 405)
      expect(wrongVerb.headers.get('allow')).toBe('GET, DELETE, HEAD')
    }
  })

  test('credentials come before the rate, the object and the body', async () => {
    const { as, a, b, clock } = await open({ env: { RATE_LIMIT_PER_MINUTE: '1' } })
    nextMinute(clock)
    await a.api('GET', '/v1/ping')

    const wrong = await as(`Basic ${btoa(`${a.apiId}:${b.apiToken}`)}`)('PUT', '/v1/users/99999', '{')

    expectError(wrong, 403)
    expect(wrong.headers.get('x-hookswitchapi-remaining')).toBeNull()
  })

  test('the rate comes before the state of the company, and that before the object', async () => {
    const { a, db, clock } = await open({ env: { RATE_LIMIT_PER_MINUTE: '2' } })
    nextMinute(clock)
    await db.updateTable('company').set({ active: 0 }).where('id', '=', a.id).execute()

    const first = await a.api('PUT', '/v1/users/99999', '{')
    const second = await a.own('PUT', '/v1/users/99999', '{')
    const third = await a.api('GET', '/v1/nothing')
    const fourth = await a.api('PUT', '/v1/users/99999', '{')

    expectError(first, 403)
    expect(first.json.troubleshoot).toContain('not active')
    expect(first.headers.get('x-hookswitchapi-remaining')).toBe('1')
    expectError(second, 403)
    expectError(third, 404)
    expectError(fourth, 429)
  })

  test('a company that is not active or not verified gets 403 on the API and /app', async () => {
    const { a, db } = await open()
    for (const change of [{ active: 0 }, { active: 1, verified: 0 }] as const) {
      await db.updateTable('company').set(change).where('id', '=', a.id).execute()

      for (const client of [a.api, a.own]) expectError(await client('GET', '/v1/company'), 403)
      expectError(await a.api('GET', '/v1/ping'), 403)
    }
    await db.updateTable('company').set({ verified: 1 }).where('id', '=', a.id).execute()
    expect((await a.api('GET', '/v1/ping')).status).toBe(200)
  })

  test('the object comes before everything about body and query', async () => {
    const { a, base } = await open({ env: { STRICT_CONTENT_TYPE: '1' } })
    const authorization = `Authorization: Basic ${btoa(`${a.apiId}:${a.apiToken}`)}`
    const bodies = ['{', '[1]', '{}', '{"first_name":""}', '{"availability_status":"asleep"}', tooLarge]

    for (const body of bodies) expectError(await a.api('PUT', '/v2/users/99999', body), 404, body.slice(0, 40))
    expectError(await a.api('PUT', '/v2/users/99999', 'a=1', { 'content-type': 'text/plain' }), 404)
    expectError(await a.api('PUT', '/v2/users/99999', '{}', { 'content-encoding': 'gzip' }), 404)
    expectError(await a.api('PUT', '/v2/users/99999', '{}', { 'content-type': 'no type at all' }), 404)
    expectError(await rawRequest(base, { method: 'DELETE', path: '/v1/teams/9', headers: [authorization] }), 404)
    expectError(await a.api('GET', '/v2/users/99999/numbers?per_page=0&page=x'), 404)
  })

  test('too large comes before malformed, and missing before invalid', async () => {
    const { a } = await open()

    expectError(await a.api('POST', '/v1/teams', `${tooLarge},`), 413)
    expectError(await a.api('POST', '/v1/tags', { color: 'no color' }), 422)
    expectError(await a.api('POST', '/v1/tags', { name: '', color: 7 }), 422)
    expectError(await a.api('POST', '/v1/tags', { name: 7, color: '#00ff00' }), 400)
  })

  test('under /app the session is checked first, then the origin, then the role', async () => {
    const { a, anonymous, db } = await open()
    const { 'x-csrf-token': csrf = '', ...withoutToken } = a.session
    const call = (headers: Record<string, string>) => anonymous('PUT', '/app/v1/numbers/99999/settings', '{', headers)

    expectError(await call({}), 403)
    expect((await call({ 'x-csrf-token': csrf })).json.troubleshoot).toContain('Sign in')
    expect((await call(withoutToken)).json.troubleshoot).toContain('X-CSRF-Token')
    expect((await call({ ...a.session, origin: 'https://evil.test' })).json.troubleshoot).toContain('own pages')
    expect((await call({ ...a.session, origin: 'null' })).json.troubleshoot).toContain('own pages')
    expectError(await call(a.session), 404)
    await db.updateTable('user_role').set({ role: 'supervisor' }).where('user_id', '=', a.ownerId).execute()
    expect((await call(a.session)).json.troubleshoot).toContain('role')
  })
})

test('a trailing slash and an empty question mark change nothing, and nothing is ever redirected', async () => {
  const { a, anonymous } = await testApp()
  const plain = await a.api('GET', '/v1/teams')

  for (const path of ['/v1/teams/', '/v1/teams?', '/v1/teams/?']) {
    const answer = await a.api('GET', path)
    expect([answer.status, answer.text], path).toEqual([200, plain.text])
  }
  expect((await a.api('POST', '/v1/teams/', { name: 'Slash' })).status).toBe(201)
  expect((await anonymous('GET', '/v1/')).status).toBe(200)
  expectError(await a.api('GET', '/v1/teams//'), 404)
})

test('every wrong method on a known path is 405 with the allowed ones', async () => {
  const { a } = await testApp()

  for (const method of ['PATCH', 'OPTIONS', 'DELETE']) {
    const answer = await a.api(method, '/v1/teams/')
    expectError(answer, 405)
    expect(answer.headers.get('allow')).toBe('GET, POST, HEAD')
  }
  expectError(await a.own('PATCH', '/v1/api_keys'), 405)
  expectError(await a.api('GET', '/v1/api_keys'), 404)
})

test('HEAD is a GET without its body', async () => {
  const { a } = await testApp({ env: { STRICT_CONTENT_TYPE: '1' } })
  const get = await a.api('GET', '/v1/teams')

  const head = await a.api('HEAD', '/v1/teams')

  expect([head.status, head.text]).toEqual([200, ''])
  expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
  expect((await a.api('HEAD', '/v1/teams/99999')).status).toBe(404)
})

test('a literal path wins over a placeholder, also with a verb it does not know', async () => {
  const { a, anonymous } = await testApp()

  const wrongUser = await a.api('DELETE', '/v1/users/availabilities')
  const wrongContact = await anonymous('POST', '/v1/contacts/search', {})

  expectError(wrongUser, 405)
  expect(wrongUser.headers.get('allow')).toBe('GET, HEAD')
  expectError(wrongContact, 405)
})

test('too many items, one of them incomplete: the missing field is reported', async () => {
  const { a } = await testApp()
  const phones = Array.from({ length: 21 }, (_, i) => ({
    label: 'Work',
    value: `+331990012${String(i).padStart(2, '0')}`,
  }))

  const tooMany = await a.api('POST', '/v1/contacts', { phone_numbers: phones })
  const incomplete = await a.api('POST', '/v1/contacts', { phone_numbers: [{ value: '+33199001234' }, ...phones] })

  expectError(tooMany, 400)
  expectError(incomplete, 422)
})
