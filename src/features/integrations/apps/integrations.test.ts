import { expect, test } from 'vitest'
import { onAnyDatabase, type TestApp } from '../../../../test/kit/app.ts'
import { addNumber } from '../../../../test/kit/flows.ts'
import { codeFor, install, registerPartner } from '../../../../test/kit/partner-app.ts'
import { receiver } from '../../../../test/kit/receiver.ts'
import { addContact, addHook, contactEvents, must } from '../../../../test/kit/webhooks.ts'
import { day, hour, minute } from '../../../lib/clock.ts'

const eventsAt = ({ got }: Awaited<ReturnType<typeof receiver>>) => got.map(({ body }) => body.event)

async function installed(world: TestApp, numberIds?: number[]) {
  const partner = await registerPartner(world, world.b)
  return { partner, ...(await install(world, world.a, partner, numberIds)) }
}

const integrationOf = async (client: TestApp['anonymous']) =>
  must(await client('GET', '/v1/integrations/me'), 200).json.integration

onAnyDatabase('integrations', (open) => {
  test('an installed app and an API key each have theirs', async () => {
    const world = await open()
    const number = await addNumber(world.a)
    const { api } = await installed(world)

    const [app, key] = [await integrationOf(api), await integrationOf(world.a.api)]

    const common = { company_id: world.a.id, status: 'installed', active: true, custom_name: null }
    const numbers = { number_ids: [number.id], numbers_count: 1 }
    const logo = `${world.base}/images/integration.svg`
    expect(app).toEqual({ ...common, ...numbers, id: expect.any(Number), name: 'Desk', logo, user: expect.any(Object) })
    expect([app.user.id, app.user.numbers]).toEqual([world.a.ownerId, undefined])
    expect(key).toMatchObject({ ...common, ...numbers, name: 'First key', logo, user: { id: world.a.ownerId } })
    expect(key.id).not.toBe(app.id)
    expect((await world.anonymous('GET', '/images/integration.svg')).headers.get('content-type')).toContain('svg')
    // A person in a browser is none.
    expect((await world.a.own('GET', '/v1/integrations/me')).status).toBe(404)
  })

  test('disabled, its webhooks are sent nothing and its token works; enabled, they go on', async () => {
    const world = await open()
    const { api } = await installed(world)
    const [mine, others] = [await receiver(), await receiver()]
    const hook = await addHook(api, mine, contactEvents)
    await addHook(world.a.api, others, contactEvents)

    const off = must(await api('POST', '/v1/integrations/disable'), 200).json.integration
    const again = must(await api('POST', '/v1/integrations/disable'), 200).json.integration
    await addContact(world.a.api)
    await world.settle()
    const later = await addHook(api, mine, contactEvents)
    await addContact(world.a.api)
    await world.settle()

    expect([off.active, again]).toEqual([false, off])
    expect([eventsAt(mine), eventsAt(others)]).toEqual([[], ['contact.created', 'contact.created']])
    expect((await api('GET', '/v1/ping')).status).toBe(200)
    expect((await integrationOf(api)).active).toBe(false)
    expect((await integrationOf(world.a.api)).active).toBe(true)

    expect(must(await api('POST', '/v1/integrations/enable'), 200).json.integration.active).toBe(true)
    await addContact(world.a.api)
    await world.settle()
    expect(eventsAt(mine)).toEqual(['contact.created', 'contact.created'])
    expect([(await hook.log()).length, (await later.log()).length]).toEqual([1, 1])
    expect((await world.events(world.a)).filter(({ name }) => name.startsWith('integration'))).toEqual([])
  })

  test('what waits for its next attempt when it is disabled waits on, and is sent once it is enabled', async () => {
    const world = await open()
    const { api } = await installed(world)
    const down = await receiver(500)
    const hook = await addHook(api, down, contactEvents)
    await addContact(world.a.api)
    await world.settle()
    expect(down.got.length).toBe(1)

    must(await api('POST', '/v1/integrations/disable'), 200)
    await world.clock.advance(2 * hour)
    expect(down.got.length).toBe(1)
    expect((await hook.log())[0].state).toBe('held')

    down.behave(204)
    must(await api('POST', '/v1/integrations/enable'), 200)
    await world.settle()
    expect(down.got.length).toBe(2)
    expect((await hook.log())[0].state).toBe('delivered')
  })

  test('a key that is disabled stops its own webhooks only; revoked, they stay and can be switched on', async () => {
    const world = await open()
    const { a } = world
    const { api_key } = must(await a.own('POST', '/v1/api_keys', { name: 'Second' }), 201).json
    const pair = Buffer.from(`${api_key.api_id}:${api_key.api_token}`).toString('base64')
    const second = world.as(`Basic ${pair}`)
    const [first, other, dashboard] = [await receiver(), await receiver(), await receiver()]
    await addHook(a.api, first, contactEvents)
    const hook = await addHook(second, other, contactEvents)
    await addHook(a.own, dashboard, contactEvents)

    must(await second('POST', '/v1/integrations/disable'), 200)
    await addContact(a.api)
    await world.settle()
    expect([eventsAt(first).length, eventsAt(other).length, eventsAt(dashboard).length]).toEqual([1, 0, 1])

    must(await a.own('DELETE', `/v1/api_keys/${api_key.id}`), 204)
    await addContact(a.api)
    await world.settle()
    expect(eventsAt(other).length).toBe(0)
    const shown = must(await a.api('GET', hook.path), 200).json.webhook
    expect(shown.active).toBe(false)
    must(await a.api('PUT', `${hook.path}?events_action=add`, { active: true }), 200)
    await addContact(a.api)
    await world.settle()
    expect(eventsAt(other).length).toBe(1)
  })

  test('one app installed twice is two integrations, each with its own token and webhooks', async () => {
    const world = await open()
    const partner = await registerPartner(world, world.a)
    const [one, two] = [await install(world, world.a, partner), await install(world, world.a, partner)]
    const hook = await addHook(one.api, await receiver(), contactEvents)

    const [first, second] = [await integrationOf(one.api), await integrationOf(two.api)]
    const { integrations } = must(await world.a.own('GET', '/v1/integrations'), 200).json

    expect(first.id).not.toBe(second.id)
    expect((await two.api('GET', hook.path)).status).toBe(404)
    expect(integrations.map(({ id, kind }: { id: number; kind: string }) => [id, kind])).toEqual([
      [second.id, 'oauth'],
      [first.id, 'oauth'],
      [(await integrationOf(world.a.api)).id, 'api_key'],
    ])
    must(await one.api('POST', '/v1/integrations/disable'), 200)
    expect((await integrationOf(two.api)).active).toBe(true)
    must(await world.a.own('DELETE', `/v1/integrations/${first.id}`), 204)
    expect([(await one.api('GET', '/v1/ping')).status, (await two.api('GET', '/v1/ping')).status]).toEqual([403, 200])
  })

  test('an app limited to some Numbers at consent receives their events only, and an admin can change that', async () => {
    const world = await open()
    const { a } = world
    const [mine, other] = [await addNumber(a), await addNumber(a)]
    const { api } = await installed(world, [mine.id])
    const few = await receiver()
    await addHook(api, few, ['number.opened', 'number.closed', 'number.deleted'])
    const shown = await integrationOf(api)
    expect([shown.number_ids, shown.numbers_count]).toEqual([[mine.id], 1])

    const path = `/v1/integrations/${shown.id}`
    const all = must(await a.own('PUT', path, { number_ids: null, custom_name: 'Front desk' }), 200).json.integration
    expect(all).toMatchObject({ number_ids: [mine.id, other.id], restricted: false, custom_name: 'Front desk' })
    const one = must(await a.own('PUT', path, { number_ids: [other.id] }), 200).json.integration
    expect(one).toMatchObject({ number_ids: [other.id], numbers_count: 1, restricted: true, custom_name: 'Front desk' })
    for (const { id } of [mine, other]) must(await a.own('DELETE', `/v1/numbers/${id}`), 204)
    await world.settle()

    expect(few.got.map(({ body }) => body.data.id)).toEqual([other.id])
    expect((await integrationOf(api)).number_ids).toEqual([])
    const key = await integrationOf(a.api)
    expect((await a.own('PUT', `/v1/integrations/${key.id}`, { number_ids: [1] })).status).toBe(400)
    expect((await a.own('DELETE', `/v1/integrations/${key.id}`)).status).toBe(400)
  })

  test('after uninstallation its webhooks receive that event only and are deleted when it is delivered', async () => {
    const world = await open()
    const { a } = world
    const { api } = await installed(world)
    const [well, down, picky, outsider] = [await receiver(), await receiver(500), await receiver(), await receiver()]
    await addHook(api, well)
    await addHook(api, down)
    await addHook(api, picky, contactEvents)
    await addHook(a.api, outsider)
    await addContact(a.api)
    await world.settle()
    const { id } = await integrationOf(api)
    const before = down.got.length

    must(await a.own('DELETE', `/v1/integrations/${id}`), 204)
    expect((await api('GET', '/v1/webhooks')).status).toBe(403)
    await addContact(a.api)
    await world.settle()

    expect(eventsAt(well)).toEqual(['contact.created', 'integration.deleted'])
    expect(well.got.at(-1)?.body).toMatchObject({
      resource: 'integration',
      data: { integration_id: id, company_id: a.id },
    })
    expect(eventsAt(picky)).toEqual(['contact.created'])
    expect(eventsAt(outsider)).toEqual(['contact.created', 'contact.created'])
    // The one that fails is tried again, with the farewell only.
    await world.clock.advance(hour)
    expect(new Set(eventsAt(down).slice(before))).toEqual(new Set(['integration.deleted']))
    expect(eventsAt(down).slice(before).length).toBeGreaterThan(2)
    const left = () => world.db.selectFrom('webhook').select('url').where('oauth_token_id', 'is not', null).execute()
    expect((await left()).map(({ url }) => url)).toEqual([down.url])
    down.behave(204)
    await world.clock.advance(day)
    const after = down.got.length
    await world.clock.advance(day)
    expect([await left(), down.got.length - after]).toEqual([[], 0])
    expect((await a.own('DELETE', `/v1/integrations/${id}`)).status).toBe(404)
  })

  test('an undeliverable last event is abandoned, and its webhook is deleted', async () => {
    const world = await open()
    const { api } = await installed(world)
    const down = await receiver(410)
    await addHook(api, down, ['integration.deleted'])
    const { id } = await integrationOf(api)

    must(await world.a.own('DELETE', `/v1/integrations/${id}`), 204)
    await world.clock.advance(5 * day)

    expect(down.got.length).toBe(13)
    expect(await world.db.selectFrom('webhook').select('id').execute()).toEqual([])
    expect(await world.db.selectFrom('delivery').select('id').execute()).toEqual([])
  })

  test('a deleted app is removed from every company that has it', async () => {
    const world = await open()
    const { a, b } = world
    const partner = await registerPartner(world, b, { listed: true })
    const { api } = await install(world, a, partner)
    const mine = await receiver()
    await addHook(api, mine)
    const late = await codeFor(a, partner)

    must(await b.own('DELETE', `/v1/oauth_apps/${partner.id}`), 204)
    expect((await api('GET', '/v1/ping')).status).toBe(403)
    expect((await partner.exchange(late)).status).toBe(401)
    await world.settle()
    await world.clock.advance(2 * minute)

    expect(eventsAt(mine)).toEqual(['integration.deleted'])
    expect((await world.anonymous('GET', `/oauth/authorize?${partner.query()}`)).status).toBe(400)
    const { integrations } = must(await a.own('GET', '/v1/integrations'), 200).json
    expect(integrations.map(({ kind }: { kind: string }) => kind)).toEqual(['api_key'])
    expect(must(await a.own('GET', '/v1/marketplace'), 200).json.apps).toEqual([])
  })

  test('the marketplace offers the company’s own apps, and those that others list', async () => {
    const world = await open()
    const { a, b } = world
    await registerPartner(world, a, { name: 'Own' })
    await registerPartner(world, b, { name: 'Hidden' })
    await registerPartner(world, b, { name: 'Listed', listed: true, description: 'For all', logo_url: null })

    const names = async (company: typeof a) =>
      must(await company.own('GET', '/v1/marketplace'), 200).json.apps.map(({ name }: { name: string }) => name)

    expect([await names(a), await names(b)]).toEqual([
      ['Listed', 'Own'],
      ['Hidden', 'Listed'],
    ])
    const { apps } = (await a.own('GET', '/v1/marketplace')).json
    expect(Object.keys(apps[0])).toEqual(['id', 'name', 'description', 'logo_url', 'install_uri'])
  })

  test('apps are changed by the company that registered them, and a new secret ends the old one', async () => {
    const world = await open()
    const { a, b } = world
    const partner = await registerPartner(world, a)
    const path = `/v1/oauth_apps/${partner.id}`

    for (const [method, at] of [
      ['PUT', path],
      ['DELETE', path],
      ['POST', `${path}/secret/rotations`],
    ] as const) {
      expect((await b.own(method, at, method === 'PUT' ? { name: 'Mine' } : undefined)).status).toBe(404)
    }
    const { install_uri } = (await a.own('GET', '/v1/oauth_apps')).json.oauth_apps[0]
    const change = { name: 'Reception', description: null, logo_url: 'https://crm.example/logo.png', install_uri }
    const changed = must(await a.own('PUT', path, change), 200).json.oauth_app
    must(await a.own('PUT', path, change), 200)
    const { client_secret } = must(await a.own('POST', `${path}/secret/rotations`), 201).json

    expect(changed).toMatchObject({ name: 'Reception', description: '', client_id: partner.clientId })
    expect(Object.keys(changed)).not.toContain('client_secret')
    expect((await a.own('GET', '/v1/oauth_apps')).text).not.toContain(partner.secret)
    const code = await codeFor(a, partner)
    expect((await partner.exchange(code)).status).toBe(401)
    expect((await partner.exchange(code, { client_secret })).status).toBe(200)
    const { audit_log } = (await a.own('GET', '/v1/audit_log')).json
    expect(audit_log.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['oauth_app.created', 'oauth_app.changed', 'oauth_app.secret_changed', 'oauth.granted']),
    )
    // Only what is another than before, and by the names that the API knows.
    const changes = audit_log.filter(({ action }: { action: string }) => action === 'oauth_app.changed')
    expect(changes.map(({ details }: { details: unknown }) => details)).toEqual([{ changed: ['name', 'logo_url'] }])
    expect((await a.own('GET', '/v1/audit_log/check')).json.chain).toBe('intact')
  })
})
