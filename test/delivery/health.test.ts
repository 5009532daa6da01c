import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import { isWaiting } from '../../src/jobs/queue.ts'
import { day, hour, minute } from '../../src/lib/clock.ts'
import { monday, onAnyDatabase } from '../kit/app.ts'
import { addUser } from '../kit/flows.ts'
import { type Received, receiver } from '../kit/receiver.ts'
import { addContact, addHook, contactEvents, hookOf, mailsAbout, must, rename } from '../kit/webhooks.ts'

// End to end: a failing receiver causes warnings, is disabled, probed, and finally gets everything it missed.

const iso = (at: number) => new Date(at).toISOString()
const names = (got: readonly Received[]) => got.map(({ body }) => body.data.first_name)

/** Resolves when no job with this key is pending or running. */
async function untilDone(db: Db, key: string): Promise<void> {
  while (await isWaiting(db, key)) await setImmediate()
}

onAnyDatabase('a receiver that fails', (open) => {
  test('is reported three times, disabled after five days, probed, and then receives everything in order', async () => {
    const world = await open()
    const { a, b, clock } = world
    const admin = await addUser(a, 'Bea')
    must(await a.api('PUT', `/v2/users/${admin.id}`, { role_ids: ['admin'] }), 200)
    await addUser(a, 'Cleo')
    const customer = await receiver(500)
    const [listener, everything] = [await receiver(), await receiver()]
    const hook = await addHook(a.api, customer, contactEvents, 'CRM')
    await addHook(a.api, listener, ['webhook.failing', 'webhook.disabled'])
    await addHook(a.api, everything)
    await addHook(b.api, everything, ['webhook.failing', 'webhook.disabled'])
    customer.verifyWith(hook.secret)
    const received = () => listener.got.map(({ body }) => `${body.event} ${(body.timestamp * 1_000 - monday) / hour} h`)
    const warnings = () => mailsAbout(a, 'CRM is failing')

    // A new contact twice a day: only failures, no success.
    const ada = await addContact(a.api, 'Ada')
    await world.settle()
    await clock.advance(hour - 1)
    expect([received(), await warnings()]).toEqual([[], []])
    for (let halfDays = 0; halfDays < 12; halfDays++) {
      await addContact(a.api, `Number ${halfDays}`)
      await clock.advance(0)
      if ((await hook.health()).status === 'disabled') break
      await clock.advance(12 * hour)
      if ((await hook.health()).status === 'disabled') break
    }

    const warned = received()
    expect(warned.map((one) => one.split(' ', 1)[0])).toEqual([...Array(3).fill('webhook.failing'), 'webhook.disabled'])
    const [hour1 = 0, hour24 = 0, hour96 = 0, off = 0] = warned.map((one) => Number(one.split(' ')[1]))
    for (const [at, least] of [
      [hour1, 1],
      [hour24, 24],
      [hour96, 96],
      [off, 120],
    ] as const) {
      expect(at).toBeGreaterThanOrEqual(least)
      expect(at).toBeLessThan(least + 8)
    }
    const [first] = listener.got
    expect(first?.body).toMatchObject({ resource: 'webhook', event: 'webhook.failing' })
    expect(first?.body.data).toEqual({
      webhook_id: hook.id,
      custom_name: 'CRM',
      url: customer.url,
      failing_since: iso(monday),
      consecutive_failures: expect.any(Number),
      disables_at: iso(monday + 120 * hour),
    })
    expect(listener.got.at(-1)?.body.data).toMatchObject({ webhook_id: hook.id, reason: 'failing' })
    expect(listener.got.map(({ headers }) => headers['webhook-sequence'])).toEqual(['1', '2', '3', '4'])
    // To the owner, who also created the key, and to the admin, once each; to no other user or company.
    const to = (mails: { to: string }[]) => mails.map((mail) => mail.to).toSorted()
    const both = ['bea@example.test', 'company-a@example.test']
    expect(to(await warnings())).toEqual([...both, ...both, ...both].toSorted())
    expect((await warnings())[0]?.text).not.toContain('/hook')
    expect(to(await mailsAbout(a, 'CRM was disabled'))).toEqual(both)
    expect(await mailsAbout(b, 'CRM')).toEqual([])
    expect(everything.got.filter(({ body }) => body.resource === 'webhook')).toEqual([])

    // Deliveries are held; only one probe is sent every five minutes.
    const disabled = await hook.health()
    expect(disabled).toMatchObject({ status: 'disabled', disable_reason: 'failing', disables_at: null, pending: 0 })
    expect(disabled.consecutive_failures).toBeGreaterThanOrEqual(50)
    expect((await a.api('GET', hook.path)).json.webhook.active).toBe(false)
    const oldest = (await hook.log('state=held'))[0]
    const before = customer.got.length
    for (const name of ['Augusta', 'Countess', 'Lovelace']) await rename(a.api, ada, name)
    await world.settle()
    expect((await hook.log(`resource_id=${ada}`)).slice(-3).map(({ state, kind }) => [state, kind])).toEqual(
      Array(3).fill(['held', 'live']),
    )
    const since = Date.parse(disabled.disabled_at) - clock.now()
    await clock.advance(hour)
    const tries = customer.got.slice(before)
    expect(tries).toHaveLength(Math.floor((hour - since) / (5 * minute)) - Math.floor(-since / (5 * minute)))
    expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(tries[0]?.headers['webhook-id']).toBe(oldest.message_id)
    expect((await hook.health()).consecutive_failures).toBe(disabled.consecutive_failures)

    // One success enables it again: held deliveries arrive in order.
    const held = (await hook.health()).held
    const count = customer.got.length
    customer.behave(204)
    await clock.advance(5 * minute)
    await clock.advance(24 * hour)
    expect(await hook.health()).toMatchObject({
      status: 'active',
      disable_reason: null,
      held: 0,
      pending: 0,
      health: 'proven',
    })
    const came = customer.got.slice(count)
    expect(came).toHaveLength(held)
    expect(names(came.filter(({ body }) => body.event === 'contact.updated'))).toEqual([
      'Augusta',
      'Countess',
      'Lovelace',
    ])
    expect((await hook.log('order=desc')).filter(({ kind }) => kind === 'backlog').length).toBeGreaterThan(3)
    // A new series of failures starts from zero, with new warnings.
    const mails = (await warnings()).length
    customer.behave(500)
    await addContact(a.api)
    await world.settle()
    await clock.advance(3 * hour)
    expect((await warnings()).length).toBe(mails + 2)
    expect(await hook.health()).toMatchObject({ status: 'active', failing_since: expect.any(String) })
    console.log(`${disabled.consecutive_failures} failures, ${tries.length} tries, ${held} held, ${came.length} came`)
  })

  test.each([
    'its owner',
    'an administrator',
  ])('is probed for half a day after it was disabled; when %s enables it, it receives a test event first', async (who) => {
    let world = await open()
    const { a, clock } = world
    const customer = await receiver(500)
    const hook = await addHook(a.api, customer, contactEvents)
    for (let i = 0; i < 8; i++) await addContact(a.api, `Early ${i}`)
    await world.settle()
    await clock.advance(100 * hour)
    const given = (await hook.log('state=exhausted')).length
    await addContact(a.api, 'Late 1')
    await addContact(a.api, 'Late 2')
    await world.settle()
    await clock.advance(28 * hour)
    expect([given, (await hook.health()).status]).toEqual([8, 'disabled'])
    const before = customer.got.length
    await clock.advance(12 * hour)
    const tries = customer.got.length - before
    await clock.advance(2 * hour)
    expect(customer.got.length - before).toBe(tries)
    expect(tries).toBeLessThanOrEqual(12 * 12)
    expect(tries).toBeGreaterThan(100)

    customer.behave(204)
    const count = customer.got.length
    if (who === 'its owner') await hook.put({ active: true })
    else expect((await a.api('PUT', `/v1/admin/webhooks/${hook.id}`, { active: true })).status).toBe(200)
    await world.settle()

    const came = customer.got.slice(count)
    expect(came[0]?.body.event).toBe('webhook.test')
    expect(came[0]?.headers['webhook-test']).toBe('true')
    expect(names(came.slice(1)).toSorted()).toEqual(['Late 1', 'Late 2'])
    expect(await hook.health()).toMatchObject({
      status: 'active',
      held: 0,
      consecutive_failures: 0,
      failing_since: null,
    })
    expect(await hook.log('state=exhausted')).toHaveLength(8)
    // Deliveries held for two weeks are not sent automatically.
    customer.behave(410)
    await addContact(a.api, 'Old')
    await world.settle()
    world = await world.restart(14 * day - 1)
    const late = hookOf(world.a.api, hook)
    await addContact(world.a.api, 'Newer')
    await world.settle()
    await clock.advance(2 * hour)
    customer.behave(204)
    const rest = customer.got.length
    await late.put({ active: true })
    await world.settle()
    // The test event is in flight and does not block later deliveries.
    const last = customer.got.slice(rest).map(({ body }) => body.data.first_name ?? body.event)
    expect(last.toSorted()).toEqual(['Newer', 'webhook.test'])
    expect(await late.log('state=expired')).toMatchObject([
      { resource: 'contact', next_attempt_at: null, finished_at: expect.any(String) },
    ])
  })

  test('gets a test event when it is enabled, and held deliveries once it has responded', async () => {
    const world = await open()
    const { a, db } = world
    const customer = await receiver(410)
    const hook = await addHook(a.api, customer, contactEvents)
    await addContact(a.api, 'Gone')
    await world.settle()
    for (const name of ['Held 1', 'Held 2']) await addContact(a.api, name)
    await world.settle()
    expect(await hook.health()).toMatchObject({ status: 'disabled', held: 3 })

    let respond = () => {}
    customer.behave((request, response) => {
      respond = () => response.writeHead(204).end()
      if (request.headers['webhook-test'] !== 'true') respond()
    })
    const count = customer.got.length
    await hook.put({ active: true })
    await customer.until((got) => got.length > count)
    await untilDone(db, `webhook.follow:${hook.id}`)
    expect(customer.got.slice(count).map(({ body }) => body.event)).toEqual(['webhook.test'])
    expect(await hook.health()).toMatchObject({ status: 'active', held: 3 })

    respond()
    await world.settle()
    expect(names(customer.got.slice(count + 1)).toSorted()).toEqual(['Gone', 'Held 1', 'Held 2'])
    expect(await hook.health()).toMatchObject({ status: 'active', held: 0, pending: 0 })
  })

  test('may be paused, moved and deleted while deliveries are pending', async () => {
    const world = await open()
    const { a, clock, db } = world
    const [customer, other] = [await receiver(500), await receiver()]
    const hook = await addHook(a.api, customer, contactEvents)
    const ada = await addContact(a.api, 'Ada')
    await world.settle()

    // Paused: pending deliveries stay, new events are not recorded for it; they can be replayed later (replay.test.ts).
    await hook.put({ active: false })
    await world.settle()
    await rename(a.api, ada, 'Unsent')
    await world.settle()
    await clock.advance(hour)
    expect(customer.got).toHaveLength(1)
    expect(await hook.health()).toMatchObject({ status: 'paused', disable_reason: null, held: 1, pending: 0 })
    expect(await hook.log()).toHaveLength(1)
    await hook.put({ active: true })
    await rename(a.api, ada, 'Sent')
    await clock.advance(0)
    await clock.advance(minute)
    expect(names(customer.got)).toEqual(['Ada', 'Ada', 'Ada'])
    expect(customer.got.some(({ body }) => body.event === 'webhook.test')).toBe(false)

    // URL changed: pending deliveries go to the new URL, whose health is unknown.
    await clock.advance(hour)
    expect(await hook.health()).toMatchObject({ health: 'failing', failing_since: iso(monday) })
    await hook.put({ url: other.url })
    expect(await hook.health()).toMatchObject({ health: 'unproven', consecutive_failures: 0, failing_since: null })
    const count = customer.got.length
    await clock.advance(2 * hour)
    expect(customer.got).toHaveLength(count)
    // The two have been independent for long: each is retried after its own delay.
    expect(names(other.got).toSorted()).toEqual(['Ada', 'Sent'])
    expect(await hook.health()).toMatchObject({ health: 'proven', pending: 0 })

    // Deleted with a delivery in each state: nothing is sent any more, and nothing is left.
    other.behave(500)
    await addContact(a.api, 'Queued')
    await world.settle()
    let answer = () => {}
    other.behave((_request, response) => {
      answer = () => response.writeHead(500).end()
    })
    await addContact(a.api, 'Under way')
    await other.until((got) => names(got).includes('Under way'))
    must(await a.api('DELETE', hook.path), 204)
    expect((await a.api('GET', `${hook.path}/deliveries`)).status).toBe(404)
    await addContact(a.api, 'After')
    const sent = other.got.length
    answer()
    await world.settle()
    await clock.advance(minute)
    await clock.advance(100 * hour)
    expect(other.got).toHaveLength(sent)
    for (const [table, column] of [
      ['delivery', 'webhook_id'],
      ['stream', 'webhook_id'],
      ['webhook', 'id'],
      ['webhook_event', 'webhook_id'],
    ] as const) {
      const rows = await db
        .selectFrom(table as 'delivery')
        .selectAll()
        .where(column as 'webhook_id', '=', hook.id)
        .execute()
      expect([table, rows]).toEqual([table, []])
    }
    const attempts = await db.selectFrom('attempt').select('id').where('company_id', '=', a.id).execute()
    expect(attempts).toEqual([])
  })
})
