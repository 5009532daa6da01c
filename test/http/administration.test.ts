import { expect, test } from 'vitest'
import { hour } from '../../src/lib/clock.ts'
import { basic, type Client, onBothDatabases, type TestApp } from '../kit/app.ts'
import { install, registerPartner } from '../kit/partner-app.ts'

const hours = { mon: [['09:00', '18:00']] }
const ringing = (userId: number) => ({
  start: 'ring',
  nodes: {
    ring: { type: 'ring_to', targets: [{ type: 'user', id: userId }], branches: { no_answer: 'end' } },
    end: { type: 'hang_up', media: null },
  },
})

onBothDatabases('administration by API key', (open) => {
  test('a Number is added, routed and configured, and behaves like one of the dashboard', async () => {
    const world = await open()
    const { a } = world
    const admin = await keyWith(world, { scopes: ['admin'] })

    const number = await created(admin, 'numbers', { digits: '+33199000811', name: 'Reception' }, 'number')
    const at = `/v1/admin/numbers/${number.id}`
    expect((await admin.api('PUT', `${at}/flow`, ringing(a.ownerId))).status).toBe(200)
    expect((await admin.api('PUT', `${at}/settings`, { ring_simultaneous_seconds: 33 })).status).toBe(200)
    expect((await admin.api('PUT', `${at}/users`, { user_ids: [a.ownerId] })).status).toBe(200)
    const line = { digits: '+33199000812', name: 'Shop', time_zone: 'Europe/Paris', flow_editor_enabled: false }
    const shop = await created(admin, 'numbers', line, 'number')
    expect((await admin.api('PUT', `/v1/admin/numbers/${shop.id}/opening_hours`, { hours })).status).toBe(200)

    expect((await a.own('GET', `/v1/numbers/${number.id}/flow`)).json.live).toMatchObject({ start: 'ring' })
    expect((await a.own('GET', `/v1/numbers/${number.id}/settings`)).json).toMatchObject({
      ring_simultaneous_seconds: 33,
      linked_user_ids: [a.ownerId],
    })
    expect((await a.own('GET', `/v1/numbers/${shop.id}/opening_hours`)).json.hours).toEqual(hours)
    const invalid = await admin.api('PUT', `${at}/flow`, { start: 'x', nodes: {} })
    expect(invalid.json).toEqual((await a.own('PUT', `/v1/numbers/${number.id}/flow`, { start: 'x', nodes: {} })).json)
    expect((await admin.api('DELETE', at)).status).toBe(204)
    expect((await a.own('GET', `/v1/numbers/${number.id}`)).status).toBe(404)
  })

  test('changes are in the audit log with the API key, and secrets are never returned', async () => {
    const world = await open()
    const { a } = world
    const admin = await keyWith(world, { scopes: ['admin'] })
    const trunk = { name: 'Carrier', host: '192.0.2.1', enabled: false, username: 'acme', password: 'hush-hush' }

    const made = await created(admin, 'trunks', trunk, 'trunk')
    const listed = await admin.api('GET', '/v1/admin/trunks')
    const [entry] = (await a.own('GET', '/v1/audit_log')).json.audit_log

    expect([made.has_password, listed.text.includes('hush-hush')]).toEqual([true, false])
    expect(entry).toMatchObject({ action: 'trunk.created', actor: { kind: 'key', id: admin.id } })
  })

  test('webhooks of OAuth apps are listed with their owner, paused and deleted', async () => {
    const world = await open()
    const { a, b } = world
    const admin = await keyWith(world, { scopes: ['admin'] })
    const partner = await install(world, a, await registerPartner(world, a, { name: 'Partner' }))
    const hook = { url: 'https://partner.example.com/hook', custom_name: 'Sync', events: ['call.created'] }
    const { webhook } = (await partner.api('POST', '/v1/webhooks', hook)).json
    await a.api('POST', '/v1/webhooks', { url: 'https://crm.example.com/hook' })
    const at = `/v1/admin/webhooks/${webhook.webhook_id}`

    const listed = await admin.api('GET', '/v1/admin/webhooks?order=asc')
    const paused = await admin.api('PUT', at, { active: false })
    const ofOther = await b.api('PUT', at, { active: true })

    expect(listed.json.webhooks).toMatchObject([
      { webhook_id: webhook.webhook_id, active: true, owner: { kind: 'oauth_app', name: 'Partner' } },
      { url: 'https://crm.example.com/hook', owner: { kind: 'api_key' } },
    ])
    expect(listed.text).not.toContain(webhook.token)
    expect([paused.status, paused.json.webhook.status, ofOther.status]).toEqual([200, 'paused', 404])
    expect((await partner.api('GET', '/v1/webhooks')).json.webhooks).toMatchObject([{ active: false }])
    expect((await admin.api('DELETE', at)).status).toBe(204)
    expect((await partner.api('GET', '/v1/webhooks')).json.webhooks).toEqual([])
    const actions = (await a.own('GET', '/v1/audit_log')).json.audit_log.map((one: { action: string }) => one.action)
    expect(actions.slice(0, 2)).toEqual(['webhook.deleted', 'webhook.changed'])
  })

  test('keys without the scope, access tokens and browser sessions are refused', async () => {
    const world = await open()
    const { a } = world
    const writer = await keyWith(world, { scopes: ['read', 'numbers:write'] })
    const partner = await install(world, a, await registerPartner(world, a, { name: 'Partner' }))

    const refused = await writer.api('GET', '/v1/admin/trunks')
    const byToken = await partner.api('POST', '/v1/admin/api_keys', {})

    expect([refused.status, byToken.status]).toEqual([403, 403])
    expect(refused.json.troubleshoot).toContain('`admin`')
    expect(byToken.json.troubleshoot).toContain('API key with the scope `admin`')
    expect((await a.own('GET', '/v1/admin/trunks')).status).toBe(404)
    expect((await a.own('GET', '/v1/api_keys')).json.api_keys).toHaveLength(2)
  })

  test('a key passes on no more than it has: scopes, addresses and time', async () => {
    const world = await open({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const { a, clock } = world
    const expires_at = new Date(clock.machineNow() + hour).toISOString()
    const later = new Date(clock.machineNow() + 2 * hour).toISOString()
    const limited = await keyWith(world, {
      scopes: ['admin'],
      allowed_ips: ['127.0.0.1', '203.0.113.0/24'],
      expires_at,
    })
    const forever = await keyWith(world, { scopes: ['admin'] })
    const make = async (body: object) => (await limited.api('POST', '/v1/admin/api_keys', body)).status

    expect(await make({ allowed_ips: ['127.0.0.1'], expires_at })).toBe(201)
    expect(await make({ allowed_ips: ['127.0.0.1'] })).toBe(403)
    expect(await make({ allowed_ips: ['127.0.0.1'], expires_at: later })).toBe(403)
    expect(await make({ expires_at })).toBe(403)
    expect(await make({ allowed_ips: ['0.0.0.0/0'], expires_at })).toBe(403)
    const change = (body: object) => limited.api('PUT', `/v1/admin/api_keys/${limited.id}`, body)
    expect((await change({ expires_at: null })).status).toBe(403)
    expect((await change({ allowed_ips: null })).status).toBe(403)
    expect((await change({ name: 'Deployment' })).status).toBe(200)
    expect((await limited.api('POST', `/v1/admin/api_keys/${forever.id}/rotations`, {})).status).toBe(403)
    expect((await forever.api('POST', `/v1/admin/api_keys/${limited.id}/rotations`, {})).status).toBe(201)
    expect((await a.own('GET', '/v1/api_keys')).json.api_keys).toHaveLength(4)
  })

  test('a request is safe to repeat with an Idempotency-Key', async () => {
    const world = await open()
    const admin = await keyWith(world, { scopes: ['admin'] })
    const key = { 'idempotency-key': 'number-1' }
    const add = () => admin.api('POST', '/v1/admin/numbers', { digits: '+33199000813', name: 'Once' }, key)

    const [first, again] = [await add(), await add()]

    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = { 'idempotency-key': 'number-2' }
    const duplicate = await admin.api('POST', '/v1/admin/numbers', { digits: '+33199000813', name: 'Twice' }, other)
    expect([duplicate.status, duplicate.json.troubleshoot]).toEqual([
      400,
      '`digits` is already a Number of the company',
    ])
  })
})

async function keyWith({ a, as }: TestApp, settings: object) {
  const { api_key: key } = (await a.own('POST', '/v1/api_keys', { name: 'Test', ...settings })).json
  return { id: key.id as number, api: as(basic(key.api_id, key.api_token)) }
}

async function created({ api }: { api: Client }, kind: string, body: object, root: string) {
  const answer = await api('POST', `/v1/admin/${kind}`, body)
  expect(answer.status, answer.text).toBe(201)
  return answer.json[root]
}
