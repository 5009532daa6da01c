import { expect, test } from 'vitest'
import { requiredScope } from '../../src/domain/api-scopes.ts'
import { routes } from '../../src/features/index.ts'
import { isPublic } from '../../src/http/route.ts'
import { hour, minute } from '../../src/lib/clock.ts'
import { sandboxRoutes } from '../../src/sandbox/index.ts'
import { basic, onBothDatabases, type TestApp } from '../kit/app.ts'

const green = '#00B388'

test('every public route has a scope, and no route to write is open to keys that may only read', () => {
  const open = [...routes, ...sandboxRoutes].filter(({ access }) => isPublic(access))

  const missing = open.filter(({ method, path }) => requiredScope(method, path) === undefined)
  const readable = open.filter(({ method, scope }) => method !== 'GET' && ['read', 'any'].includes(scope))

  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  expect(readable.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  expect(requiredScope('GET', '/v1/admin/keys')).toBe('admin')
  expect(requiredScope('POST', '/v1/something-new')).toBeUndefined()
})

onBothDatabases('API keys', (open) => {
  test('a request beyond the scopes of its key is refused, and the response names the scope', async () => {
    const world = await open()
    const reader = await clientWith(world, { scopes: ['read'] })
    const writer = await clientWith(world, { scopes: ['tags:write'] })
    const admin = await clientWith(world, { scopes: ['admin'] })
    const tag = { name: 'Sales', color: green }

    expect((await reader('GET', '/v1/users')).status).toBe(200)
    const refused = await reader('POST', '/v1/tags', tag)
    expect([refused.status, refused.json.error]).toEqual([403, 'Forbidden'])
    expect(refused.json.troubleshoot).toContain('`tags:write`')
    expect((await writer('POST', '/v1/tags', tag)).status).toBe(201)
    expect((await writer('GET', '/v1/tags')).json.troubleshoot).toContain('`read`')
    expect((await writer('GET', '/v1/ping')).status).toBe(200)
    expect((await writer('POST', '/v1/contacts', {})).json.troubleshoot).toContain('`contacts:write`')
    expect((await admin('POST', '/v1/tags', { ...tag, name: 'Leads' })).status).toBe(201)
    expect((await admin('GET', '/v1/tags')).json.meta.total).toBe(2)
  })

  test('every route to write refuses a key that may only read', async () => {
    const world = await open()
    const reader = await clientWith(world, { scopes: ['read'] })
    const written = [...routes, ...sandboxRoutes].filter(({ access, method }) => isPublic(access) && method !== 'GET')

    const allowed: string[] = []
    for (const { method, path, scope } of written) {
      const answer = await reader(method, path.replace(/:\w+/g, '1'), {})
      const isRefused = answer.status === 403 && answer.json.troubleshoot.includes(`\`${scope}\``)
      if (!isRefused) allowed.push(`${method} ${path} ${answer.status}`)
    }

    expect(allowed).toEqual([])
  })

  test('an expired key is refused', async () => {
    const world = await open()
    const expiry = new Date(world.clock.machineNow() + hour).toISOString()
    const client = await clientWith(world, { expires_at: expiry })

    const before = await client('GET', '/v1/users')
    world.clock.shiftMachine(hour)
    const after = await client('GET', '/v1/users')

    expect([before.status, after.status]).toEqual([200, 403])
    expect(after.json.troubleshoot).toContain('expired')
    expect((await world.a.own('POST', '/v1/api_keys', { expires_at: '2020-01-01T00:00:00Z' })).status).toBe(400)
    expect((await world.a.own('POST', '/v1/api_keys', { expires_at: 'tomorrow' })).status).toBe(400)
  })

  test('a key is limited to its addresses, and a trusted proxy names the address of the client', async () => {
    const world = await open({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const office = await clientWith(world, { allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] })
    const local = await clientWith(world, { allowed_ips: ['127.0.0.1'] })
    const from = (address: string) => office('GET', '/v1/users', undefined, { 'x-forwarded-for': address })

    expect((await from('203.0.113.9')).status).toBe(200)
    expect((await from('2001:db8::7')).status).toBe(200)
    expect((await from('203.0.114.9')).json.troubleshoot).toContain('203.0.114.9')
    expect((await from('2001:db9::7')).status).toBe(403)
    expect((await office('GET', '/v1/users')).status).toBe(403)
    expect((await local('GET', '/v1/users')).status).toBe(200)
    for (const invalid of ['x', '203.0.113.0/33', '::/129', '1.2.3.4/8/8', '']) {
      const { status } = await world.a.own('POST', '/v1/api_keys', { allowed_ips: [invalid] })
      expect([invalid, status]).toEqual([invalid, 400])
    }
  })

  test('a rotated key accepts both tokens during the overlap, then only the new one', async () => {
    const world = await open()
    const { a, as, clock } = world
    const first = (await a.own('POST', '/v1/api_keys', { name: 'CRM' })).json.api_key
    const rotate = async (hours: number) =>
      (await a.own('POST', `/v1/api_keys/${first.id}/rotations`, { overlap_hours: hours })).json.api_key
    const accepts = async (token: string) => (await as(basic(first.api_id, token))('GET', '/v1/users')).status

    const second = await rotate(1)
    expect([await accepts(first.api_token), await accepts(second.api_token)]).toEqual([200, 200])
    expect(second.previous_token_expires_at).not.toBeNull()
    clock.shiftMachine(hour)
    expect([await accepts(first.api_token), await accepts(second.api_token)]).toEqual([403, 200])
    const third = await rotate(0)

    expect([await accepts(second.api_token), await accepts(third.api_token)]).toEqual([403, 200])
    expect(third.id).toBe(first.id)
    const actions = (await a.own('GET', '/v1/audit_log')).text
    expect(actions).toContain('api_key.created')
    expect(actions).toContain('api_key.rotated')
    expect(actions).not.toContain(third.api_token)
  })

  test('name, scopes, addresses and expiry can be changed, and the last use is shown', async () => {
    const world = await open()
    const { a, as } = world
    const key = (await a.own('POST', '/v1/api_keys', { name: 'CRM', scopes: ['read'] })).json.api_key
    const client = as(basic(key.api_id, key.api_token))
    const shown = async () =>
      (await a.own('GET', '/v1/api_keys')).json.api_keys.find(({ id }: { id: number }) => id === key.id)

    expect((await shown()).last_used_at).toBeNull()
    expect((await client('POST', '/v1/tags', { name: 'Sales', color: green })).status).toBe(403)
    const changed = await a.own('PUT', `/v1/api_keys/${key.id}`, { scopes: ['read', 'tags:write'], name: 'CRM sync' })
    world.clock.shiftMachine(6 * minute)

    expect(changed.json.api_key).toMatchObject({ name: 'CRM sync', scopes: ['read', 'tags:write'], allowed_ips: null })
    expect((await client('POST', '/v1/tags', { name: 'Sales', color: green })).status).toBe(201)
    expect((await shown()).last_used_at).not.toBeNull()
    expect((await a.own('PUT', `/v1/api_keys/${key.id}`, { scopes: null })).json.api_key.scopes).toBeNull()
    expect((await a.own('PUT', `/v1/api_keys/${key.id}`, { scopes: ['calls'] })).status).toBe(400)
  })

  test('recordings need the scope to read', async () => {
    const world = await open()
    const sender = await clientWith(world, { scopes: ['messages:send'] })

    const answer = await sender('GET', '/v1/calls/1')

    expect(answer.json.troubleshoot).toContain('`read`')
  })
})

async function clientWith({ a, as }: TestApp, settings: object) {
  const { api_key: key } = (await a.own('POST', '/v1/api_keys', { name: 'Test', ...settings })).json
  return as(basic(key.api_id, key.api_token))
}
