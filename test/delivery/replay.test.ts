import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { transaction } from '../../src/db/database.ts'
import { appendEvents } from '../../src/events/log.ts'
import { day, hour, minute, second } from '../../src/lib/clock.ts'
import { monday, onAnyDatabase, type TestApp } from '../kit/app.ts'
import { heldClock } from '../kit/clocks.ts'
import { type Received, receiver } from '../kit/receiver.ts'
import { addContact, addHook, contactEvents, type Hook, must, rename } from '../kit/webhooks.ts'

// Delivered, failed and missed events can be replayed.

/** Changes of resources of company A, written in one commit. */
const happen = ({ db, clock, a }: TestApp, things: readonly number[]) =>
  transaction(db, (tx) => {
    const events = things.map((id, index) => ({
      name: 'contact.updated',
      resource: 'contact',
      resourceKey: `contact:${id}`,
      occurredAt: clock.now(),
      data: JSON.stringify({ id, index }),
    }))
    return appendEvents(tx, clock, a.id, events)
  })

const isReplay = ({ headers }: Received) => headers['webhook-replay'] === 'true'
const keyOf = ({ headers, raw }: Received) => `${headers['webhook-id']} ${headers['webhook-sequence']} ${raw}`
const replayed = (of: { got: Received[] }) => of.got.filter(isReplay)

/** A receiver that accepts live events immediately and delays replays until released. */
async function patient() {
  const held: ServerResponse[] = []
  let status: number | undefined
  const customer = await receiver((request, response) => {
    if (!isReplay(request) || status !== undefined) response.writeHead(isReplay(request) ? (status ?? 204) : 204).end()
    else held.push(response)
  })
  const answer = (with_: number) => {
    status = with_
    for (const response of held.splice(0)) response.writeHead(with_).end()
  }
  return { customer, answer }
}

const progressOf = async (world: TestApp, hook: Hook, id: string) =>
  must(await world.a.api('GET', `${hook.path}/replays/${id}`), 200).json.replay

