import { expect, test } from 'vitest'
import { basic, onAnyDatabase } from '../../../../test/kit/app.ts'

onAnyDatabase('the company', (open) => {
  test('the public company has a name and two counts, nothing else', async () => {
    const { a, b } = await open()
    const ada = { email: 'ada@example.test', first_name: 'Ada', last_name: 'L' }
    const { user } = (await a.api('POST', '/v2/users', ada)).json
    const input = { digits: '+33180000001', name: 'Line', time_zone: 'Etc/UTC' }
    await a.own('POST', '/v1/numbers', input)

    const full = (await a.api('GET', '/v1/company')).json
    await a.api('DELETE', `/v1/users/${user.id}`)
    const fewer = (await a.api('GET', '/v1/company')).json

    expect(full).toEqual({ company: { name: 'Company A', users_count: 2, numbers_count: 1 } })
    expect(fewer).toEqual({ company: { name: 'Company A', users_count: 1, numbers_count: 1 } })
    expect((await b.api('GET', '/v1/company')).json.company).toEqual({
      name: 'Company B',
      users_count: 1,
      numbers_count: 0,
    })
    for (const verb of ['PUT', 'POST', 'DELETE']) {
      expect((await a.api(verb, '/v1/company', { name: 'Mine' })).status).toBe(405)
    }
  })

  test('settings are changed one by one or together, and wrong ones not at all', async () => {
    const { a, b } = await open()
    const path = '/v1/company/settings'
    const state = { active: true, verified: true }

    expect((await a.own('GET', path)).json).toEqual({
      ...state,
      name: 'Company A',
      mandatory_tagging: false,
      countries: null,
      country: null,
      embed_origins: [],
    })
    const named = await a.own('PUT', path, { name: 'Acme', active: false, plan: 'essentials' })
    const early = await a.own('PUT', path, { mandatory_tagging: true, name: 'Too early' })
    await a.api('POST', '/v1/tags', { name: 'Sales', color: '#FF0000' })
    const rest = await a.own('PUT', path, { mandatory_tagging: true, countries: ['FR', 'DE'] })
    for (const body of [{ name: ' ' }, { name: null }, { mandatory_tagging: 'yes' }, { countries: ['France'] }]) {
      expect((await a.own('PUT', path, { countries: null, ...body })).status, JSON.stringify(body)).toBe(400)
    }

    expect([early.status, early.json.troubleshoot]).toEqual([400, expect.stringContaining('create a tag first')])
    const acme = { ...state, name: 'Acme', country: null, embed_origins: [] }
    expect(named.json).toEqual({ ...acme, mandatory_tagging: false, countries: null })
    expect(rest.json).toEqual({ ...acme, mandatory_tagging: true, countries: ['FR', 'DE'] })
    expect((await a.own('GET', path)).json).toEqual(rest.json)
    expect((await a.api('GET', '/v1/company')).json.company.name).toBe('Acme')
    expect((await b.own('GET', path)).json.name).toBe('Company B')
    expect((await a.api('GET', path)).status).toBe(404)
  })

  test('pages that may show the phone app are named by their origin, and nothing else gets through', async () => {
    const { a } = await open()
    const path = '/v1/company/settings'
    const put = (...embed_origins: unknown[]) => a.own('PUT', path, { embed_origins })

    const kept = await put(
      'https://crm.example.com',
      'https://CRM.example.com/',
      'https://b.test:8443',
      'http://127.0.0.1:5000',
    )
    const wrong = [
      'crm.example.com',
      'http://crm.example.com',
      'https://crm.example.com/path',
      'https://crm.example.com?x=1',
      'https://me@crm.example.com',
      'https://*.example.com',
      'https://a.test; script-src *',
      "https://a.test 'unsafe-inline'",
      'javascript:alert(1)',
      '*',
      '',
      5,
      null,
    ]
    for (const origin of wrong) expect((await put(origin)).status, String(origin)).toBe(400)

    const origins = ['https://crm.example.com', 'https://b.test:8443', 'http://127.0.0.1:5000']
    expect([kept.status, kept.json.embed_origins]).toEqual([200, origins])
    expect((await a.own('GET', path)).json.embed_origins).toEqual(origins)
    expect((await put()).json.embed_origins).toEqual([])
  })

  test('the plan and its add-ons are changed, and the plan counts from the next request on', async () => {
    const { a, b } = await open()
    const path = '/v1/company/plan'
    for (let i = 0; i < 3; i++) await b.api('POST', '/v1/teams', { name: `Team ${i}` })

    const fourth = await b.api('POST', '/v1/teams', { name: 'Fourth' })
    const bigger = await b.own('PUT', path, { plan: 'professional', whatsapp: true })
    const again = await b.api('POST', '/v1/teams', { name: 'Fourth' })

    expect([fourth.status, bigger.status, again.status]).toEqual([400, 200, 201])
    expect(bigger.json).toEqual({
      plan: 'professional',
      ai_package: 'none',
      whatsapp: true,
      analytics_plus: false,
      ai_voice_agents: false,
    })
    expect((await b.own('GET', path)).json).toEqual(bigger.json)
    for (const body of [{ plan: 'gold' }, { plan: null }, { ai_package: 'all' }, { whatsapp: 1 }]) {
      expect((await b.own('PUT', path, body)).status, JSON.stringify(body)).toBe(400)
    }
    expect((await a.own('GET', path)).json).toMatchObject({ plan: 'custom', ai_package: 'assist-pro' })
  })

  test('a company that is not active or not verified is refused under /v1 and /app', async () => {
    const { a, b, db } = await open()

    for (const flag of ['active', 'verified'] as const) {
      await db
        .updateTable('company')
        .set({ [flag]: 0 })
        .where('id', '=', a.id)
        .execute()
      expect((await a.api('GET', '/v1/company')).status).toBe(403)
      expect((await a.api('GET', '/v1/ping')).status).toBe(403)
      expect((await a.own('GET', '/v1/company/settings')).status).toBe(403)
      expect((await b.api('GET', '/v1/ping')).status).toBe(200)
      await db
        .updateTable('company')
        .set({ [flag]: 1 })
        .where('id', '=', a.id)
        .execute()
    }
    expect((await a.api('GET', '/v1/ping')).json).toEqual({ ping: 'pong' })
  })
})

