import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp, testApp } from '../../../../test/kit/app.ts'

// Who controls what: the operator of several companies, or the owner of the only one.

const multi = { env: { TENANCY: 'multi' } }
const production = {
  HOOKSWITCH_MODE: 'production',
  PUBLIC_URL: 'https://phone.example.test',
  TRUSTED_PROXIES: '127.0.0.1',
}
const line = { digits: '+33180000001', name: 'Line', time_zone: 'Etc/UTC' }

const command = ({ app }: TestApp, name: string, input: object) => {
  const run = app.commands[name]
  if (!run) throw new Error(`there is no command ${name}`)
  return run({ ...input })
}

onAnyDatabase('several companies (TENANCY=multi)', (open) => {
  test('admins cannot change the plan, the operator can, and it applies from the next request on', async () => {
    const world = await open(multi)
    const { a, b } = world
    const upgrade = { plan: 'custom', ai_voice_agents: true }

    const refused = await b.own('PUT', '/v1/company/plan', upgrade)
    const without = await b.api('GET', '/v1/ai_voice_agents')
    const set = await command(world, 'company.set', { company: b.id, plan: 'professional', ai_voice_agents: 'yes' })
    const granted = await b.api('GET', '/v1/ai_voice_agents')

    expect([refused.status, refused.json.troubleshoot]).toEqual([403, expect.stringContaining('operator')])
    expect([without.status, granted.status]).toEqual([403, 200])
    expect(set).toMatchObject({ plan: 'professional', ai_voice_agents: true, whatsapp: false })
    expect((await b.own('GET', '/v1/company/plan')).json).toMatchObject({ plan: 'professional', ai_voice_agents: true })
    expect((await a.own('GET', '/v1/company/plan')).json.plan).toBe('custom')
  })

  test('admins neither add nor remove Numbers, and the answer is the same whether another company has the number', async () => {
    const world = await open(multi)
    const { a, b } = world
    const added = (await command(world, 'numbers.add', { company: a.id, digits: line.digits })) as { id: number }

    const own = await a.own('POST', '/v1/numbers', line)
    const others = await b.own('POST', '/v1/numbers', line)
    const free = await b.own('POST', '/v1/numbers', { ...line, digits: '+33180000002' })
    const invalid = await b.own('POST', '/v1/numbers', {})
    const removed = await a.own('DELETE', `/v1/numbers/${added.id}`)

    for (const answer of [own, others, free, invalid, removed]) {
      expect([answer.status, answer.json.troubleshoot]).toEqual([
        403,
        expect.stringContaining('assigned by the operator'),
      ])
    }
    expect([others.text, invalid.text]).toEqual([free.text, free.text])
    expect((await a.api('GET', '/v1/numbers')).json.meta.total).toBe(1)
  })

  test('caller IDs are verified by the operator; saving unchanged settings is no attempt', async () => {
    const world = await open(multi)
    const { a } = world
    const { id } = (await command(world, 'numbers.add', { company: a.id, digits: line.digits })) as { id: number }
    const path = `/v1/numbers/${id}/settings`

    const settings = (await a.own('GET', path)).json
    const unchanged = await a.own('PUT', path, { ...settings, language: 'fr-FR' })
    const claimed = await a.own('PUT', path, { validated: true })
    const registered = await a.own('PUT', path, { registration_status: 'APPROVED' })
    const before = (await a.own('GET', path)).json
    await command(world, 'numbers.validate', { company: a.id, number: String(id) })

    expect(settings.validated).toBe(false)
    expect([unchanged.status, unchanged.json.language]).toEqual([200, 'fr-FR'])
    expect([claimed.status, registered.status]).toEqual([403, 403])
    expect(claimed.json.troubleshoot).toContain('operator')
    expect(before).toMatchObject({ validated: false, registration_status: 'NOT_REGISTERED' })
    expect((await a.own('GET', path)).json.validated).toBe(true)
  })
})

test('the session reports who controls plans and Numbers', async () => {
  const single = await testApp()
  const several = await testApp(multi)

  expect((await single.a.own('GET', '/v1/session')).json.tenancy).toBe('single')
  expect((await several.a.own('GET', '/v1/session')).json.tenancy).toBe('multi')
})

test('in a sandbox two demo companies have their plans and manage their Numbers themselves', async () => {
  const { a, b } = await testApp()

  const mine = await a.own('POST', '/v1/numbers', { ...line, validated: true })
  const again = await a.own('POST', '/v1/numbers', line)
  const theirs = await b.own('POST', '/v1/numbers', line)

  expect(mine.status).toBe(201)
  expect([again.status, again.json.troubleshoot]).toEqual([
    400,
    expect.stringContaining('already a Number of the company'),
  ])
  expect(theirs.status).toBe(400)
  expect(theirs.json.troubleshoot).not.toMatch(/already|another|taken|belongs/)
  expect((await b.api('GET', '/v1/ai_voice_agents')).status).toBe(403)
})

test('one company (TENANCY=single, production): every feature is included and there is no plan to change', async () => {
  const several = await testApp({ env: { ...production, TENANCY: 'multi' } })
  const https = { 'x-forwarded-proto': 'https' }
  const limited = await several.b.api('GET', '/v1/ai_voice_agents', undefined, https)
  const { a, b, ...world } = await several.restart(0, { TENANCY: 'single' })
  const own = { ...https, origin: 'https://phone.example.test', cookie: `__Host-${b.session.cookie}` }

  const included = await b.api('GET', '/v1/ai_voice_agents', undefined, https)
  const plan = await b.own('GET', '/v1/company/plan', undefined, own)
  const change = await b.own('PUT', '/v1/company/plan', { plan: 'essentials' }, own)
  for (let i = 0; i < 4; i++) await b.api('POST', '/v1/teams', { name: `Team ${i}` }, https)

  expect([limited.status, included.status]).toEqual([403, 200])
  expect(plan.json).toMatchObject({ plan: 'custom', ai_package: 'assist-pro', whatsapp: true })
  expect([change.status, change.json.troubleshoot]).toEqual([403, expect.stringContaining('every feature')])
  expect((await b.api('GET', '/v1/teams', undefined, https)).json.meta.total).toBe(4)
  const set = command({ ...world, a, b }, 'company.set', { company: b.id, plan: 'essentials' })
  await expect(set).rejects.toThrow(/TENANCY=single has no plans/)
  // The installation had several companies before the setting existed.
  expect(world.logged()).toContain('"event":"tenancy.several_companies"')
})

test('a second company in production: the refusal explains the setting', async () => {
  const several = await testApp({ env: { ...production, TENANCY: 'multi' } })
  const third = { name: 'Third', owner_email: 'owner@third.test' }

  const made = await command(several, 'company.create', third)
  const single = await several.restart(0, { TENANCY: 'single' })
  const refused = command(single, 'company.create', { ...third, owner_email: 'owner@fourth.test' })

  expect(made).toMatchObject({ company_id: expect.any(Number) })
  await expect(refused).rejects.toThrow(/TENANCY=single.*TENANCY=multi and restart/)
})
