import { expect, test } from 'vitest'
import { minute } from '../../src/lib/clock.ts'
import { expectError } from '../http/raw.ts'
import { onAnyDatabase, testApp } from '../kit/app.ts'
import { openOffice } from '../kit/phone.ts'
import { receiver } from '../kit/receiver.ts'
import { addContact, addHook } from '../kit/webhooks.ts'

const faults = '/sandbox/v1/faults'
const none = {
  seed: 42,
  duplicate_events: 0,
  late_events_seconds: 0,
  rate_limit_storm: 0,
  carrier_failure: 0,
  drop_media: 0,
}

onAnyDatabase('faults', (open) => {
  test('events are sent twice with the same ID, and logged as one delivery', async () => {
    const { a, b, settle } = await open()
    const shop = await receiver()
    const other = await receiver()
    const hook = await addHook(a.api, shop, ['contact.created'])
    await addHook(b.api, other, ['contact.created'])

    const put = await a.api('PUT', faults, { duplicate_events: 1 })
    for (const { api } of [a, b]) await addContact(api)
    await settle()
    const [known, others] = [await a.api('GET', faults), await b.api('GET', faults)]
    await a.api('PUT', faults, {})
    await addContact(a.api)
    await settle()

    expect([put.status, put.json]).toEqual([200, { ...none, duplicate_events: 1 }])
    expect([known.json, others.json]).toEqual([put.json, none])
    const ids = shop.got.map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([ids[0], ids[0], ids[2]])
    expect(new Set(ids).size).toBe(2)
    expect(other.got).toHaveLength(1)
    expect(await hook.log()).toHaveLength(2)
  })

  test('some events are sent twice: the same ones for the same seed', async () => {
    const { a, settle } = await open()
    const shop = await receiver()
    await addHook(a.api, shop, ['contact.created'])

    await a.api('PUT', faults, { seed: 7, duplicate_events: 0.5 })
    for (let n = 0; n < 12; n++) await addContact(a.api)
    await settle()

    const extra = shop.got.length - 12
    expect(extra).toBeGreaterThan(1)
    expect(extra).toBeLessThan(11)
  })

  test('events are delayed on the sandbox clock, and stay in order', async () => {
    const { a, clock, settle } = await open()
    const shop = await receiver()
    await addHook(a.api, shop, ['contact.created'])

    await a.api('PUT', faults, { late_events_seconds: 90 })
    await addContact(a.api, 'First')
    await clock.advance(89_000)
    const early = shop.got.length
    await clock.advance(1_000)
    await a.api('PUT', faults, {})
    await addContact(a.api, 'Second')
    await settle()

    expect(early).toBe(0)
    expect(shop.got.map(({ body }) => body.data.first_name)).toEqual(['First', 'Second'])
  })

  test('requests are rejected with 429; sandbox routes are not affected', async () => {
    const { a, b } = await open()

    await a.api('PUT', faults, { seed: 3, rate_limit_storm: 0.5 })
    const first = []
    for (let n = 0; n < 16; n++) first.push(await a.api('GET', '/v1/ping'))
    await a.api('PUT', faults, { seed: 3, rate_limit_storm: 0.5 })
    const second = []
    for (let n = 0; n < 16; n++) second.push((await a.api('GET', '/v1/ping')).status)
    const neighbour = await b.api('GET', '/v1/ping')
    await a.api('PUT', faults, {})
    const calm = await a.api('GET', '/v1/ping')

    const statuses = first.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(second).toEqual(statuses)
    const refused = first.find(({ status }) => status === 429)
    if (!refused) throw new Error('one was refused')
    expectError(refused, 429)
    expect(refused.headers.get('x-hookswitchapi-remaining')).toBe('0')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect([neighbour.status, calm.status]).toEqual([200, 200])
  })

  test('outbound calls fail and calls drop on the Numbers of the company', async () => {
    const office = await openOffice(open)
    const { ada, a, clock, show, eventNames } = office
    const line = await office.line()
    await office.connect(ada)

    await a.api('PUT', faults, { carrier_failure: 1 })
    const failed = await office.dials(ada, line, '+33199000555')
    await clock.advance(minute)
    await a.api('PUT', faults, { drop_media: 1 })
    const dropped = await office.dials(ada, line, '+33199000555')
    await clock.advance(minute)

    if (!failed.ok || !dropped.ok) throw new Error('both calls begin')
    expect(await eventNames(failed.callId ?? 0)).not.toContain('answered')
    expect(await eventNames(dropped.callId ?? 0)).toEqual(expect.arrayContaining(['answered', 'hungup']))
    expect((await show(dropped.callId ?? 0)).duration).toBeLessThan(25)
  })

  test('faults survive a restart', async () => {
    const before = await open()
    await before.a.api('PUT', faults, { rate_limit_storm: 1 })

    const { a } = await before.restart()

    expect((await a.api('GET', '/v1/ping')).status).toBe(429)
  })
})

test('invalid faults are rejected and change nothing', async () => {
  const { a } = await testApp()

  for (const body of [
    { seed: -1 },
    { seed: 1.5 },
    { duplicate_events: 2 },
    { late_events_seconds: -1 },
    { rate_limit_storm: '1' },
    { carrier_failure: null },
    { drop_media: true },
  ]) {
    expectError(await a.api('PUT', faults, { rate_limit_storm: 1, ...body }), 400, JSON.stringify(body))
  }

  expect((await a.api('GET', '/v1/ping')).status).toBe(200)
})
