import { expect, test } from 'vitest'
import { monday, onAnyDatabase, type TestApp, type TestCompany } from '../kit/app.ts'
import { heldClock } from '../kit/clocks.ts'
import { addUser } from '../kit/flows.ts'
import { addContact } from '../kit/webhooks.ts'
import { eventually, hubOf, openPhone } from './phone-app.ts'

// Sockets break; sessions and the log persist.

/** Two events about the user, one of each version. */
const toggle = (company: TestCompany, userId: number, isOpen: boolean) =>
  company.api('PUT', `/v2/users/${userId}`, { availability_status: isOpen ? 'available' : 'unavailable' })

async function positionsAbout({ app, db, a }: TestApp, userId: number, after: number): Promise<number[]> {
  await app.settle()
  const rows = await db
    .selectFrom('event')
    .select('position')
    .where('company_id', '=', a.id)
    .where('resource_key', '=', `user:${userId}`)
    .where('position', '>', after)
    .orderBy('position')
    .execute()
  return rows.flatMap(({ position }) => position ?? [])
}

const connections = async ({ events, a }: TestApp) =>
  (await events(a)).map(({ name }) => name).filter((name) => /^user\.(dis)?connected$/.test(name))

const gone = (world: TestApp, userId: number) =>
  eventually(() => hubOf(world).localPhones(world.a.id, userId).length === 0)

