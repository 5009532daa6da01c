import { expect, test } from 'vitest'
import { day, hour, minute } from '../../src/lib/clock.ts'
import { monday, onAnyDatabase, type TestApp } from '../kit/app.ts'
import { heldClock } from '../kit/clocks.ts'
import { addUser } from '../kit/flows.ts'
import { type Behaviour, receiver } from '../kit/receiver.ts'
import { addHook, hookOf, must } from '../kit/webhooks.ts'

// Deleting a user also erases pending deliveries and stored responses.

/** All stored data about deliveries, as text. */
async function stored({ db }: TestApp): Promise<string> {
  const events = await db.selectFrom('event').selectAll().execute()
  const deliveries = await db.selectFrom('delivery').selectAll().execute()
  const attempts = await db.selectFrom('attempt').selectAll().execute()
  return JSON.stringify([events, deliveries, attempts])
}

/** A receiver that echoes the request. */
const quoting =
  (status: number): Behaviour =>
  ({ raw }, response) =>
    response.writeHead(status, { 'x-quote': 'zenobia' }).end(`I do not want ${raw}`)

const redacted = (id: number) => ({ name: 'Deleted user', email: `deleted-user-${id}@redacted.invalid` })

onAnyDatabase('a deleted user', (open) => {
  test('sends the complete deletion event once per webhook; other pending deliveries are redacted', async () => {
    const world = await open()
    const { a, clock } = world
    const [down, well, late] = [
      await receiver(quoting(500)),
      await receiver(quoting(200)),
      await receiver(quoting(500)),
    ]
    const hooks = [
      await addHook(a.api, down),
      await addHook(a.api, well),
      await addHook(a.api, late, ['user.deleted', 'user.deleted.v2']),
    ]
    for (const [index, customer] of [down, well, late].entries()) customer.verifyWith(hooks[index]?.secret ?? '')
    const { id } = await addUser(a, 'Zenobia')
    must(await a.api('PUT', `/v2/users/${id}`, { availability_status: 'unavailable', substatus: 'out_for_lunch' }), 200)
    await world.settle()
    expect(down.got.length).toBeGreaterThan(0)
    expect(await stored(world)).toContain('I do not want')

    must(await a.api('DELETE', `/v1/users/${id}`), 204)
    await world.settle()
    const kept = (await world.db.selectFrom('event').selectAll().execute()).filter(({ data }) =>
      data.includes('Zenobia'),
    )
    expect(kept.map(({ name }) => name).toSorted()).toEqual(['user.deleted', 'user.deleted.v2'])
    const attempts = await world.db
      .selectFrom('attempt')
      .innerJoin('delivery', 'delivery.id', 'attempt.delivery_id')
      .select(['response_body', 'response_headers'])
      .where('event_name', 'not like', 'user.deleted%')
      .execute()
    expect(attempts.length).toBeGreaterThan(5)
    expect(
      attempts.filter(({ response_body, response_headers }) => `${response_body}${response_headers}`.match(/zenobia/i)),
    ).toEqual([])

    // The recovered receiver gets what it missed: ids, and the complete deletion event.
    const before = down.got.length
    down.behave(quoting(200))
    await clock.advance(3 * minute)
    const came = down.got.slice(before)
    const others = came.filter(({ body }) => !body.event.startsWith('user.deleted'))
    expect(others.length).toBeGreaterThan(2)
    for (const { body } of others) expect(body.data).toMatchObject({ id, ...redacted(id), language: 'en-US' })
    for (const customer of [down, well]) {
      const farewells = customer.got.filter(({ body }) => body.event.startsWith('user.deleted'))
      expect(farewells.map(({ body }) => body.event).toSorted()).toEqual(['user.deleted', 'user.deleted.v2'])
      for (const { body } of farewells) expect(body.data).toMatchObject({ id, email: 'zenobia@example.test' })
    }

    // One webhook has not received it yet: the deletion event stays until then, at most an hour longer.
    await clock.advance(2 * hour)
    expect(await stored(world)).toMatch(/zenobia/)
    late.behave(quoting(200))
    await clock.advance(3 * hour)
    const attempted = late.got.filter(({ headers }) => headers['webhook-attempt'] !== undefined)
    expect(new Set(attempted.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
    expect(new Set(attempted.map(({ raw }) => raw)).size).toBe(2)
    expect((await hooks[2]?.log())?.map(({ state }) => state)).toEqual(['delivered', 'delivered'])
    expect(await stored(world)).not.toMatch(/zenobia|I do not want/i)
    expect(world.logged()).not.toMatch(/zenobia/i)

    // A redelivery contains only what is left.
    const [first] = (await hooks[1]?.log('event=user.deleted')) ?? []
    const count = well.got.length
    must(await a.api('POST', `${hooks[1]?.path}/deliveries/${first.id}/redeliver`), 201)
    await world.settle()
    expect(well.got.slice(count).map(({ body }) => body.data)).toMatchObject([{ id, ...redacted(id) }])
    console.log(
      `${came.length} pending sent, ${attempts.length} answers emptied, ${attempted.length} attempts of a farewell`,
    )
  })

  test('is not stored by a response that was still in transit', async () => {
    const world = await open({ clock: heldClock(monday) })
    const { a, db } = world
    const held: (() => void)[] = []
    const customer = await receiver((request, response, raw) => {
      held.push(() => quoting(200)(request, response, raw))
    })
    const unreachable = await receiver(500)
    await addHook(a.api, customer, ['user.created'])
    await addHook(a.api, unreachable, ['user.deleted'])
    const { id } = await addUser(a, 'Zenobia')
    await customer.until((got) => got.length === 1)
    must(await a.api('DELETE', `/v1/users/${id}`), 204)
    const redacted = () =>
      db
        .selectFrom('event')
        .select('id')
        .where('name', '=', 'user.created')
        .where('redacted_at', 'is not', null)
        .execute()
    while ((await redacted()).length === 0) await new Promise(setImmediate)

    for (const answer of held) answer()
    await world.settle()

    const attempts = await db.selectFrom('attempt').select(['response_body', 'response_headers']).execute()
    expect(attempts.length).toBeGreaterThan(1)
    expect(JSON.stringify(attempts)).not.toMatch(/zenobia/i)
  })

  test('is erased after two weeks even if a webhook never received it', async () => {
    let world = await open()
    const { a, clock } = world
    const gone = await receiver(410)
    const hook = await addHook(a.api, gone, ['user.created', 'user.deleted'])
    const { id } = await addUser(a, 'Zenobia')
    await world.settle()
    must(await a.api('DELETE', `/v1/users/${id}`), 204)
    await world.settle()

    world = await world.restart(13 * day)
    await clock.advance(day - minute)
    const lastMinute = await stored(world)
    await clock.advance(hour)

    expect(lastMinute).toMatch(/zenobia/i)
    expect(await stored(world)).not.toMatch(/zenobia/i)
    expect(gone.got).toHaveLength(1)
    const [farewell] = await hookOf(world.a.api, hook).log('event=user.deleted')
    expect((await hookOf(world.a.api, hook).detail(farewell.id)).body).toContain(redacted(id).email)
  })
})