onAnyDatabase('a replay', (open) => {
  test('sends hundreds of failed deliveries again, unchanged, in order per resource, without delaying others', async () => {
    const world = await open({ clock: heldClock(monday) })
    const { a, db } = world
    const [count, resources] = [300, 30]
    const { customer, answer } = await patient()
    const hook = await addHook(a.api, customer, contactEvents)
    customer.verifyWith(hook.secret)
    await happen(
      world,
      Array.from({ length: count }, (_, index) => index % resources),
    )
    await world.settle()
    const before = [...customer.got]
    const health = await hook.health()
    await db
      .updateTable('delivery')
      .set({ state: 'exhausted', attempts: 13 })
      .where('webhook_id', '=', hook.id)
      .execute()

    const range = { from: monday / second, to: monday / second }
    const started = must(await a.api('POST', `${hook.path}/replays`, range), 201).json.replay
    expect(started).toMatchObject({ state: 'running', total: count, done: 0, webhook_id: hook.id })
    await customer.until((got) => got.filter(isReplay).length === 2)
    // Both hang. New events, also of the same resources, arrive immediately.
    await happen(world, [0, 1, 500])
    await customer.until((got) => got.length === count + 2 + 3)
    expect((await world.anonymous('GET', '/metrics')).text).toMatch(/^hookswitch_outbox_in_flight{lane="backlog"} 2$/m)
    expect(replayed(customer)).toHaveLength(2)
    const live = customer.got.filter((request) => !isReplay(request)).slice(count)
    expect(live.map(({ headers }) => headers['webhook-sequence']).toSorted()).toEqual(['1', '11', '11'])
    expect(await progressOf(world, hook, started.id)).toMatchObject({ state: 'running', total: count, done: 0 })

    answer(204)
    await world.settle()

    const again = replayed(customer)
    expect(again.map(keyOf).toSorted()).toEqual(before.map(keyOf).toSorted())
    const last = new Map<number, number>()
    for (const { body, headers } of again) {
      const sequence = Number(headers['webhook-sequence'])
      expect(sequence).toBe((last.get(body.data.id) ?? 0) + 1)
      last.set(body.data.id, sequence)
    }
    expect(await progressOf(world, hook, started.id)).toMatchObject({ state: 'done', total: count, done: count })
    expect(await hook.log('state=exhausted')).toHaveLength(50)
    expect(await hook.health()).toMatchObject({ status: 'active', consecutive_failures: health.consecutive_failures })
    console.log(`${again.length} of ${count} replayed over ${last.size} resources, ${live.length} live beside them`)
  })

  test('takes one, some, a range, or what a paused webhook missed', async () => {
    const world = await open()
    const { a, clock } = world
    const customer = await receiver()
    const hook = await addHook(a.api, customer, contactEvents)
    customer.verifyWith(hook.secret)
    const ada = await addContact(a.api, 'Ada')
    await world.settle()
    await clock.advance(hour)
    customer.behave(500)
    const bea = await addContact(a.api, 'Bea')
    await clock.advance(80 * hour)
    customer.behave(204)
    await rename(a.api, ada, 'Augusta')
    await world.settle()
    const log = await hook.log()
    expect(log.map(({ state }) => state)).toEqual(['delivered', 'exhausted', 'delivered'])
    const originals = new Map([...customer.got].map((request) => [request.headers['webhook-id'], keyOf(request)]))
    const ask = async (body: object) => {
      const before = customer.got.length
      const { replay } = must(await a.api('POST', `${hook.path}/replays`, body), 201).json
      await world.settle()
      const came = customer.got.slice(before)
      expect(came.every(isReplay)).toBe(true)
      expect(came).toHaveLength(replay.total)
      expect(await progressOf(world, hook, replay.id)).toMatchObject({ state: 'done', done: came.length })
      for (const one of came) {
        if (originals.has(one.headers['webhook-id'])) expect(keyOf(one)).toBe(originals.get(one.headers['webhook-id']))
        expect(one.headers['webhook-attempt']).toBe('1')
      }
      return came.map(({ body: { event, data } }) => `${event} ${data.first_name}`)
    }
    const [from, to] = [monday / second, clock.now() / second]

    expect(await ask({ delivery_ids: [log[2].id, log[0].id, log[0].id] })).toEqual([
      'contact.created Ada',
      'contact.updated Augusta',
    ])
    expect(await ask({ from, to })).toEqual(['contact.created Bea'])
    expect(await ask({ from, to, states: ['delivered'] })).toEqual(['contact.created Ada', 'contact.updated Augusta'])
    expect(await ask({ from, to: from + 60, states: ['delivered', 'exhausted', 'expired'] })).toEqual([
      'contact.created Ada',
    ])
    expect(await ask({ from: from + 60, to: from + 120 })).toEqual([])
    const count = customer.got.length
    must(await a.api('POST', `${hook.path}/deliveries/${log[1].id}/redeliver`), 201)
    await world.settle()
    expect(customer.got.slice(count).map(keyOf)).toEqual([originals.get(log[1].message_id)])
    // A replay references the delivery it repeats.
    const repeats = (await hook.log('order=desc')).filter(({ kind }) => kind === 'replay')
    expect(repeats[0]).toMatchObject({
      replay_of: log[1].id,
      message_id: log[1].message_id,
      sequence: 1,
      state: 'delivered',
    })
    expect(await ask({ delivery_ids: [repeats[0].id] })).toEqual(['contact.created Bea'])

    // While paused nothing is recorded for it; later it may request past events.
    await hook.put({ active: false })
    await world.settle()
    const pausedAt = clock.now() / second
    await rename(a.api, ada, 'Countess')
    await rename(a.api, ada, 'Lovelace')
    await a.api('DELETE', `/v1/contacts/${bea}`)
    await world.settle()
    expect(await hook.log(`from=${pausedAt}&state=held`)).toEqual([])
    expect((await a.api('POST', `${hook.path}/replays`, { from, to })).status).toBe(422)
    expect((await a.api('POST', `${hook.path}/deliveries/${log[1].id}/redeliver`)).status).toBe(422)
    await clock.advance(minute)
    await hook.put({ active: true })
    await world.settle()
    const missed = { from: pausedAt, to: clock.now() / second, include: 'missed' }
    const backfilled = await ask(missed)
    expect(backfilled.toSorted()).toEqual([
      // Erased with the contact.
      'contact.deleted null',
      'contact.updated Countess',
      'contact.updated Lovelace',
    ])
    expect(backfilled.filter((line) => line.includes('updated'))).toEqual([
      'contact.updated Countess',
      'contact.updated Lovelace',
    ])
    expect(await ask(missed)).toEqual([])
    await rename(a.api, ada, 'Ada again')
    await world.settle()
    const sequences = customer.got
      .filter(
        ({ body, headers }) =>
          body.data.id === ada && (!isReplay({ headers } as Received) || Number(headers['webhook-sequence']) > 2),
      )
      .map(({ headers }) => Number(headers['webhook-sequence']))
    expect(sequences).toEqual([1, 2, 3, 4, 5])
  })

  test('that fails does not affect the health of the receiver; a cancelled one stops', async () => {
    const world = await open({ clock: heldClock(monday) })
    const { a, clock } = world
    const { customer, answer } = await patient()
    const hook = await addHook(a.api, customer, contactEvents)
    for (let i = 0; i < 6; i++) await addContact(a.api)
    await world.settle()
    const range = { from: monday / second, to: monday / second, states: ['delivered'] }

    const first = must(await a.api('POST', `${hook.path}/replays`, range), 201).json.replay
    await customer.until((got) => got.filter(isReplay).length === 2)
    must(await a.api('DELETE', `${hook.path}/replays/${first.id}`), 204)
    must(await a.api('DELETE', `${hook.path}/replays/${first.id}`), 204)
    answer(204)
    await world.settle()
    await clock.advance(hour)
    expect(replayed(customer)).toHaveLength(2)
    expect(await progressOf(world, hook, first.id)).toMatchObject({ state: 'cancelled', total: 6, done: 6 })
    const states = (await hook.log()).filter(({ kind }) => kind === 'replay').map(({ state }) => state)
    expect(states.toSorted()).toEqual([...Array(4).fill('cancelled'), 'delivered', 'delivered'])

    answer(503)
    const other = must(await a.api('POST', `${hook.path}/replays`, range), 201).json.replay
    await world.settle()
    await clock.advance(10 * minute)
    expect(replayed(customer)).toHaveLength(2 + 6 * 4)
    expect(await hook.health()).toMatchObject({
      health: 'proven',
      consecutive_failures: 0,
      failing_since: null,
      pending: 6,
    })
    answer(204)
    await clock.advance(hour)
    expect(await progressOf(world, hook, other.id)).toMatchObject({ state: 'done', total: 6, done: 6 })
  })

  test('that is cancelled while a request is in flight does not repeat that request', async () => {
    const world = await open({ clock: heldClock(monday) })
    const { a, clock } = world
    const { customer, answer } = await patient()
    const hook = await addHook(a.api, customer, contactEvents)
    await addContact(a.api)
    await world.settle()
    const [delivery] = await hook.log()

    const { replay } = must(await a.api('POST', `${hook.path}/replays`, { delivery_ids: [delivery.id] }), 201).json
    await customer.until((got) => got.some(isReplay))
    must(await a.api('DELETE', `${hook.path}/replays/${replay.id}`), 204)
    answer(500)
    await world.settle()
    await clock.advance(hour)

    expect(replayed(customer)).toHaveLength(1)
    expect(await progressOf(world, hook, replay.id)).toMatchObject({ state: 'cancelled', done: 1 })
  })

  test('needs a valid request about its own deliveries, and waits when ten are running', async () => {
    const world = await open({ clock: heldClock(monday + 40 * day) })
    const { a, b, clock } = world
    const { customer, answer } = await patient()
    const hook = await addHook(a.api, customer, contactEvents)
    const [sibling, stranger] = [await addHook(a.api, await receiver()), await addHook(b.api, await receiver())]
    await addContact(a.api)
    await addContact(b.api)
    must(await a.api('POST', `${hook.path}/test`, {}), 201)
    await world.settle()
    const log = await hook.log()
    const [own, probe] = ['live', 'test'].map((wanted) => log.find(({ kind }) => kind === wanted))
    const [theirs] = await sibling.log()
    const [foreign] = await stranger.log()
    const now = clock.now() / second
    const asked = async (body: unknown) => (await a.api('POST', `${hook.path}/replays`, body)).status

    for (const missing of [
      {},
      { from: now },
      { to: now },
      { states: ['delivered'] },
      { include: 'missed', from: now },
    ]) {
      expect([missing, await asked(missing)]).toEqual([missing, 422])
    }
    const range = { from: now - 60, to: now }
    for (const invalid of [
      { from: now, to: now - 1 },
      { from: now - 30 * 86_400 - 2, to: now },
      { from: 'yesterday', to: now },
      { from: -1, to: now },
      { ...range, states: [] },
      { ...range, states: ['queued'] },
      { ...range, states: 'delivered' },
      { ...range, include: 'everything' },
      { ...range, include: 'missed', states: ['delivered'] },
      { ...range, delivery_ids: [own.id] },
      { delivery_ids: [] },
      { delivery_ids: own.id },
      { delivery_ids: Array.from({ length: 1_001 }, () => own.id) },
      { delivery_ids: [own.id, 'dlv_nobody'] },
      { delivery_ids: [own.id, theirs.id] },
      { delivery_ids: [foreign.id] },
      { delivery_ids: [probe.id] },
    ]) {
      expect([invalid, await asked(invalid)]).toEqual([invalid, 400])
    }
    expect(await asked({ from: now - 30 * 86_400 + 60, to: now })).toBe(201)
    expect((await a.api('GET', `${hook.path}/replays/rpl_nobody`)).status).toBe(404)
    await world.settle()
    expect(replayed(customer)).toHaveLength(0)

    const answers = await Promise.all(
      Array.from({ length: 12 }, () => a.api('POST', `${hook.path}/replays`, { delivery_ids: [own.id] })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 429, 429])
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await b.api('POST', `${stranger.path}/replays`, { delivery_ids: [foreign.id] })).status).toBe(201)
    const running = answers.find(({ status }) => status === 201)?.json.replay
    must(await a.api('DELETE', `${hook.path}/replays/${running.id}`), 204)
    expect(await asked({ delivery_ids: [own.id] })).toBe(201)
    expect(await asked({ delivery_ids: [own.id] })).toBe(429)
    answer(204)
    await world.settle()
    expect(await asked({ delivery_ids: [own.id] })).toBe(201)
    await world.settle()
  })
})