onAnyDatabase('resuming a session', (open) => {
  test('a resumed session receives all missed events once, in order, while more happen', async () => {
    const world = await open()
    const { a } = world
    const ada = await addUser(a, 'Ada')
    const bea = await addUser(a, 'Bea')
    let phone = await openPhone(world, { userId: ada.id, query: { session: 'tab' } })
    const begin = phone.received[0].position
    const seen: number[] = []
    const writing = (async () => {
      for (let i = 0; i < 30; i++) {
        await toggle(a, ada.id, i % 2 === 1)
        await toggle(a, bea.id, i % 2 === 1)
        if (i % 5 === 0) await addContact(a.api, `Contact ${i}`)
      }
    })()

    let isDone = false
    void writing.then(() => {
      isDone = true
    })
    while (!isDone) {
      // Disconnects at any moment.
      await Promise.race([phone.until((received) => received.length > 3).catch(() => {}), writing])
      phone.socket.terminate()
      await phone.over
      seen.push(...phone.positions())
      phone = await openPhone(world, { userId: ada.id, query: { session: 'tab', after: seen.at(-1) ?? begin } })
    }
    await writing
    const wanted = await positionsAbout(world, ada.id, begin)
    await phone.until(() => seen.length + phone.positions().length >= wanted.length)

    expect([...seen, ...phone.positions()]).toEqual(wanted)
    expect(wanted.length).toBe(2 + 60)
  })

  test('from the beginning, from a header, and from beyond the end', async () => {
    const world = await open()
    const { a } = world
    const ada = await addUser(a, 'Ada')
    for (let i = 0; i < 60; i++) await toggle(a, ada.id, i % 2 === 1)
    const all = await positionsAbout(world, ada.id, 0)

    const whole = await openPhone(world, { userId: ada.id, query: { after: 0 } })
    const connected = 2
    await whole.until(() => whole.positions().length >= all.length + connected)
    const rest = await openPhone(world, { userId: ada.id, headers: { 'last-event-id': String(all[50]) } })
    await rest.until(() => rest.positions().length >= all.length - 51 + connected)
    const beyond = await openPhone(world, { userId: ada.id, query: { after: 999_999_999 } })

    expect(whole.positions().slice(0, all.length)).toEqual(all)
    expect(rest.positions().slice(0, all.length - 51)).toEqual(all.slice(51))
    expect(beyond.received[0].position).toBeLessThan(999_999_999)
  })

  test('a session that reconnects in time stays open', async () => {
    const clock = heldClock(monday)
    const world = await open({ clock })
    const { a } = world
    const ada = await addUser(a, 'Ada')
    const tab = { userId: ada.id, query: { session: 'tab' } }

    await (await openPhone(world, tab)).close()
    await gone(world, ada.id)
    clock.advanceMachine(5_000)
    const back = await openPhone(world, tab)
    clock.advanceMachine(20_000)
    await back.ask({ type: 'active' })
    await world.settle()
    expect(await connections(world)).toEqual(['user.connected'])
    await back.close()
    await gone(world, ada.id)
    clock.advanceMachine(10_000)
    await hubOf(world).settle()

    expect(await connections(world)).toEqual(['user.connected', 'user.disconnected'])
    expect(await world.db.selectFrom('phone_session').select('id').execute()).toEqual([])
  })

  test('two phone apps are two sessions', async () => {
    const clock = heldClock(monday)
    const world = await open({ clock })
    const ada = await addUser(world.a, 'Ada')
    const first = await openPhone(world, { userId: ada.id })
    await openPhone(world, { userId: ada.id })

    await first.close()
    await eventually(() => hubOf(world).localPhones(world.a.id, ada.id).length === 1)
    clock.advanceMachine(10_000)
    await hubOf(world).settle()

    expect(await connections(world)).toEqual(['user.connected', 'user.connected', 'user.disconnected'])
  })

  test('a session that reconnects in time after a restart stays open, any other is closed', async () => {
    const clock = heldClock(monday)
    const world = await open({ clock })
    const ada = await addUser(world.a, 'Ada')
    const tab = { userId: ada.id, query: { session: 'tab' } }
    await openPhone(world, tab)
    await openPhone(world, { userId: ada.id, query: { session: 'closed' } })

    const later = await world.restart(60_000)
    await openPhone(later, tab)
    expect(await connections(later)).toEqual(['user.connected', 'user.connected'])
    clock.advanceMachine(10_000)
    await eventually(async () => (await connections(later)).length === 3)

    expect(await connections(later)).toEqual(['user.connected', 'user.connected', 'user.disconnected'])
    expect(await later.db.selectFrom('phone_session').select('name').execute()).toEqual([{ name: 'tab' }])
  })

  test('messages of one process reach sockets of another, in order', async () => {
    const clock = heldClock(monday)
    const world = await open({ clock })
    const other = world.app.database.shared ? await world.beside() : world
    const { a } = world
    const ada = await addUser(a, 'Ada')
    const here = await openPhone(world, { userId: ada.id, query: { session: 'here' } })
    const there = await openPhone(other, { userId: ada.id, query: { session: 'there' } })
    const { send } = world.app.services.liveHub
    // More than a database notification can hold.
    const big = [{ type: 'title', text: 'é'.repeat(9_000) }]

    for (let i = 0; i < 20; i++) send(a.id, ada.id, { kind: 'insight_card', callId: i, contents: big })
    send(a.id, ada.id, { kind: 'dial', to: '+33199000001' }, 'latest')
    await there.first('dial')
    await here.ask({ type: 'active' })
    // Other processes are notified within a few seconds.
    clock.advanceMachine(3_000)
    await hubOf(world).settle()
    send(a.id, ada.id, { kind: 'dial', to: '+33199000002' }, 'latest')
    other.app.services.liveHub.send(a.id, ada.id, { kind: 'dial', to: '+33199000003' }, 'latest')
    await here.until((received) => received.filter(({ type }) => type === 'dial').length === 2)
    send(a.id, ada.id, { kind: 'dialer_campaign' })
    await there.first('dialer_campaign')
    await here.first('dialer_campaign')

    for (const phone of [here, there]) {
      const cards = phone.received.filter(({ type }) => type === 'insight_card')
      expect(cards.map(({ call_id }) => call_id)).toEqual(Array.from({ length: 20 }, (_, i) => i))
      expect(cards.at(-1).contents).toEqual(big)
    }
    expect(there.received.filter(({ type }) => type === 'dial').map(({ to }) => to)).toEqual(['+33199000001'])
    expect(await world.db.selectFrom('call_command').select('id').execute()).toEqual([])
  })

  test('a session that reconnects to another process moves there', async () => {
    const clock = heldClock(monday)
    const world = await open({ clock })
    const other = world.app.database.shared ? await world.beside() : world
    const ada = await addUser(world.a, 'Ada')
    const tab = { userId: ada.id, query: { session: 'tab' } }
    const before = await openPhone(world, tab)

    const after = await openPhone(other, tab)
    expect((await before.over).code).toBe(4001)
    clock.advanceMachine(10_000)
    await hubOf(world).settle()
    clock.advanceMachine(10_000)
    await hubOf(world).settle()

    expect((await after.ask({ type: 'active' })).ok).toBe(true)
    expect(await connections(world)).toEqual(['user.connected'])
  })

  test('sessions of an ended process are closed by the remaining ones', async ({ skip }) => {
    const clock = heldClock(monday)
    const world = await open({ clock })
    if (!world.app.database.shared) skip()
    const other = await world.beside()
    const ada = await addUser(world.a, 'Ada')
    await openPhone(other, { userId: ada.id, query: { session: 'a' } })
    await openPhone(other, { userId: ada.id, query: { session: 'b' } })
    await other.stop()
    clock.advanceMachine(10_000)
    await hubOf(world).settle()
    // One reconnects here in time.
    await openPhone(world, { userId: ada.id, query: { session: 'b' } })

    await clock.nextHeld(10_000)
    clock.advanceMachine(10_000)
    await eventually(async () => (await connections(world)).length === 3)

    expect(await connections(world)).toEqual(['user.connected', 'user.connected', 'user.disconnected'])
    const left = await world.db.selectFrom('phone_session').select('name').execute()
    expect(left.map(({ name }) => name)).toEqual(['b'])
  })
})