onAnyDatabase('API keys', (open) => {
  test('a new API key authenticates; its token is shown once and not stored', async () => {
    const { a, as, db, logged } = await open()

    const made = await a.own('POST', '/v1/api_keys', { name: 'Reports' })
    const { api_token: token, ...shown } = made.json.api_key
    const listed = await a.own('GET', '/v1/api_keys')

    expect(made.status).toBe(201)
    expect(shown).toEqual({
      id: expect.any(Number),
      api_id: expect.any(String),
      name: 'Reports',
      created_by: a.ownerId,
      created_at: '2026-06-15T12:00:00.000Z',
      scopes: null,
      allowed_ips: null,
      expires_at: null,
      last_used_at: null,
      rotated_at: null,
      previous_token_expires_at: null,
    })
    expect((await as(basic(shown.api_id, token))('GET', '/v1/ping')).status).toBe(200)
    expect(listed.json.api_keys.map((key: { name: string }) => key.name)).toEqual(['First key', 'Reports'])
    expect(listed.json.api_keys[1]).toEqual(shown)
    expect(JSON.stringify(await db.selectFrom('api_key').selectAll().execute())).not.toContain(token)
    expect(logged()).not.toContain(token)
    expect((await a.own('POST', '/v1/api_keys')).json.api_key.name).toBe('API key')
    expect((await a.own('POST', '/v1/api_keys', { name: '' })).status).toBe(400)
  })

  test('a revoked key is refused from the next request on, and the others are not', async () => {
    const { a, b, as } = await open()
    const { api_key: key } = (await a.own('POST', '/v1/api_keys', { name: 'Short-lived' })).json
    const caller = as(basic(key.api_id, key.api_token))

    const foreign = await b.own('DELETE', `/v1/api_keys/${key.id}`)
    const before = await caller('GET', '/v1/ping')
    const revoked = await a.own('DELETE', `/v1/api_keys/${key.id}`)
    const after = await caller('GET', '/v1/ping')
    const twice = await a.own('DELETE', `/v1/api_keys/${key.id}`)

    expect([foreign.status, before.status, revoked.status, after.status, twice.status]).toEqual([
      404, 200, 204, 403, 404,
    ])
    expect((await a.api('GET', '/v1/ping')).status).toBe(200)
    expect((await a.api('GET', '/v1/api_keys')).status).toBe(404)
  })

  test('a key outlives the person who made it', async () => {
    const { a, app, as } = await open()
    const boss = { email: 'boss@example.test', first_name: 'B', last_name: 'B', role_ids: ['owner'] }
    await a.api('POST', '/v2/users', boss)
    const { api_key: key } = (await a.own('POST', '/v1/api_keys', { name: 'Reports' })).json

    await a.api('DELETE', `/v1/users/${a.ownerId}`)
    await app.settle()

    const caller = as(basic(key.api_id, key.api_token))
    expect((await caller('GET', '/v1/ping')).status).toBe(200)
    expect((await a.own('GET', '/v1/api_keys')).status).toBe(403)
  })
})
