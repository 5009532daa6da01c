import { expect, test } from 'vitest'
import { minute } from '../../src/lib/clock.ts'
import { kept, rebuilt, wiped } from '../../src/sandbox/reset/store.ts'
import { ensureSeeded } from '../../src/sandbox/seed.ts'
import { expectError } from '../http/raw.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { receiver } from '../kit/receiver.ts'
import { addContact, addHook } from '../kit/webhooks.ts'
import { type Demo, openDemo } from './demo.ts'

const reset = '/sandbox/v1/reset'

/** All data of a demo company in the API, without IDs that a reset may change. */
async function snapshot({ main }: Demo) {
  const list = async (path: string, key: string) => (await main('GET', `${path}?per_page=50`)).json[key]
  const users = await list('/v2/users', 'users')
  const numbers = await list('/v1/numbers', 'numbers')
  const teams = await list('/v1/teams', 'teams')
  const calls = (await main('GET', '/v1/calls?per_page=50&order=desc')).json
  const contacts = (await main('GET', '/v1/contacts?per_page=50')).json
  return {
    users: users.map((user: Record<string, unknown>) => ({ ...user, created_at: null })),
    numbers: numbers.map(({ id, name, digits, open }: Record<string, unknown>) => ({ id, name, digits, open })),
    teams: teams.map(({ name, users }: { name: string; users: { id: number }[] }) => [name, users.map(({ id }) => id)]),
    tags: (await list('/v1/tags', 'tags')).map(({ name }: { name: string }) => name),
    contacts: [contacts.meta.total, contacts.contacts[0].first_name],
    calls: [calls.meta.total, calls.calls.map((call: Record<string, unknown>) => call.raw_digits)],
    webhooks: (await main('GET', '/v1/webhooks')).json.meta.total,
  }
}

onAnyDatabase('a reset', (open) => {
  test('restores the seed data, ends active calls, and keeps IDs and credentials', async () => {
    const demo = await openDemo(open)
    const { main, seeded, clock, settle, db } = demo
    const before = await snapshot(demo)
    const shop = await receiver()
    await addHook(main, shop)
    const [ada, bruno] = seeded.main.userIds
    const [first] = seeded.main.numberIds
    await main('POST', '/v2/users', { email: 'new@demo.test', first_name: 'New', last_name: 'Comer' })
    await main('DELETE', `/v1/users/${bruno}`)
    await main('PUT', `/v2/users/${ada}`, { first_name: 'Adele', availability_status: 'unavailable' })
    await main('PUT', `/v1/numbers/${first}`, { name: 'Renamed' })
    await main('DELETE', `/v1/teams/${(await main('GET', '/v1/teams')).json.teams[0].id}`)
    await addContact(main)
    await main('PUT', '/sandbox/v1/faults', { rate_limit_storm: 1 })
    await main('POST', `/sandbox/v1/users/${seeded.main.userIds[3]}/actions`, { action: 'connect' })
    await main('POST', '/sandbox/v1/calls', { from: '+33199000777', to: '+33199000202' })
    await clock.advance(5_000)

    const { status } = await main('POST', reset, {})
    await settle()

    expect(status).toBe(204)
    expect(await snapshot(demo)).toEqual(before)
    const live = await db.selectFrom('live_call').select('key').execute()
    expect(live).toEqual([])
    const received = shop.got.length
    await addContact(main)
    await clock.advance(minute)
    expect(shop.got).toHaveLength(received)
    expect(demo.logged()).not.toMatch(/^(warn|error) /m)
  })

  test('accepts another seed, and does not affect other companies', async () => {
    const demo = await openDemo(open)
    const { main, second, a } = demo
    const before = await snapshot(demo)
    await addContact(second)
    await addContact(a.api)

    await main('POST', reset, { seed: 7 })
    const other = await snapshot(demo)
    await main('POST', reset, {})
    const again = await snapshot(demo)
    await main('POST', reset, { seed: 42 })

    expect(other.calls).not.toEqual(before.calls)
    expect(other.users).toEqual(before.users)
    expect(again).toEqual(other)
    expect(await snapshot(demo)).toEqual(before)
    expect((await second('GET', '/v1/contacts')).json.meta.total).toBe(6)
    await second('POST', reset, {})
    expect((await second('GET', '/v1/contacts')).json.meta.total).toBe(5)
    expect((await a.api('GET', '/v1/contacts')).json.meta.total).toBe(1)
  })

  test('covers every table with company data', async () => {
    const { db } = await open()
    const tables = await db.introspection.getTables()

    const owned = tables.filter(({ columns }) => columns.some(({ name }) => name === 'company_id'))

    const known: string[] = ['company', ...wiped, ...rebuilt, ...kept]
    expect(owned.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([])
  })
})

test('is limited to the demo companies', async () => {
  const { a, app } = await testApp()

  expectError(await a.api('POST', reset, {}), 400)
  await ensureSeeded(app.services)
  expectError(await a.api('POST', reset, {}), 400)
  expectError(await a.api('POST', reset, { seed: -1 }), 400)
})
