import { expect, test } from 'vitest'
import type { PhoneMessage } from '../../src/services.ts'
import { monday, testApp } from '../kit/app.ts'
import { heldClock } from '../kit/clocks.ts'
import { addUser } from '../kit/flows.ts'
import { eventually, hubOf, openPhone, type PhoneApp, type ReceivedMessage } from './phone-app.ts'

// Messages to phone apps, their recipients, and unresponsive apps.

const ofType = (phone: PhoneApp, type: string): ReceivedMessage[] => phone.received.filter((one) => one.type === type)

test('every message has the wire format of the protocol', async () => {
  const world = await testApp()
  const { a, app } = world
  const phone = await openPhone(world, { query: { session: 'tab' } })
  const messages: [PhoneMessage, object][] = [
    [
      { kind: 'ring', key: 'k', callId: 7, from: '+33199000001', numberId: 3, purpose: 'inbound', line: 'real' },
      { type: 'ring', key: 'k', call_id: 7, from: '+33199000001', number_id: 3, purpose: 'inbound', line: 'real' },
    ],
    [
      { kind: 'ring_stop', key: 'k', callId: null, why: 'timeout' },
      { type: 'ring_stop', key: 'k', call_id: null, why: 'timeout' },
    ],
    [
      { kind: 'call', key: 'k', callId: 7, state: 'connected', muted: true },
      { type: 'call', key: 'k', call_id: 7, state: 'connected', muted: true },
    ],
    [
      { kind: 'sdp_answer', key: 'k', session: 'tab', sdpAnswer: null },
      { type: 'sdp_answer', key: 'k', session: 'tab', sdp_answer: null },
    ],
    [
      { kind: 'insight_card', callId: 7, contents: [{ type: 'title', text: 'Ünïcode 📞' }] },
      { type: 'insight_card', call_id: 7, contents: [{ type: 'title', text: 'Ünïcode 📞' }] },
    ],
    [
      { kind: 'dial', to: '+33199000001' },
      { type: 'dial', to: '+33199000001' },
    ],
    [
      { kind: 'presence', availability: 'in_call' },
      { type: 'presence', availability: 'in_call' },
    ],
    [{ kind: 'dialer_campaign' }, { type: 'dialer_campaign' }],
  ]
  const before = phone.received.length

  for (const [message] of messages) app.services.liveHub.send(a.id, a.ownerId, message)
  const isOurs = ({ type }: ReceivedMessage) => type !== 'event'
  await phone.until((all) => all.slice(before).filter(isOurs).length >= messages.length)

  expect(phone.received.slice(before).filter(isOurs).slice(-messages.length)).toEqual(
    messages.map(([, wording]) => wording),
  )
})

test('a message reaches all phone apps of the user, or the most recently used one, and no others', async () => {
  const world = await testApp()
  const { a, b, app } = world
  const ada = await addUser(a, 'Ada')
  const { send } = app.services.liveHub
  const laptop = await openPhone(world, { userId: ada.id, query: { session: 'laptop' } })
  const tablet = await openPhone(world, { userId: ada.id, query: { session: 'tablet' } })
  const owner = await openPhone(world)
  const stranger = await openPhone(world, { company: b })

  send(a.id, ada.id, { kind: 'dialer_campaign' })
  // A user of another company with the same id: a wrong company id reaches no phone.
  send(b.id, ada.id, { kind: 'dialer_campaign' })
  send(a.id, ada.id, { kind: 'dial', to: '+33199000001' }, 'latest')
  await tablet.first('dial')
  await laptop.first('dialer_campaign')
  expect((await laptop.ask({ type: 'active' })).ok).toBe(true)
  send(a.id, ada.id, { kind: 'dial', to: '+33199000002' }, 'latest')
  send(a.id, ada.id, { kind: 'sdp_answer', key: 'k', session: 'tablet', sdpAnswer: 'v=0' })
  await laptop.first('dial')
  await laptop.close()
  await eventually(() => hubOf(world).localPhones(a.id, ada.id).length === 1)
  send(a.id, ada.id, { kind: 'dial', to: '+33199000003' }, 'latest')
  await tablet.until((all) => all.filter(({ type }) => type === 'dial').length === 2)

  expect(ofType(laptop, 'dial').map(({ to }) => to)).toEqual(['+33199000002'])
  expect(ofType(tablet, 'dial').map(({ to }) => to)).toEqual(['+33199000001', '+33199000003'])
  expect([laptop, tablet, owner, stranger].map((phone) => ofType(phone, 'dialer_campaign').length)).toEqual([
    1, 1, 0, 0,
  ])
  expect([laptop, tablet].map((phone) => ofType(phone, 'sdp_answer').length)).toEqual([0, 1])
})

test('a send listener receives all messages, even when no phone app is open', async () => {
  const world = await testApp()
  const { a, app } = world
  const sent: unknown[] = []
  hubOf(world).onSend((...message) => sent.push(message))

  app.services.liveHub.send(a.id, a.ownerId, { kind: 'dialer_campaign' })

  expect(sent).toEqual([[a.id, a.ownerId, { kind: 'dialer_campaign' }]])
})

test('messages sent before hello are queued behind it', async () => {
  const world = await testApp()
  const { a, app } = world
  const opening = openPhone(world)
  await eventually(() => hubOf(world).localPhones(a.id, a.ownerId).length === 1)

  app.services.liveHub.send(a.id, a.ownerId, { kind: 'dialer_campaign' })
  const phone = await opening
  await phone.first('dialer_campaign')

  expect(phone.received[0].type).toBe('hello')
})

test('anything but a JSON object in a text frame of at most 64 KB closes the socket', async () => {
  const world = await testApp()
  const endings = async (data: string | Buffer) => {
    const phone = await openPhone(world)
    phone.send(data)
    return (await phone.over).code
  }

  expect(await endings('hello')).toBe(1003)
  expect(await endings('[1]')).toBe(1003)
  expect(await endings('null')).toBe(1003)
  expect(await endings(Buffer.from('{"type":"active"}'))).toBe(1003)
  expect(await endings(`"${'x'.repeat(65_535)}"`)).toBe(1009)
})

test('a flood of messages closes the socket', async () => {
  const world = await testApp()
  const phone = await openPhone(world)

  for (let i = 0; i < 500; i++) phone.send(JSON.stringify({ type: 'active', id: i }))
  const { code } = await phone.over

  expect(code).toBe(1008)
  expect(ofType(phone, 'reply').length).toBeLessThan(500)
})

test('a request that cannot be read is refused, and the socket stays open', async () => {
  const world = await testApp()
  const phone = await openPhone(world)
  const whys: [object, RegExp][] = [
    [{ type: 'fly' }, /`type`/],
    [{}, /`type`/],
    [{ type: 'toString' }, /`type`/],
    [{ type: 5 }, /`type`/],
    [{ type: 'send_digits' }, /`digits`/],
    [{ type: 'send_digits', digits: 'abc' }, /`digits`/],
    [{ type: 'transfer' }, /`to`/],
    [{ type: 'transfer', to: {} }, /exactly one/],
    [{ type: 'transfer', to: { user_id: world.a.ownerId, number: '+33199000001' } }, /exactly one/],
    [{ type: 'transfer', to: { number: '0199' } }, /`to.number`/],
    [{ type: 'transfer', to: { user_id: world.b.ownerId } }, /does not exist/],
    [{ type: 'transfer', to: { team_id: 1 } }, /does not exist/],
    [{ type: 'add_participant', to: { team_id: 1 } }, /exactly one/],
    [{ type: 'comment', content: '📞' }, /emojis/],
    [{ type: 'dial', to: 'bea' }, /E\.164/],
    [{ type: 'dial', to: '+33199000001' }, /`number_id`/],
    [{ type: 'dial', to: '+33199000001', number_id: 99_999_999 }, /not a Number/],
    [{ type: 'dial', to: '999' }, /extension/],
    [{ type: 'answer', sdp_offer: 5 }, /`sdp_offer`/],
    [{ type: 'hold' }, /not on it/],
    [{ type: 'answer', key: 'no-such-call' }, /not on it/],
    [{ type: 'answer', key: { a: 1 } }, /not on it/],
  ]

  for (const [request, why] of whys) {
    const reply = await phone.ask(request)
    expect(reply, JSON.stringify(request)).toEqual({
      type: 'reply',
      id: expect.any(Number),
      ok: false,
      why: expect.stringMatching(why),
    })
  }
  phone.send(JSON.stringify({ type: 'active', id: 'x' }))
  phone.send(JSON.stringify({ type: 'hold' }))
  const refused = await phone.until((all) => all.filter(({ id }) => id === null).length === 2)
  expect(refused.filter(({ id }) => id === null).map(({ ok }) => ok)).toEqual([false, false])
})

test('a phone app that does not answer pings is disconnected, others stay', async () => {
  const clock = heldClock(monday)
  const world = await testApp({ clock })
  const { a } = world
  const dead = await openPhone(world, { query: { session: 'dead' }, options: { autoPong: false } })
  const alive = await openPhone(world, { query: { session: 'alive' } })
  const pinged = () => new Promise((resolve) => alive.socket.once('ping', resolve))

  for (let beat = 0; beat < 2; beat++) {
    const ping = pinged()
    clock.advanceMachine(20_000)
    await ping
    // The pong has been sent: later input is read after it.
    expect((await alive.ask({ type: 'active' })).ok).toBe(true)
  }

  expect((await dead.over).code).toBe(1006)
  await eventually(() => hubOf(world).localPhones(a.id, a.ownerId).length === 1)
  expect((await alive.ask({ type: 'active' })).ok).toBe(true)
})

test('a phone app that does not read is disconnected when its buffer is full', async () => {
  const world = await testApp()
  const { a, app } = world
  const phone = await openPhone(world)
  const card: PhoneMessage = {
    kind: 'insight_card',
    callId: 1,
    contents: [{ type: 'title', text: 'x'.repeat(9_000) }],
  }
  phone.socket.pause()

  await eventually(() => {
    for (let i = 0; i < 50; i++) app.services.liveHub.send(a.id, a.ownerId, card)
    return hubOf(world).localPhones(a.id, a.ownerId).length === 0
  })
  phone.socket.resume()

  expect((await phone.over).code).toBe(1006)
})

test('a revoked key and a deleted user receive nothing more', async () => {
  const clock = heldClock(monday)
  const world = await testApp({ clock })
  const { a, b } = world
  const ada = await addUser(a, 'Ada')
  const phones = [await openPhone(world, { userId: ada.id }), await openPhone(world, { company: b })]
  await a.api('DELETE', `/v1/users/${ada.id}`)
  for (const { id } of (await b.own('GET', '/v1/api_keys')).json.api_keys) await b.own('DELETE', `/v1/api_keys/${id}`)

  clock.advanceMachine(20_000)

  for (const phone of phones) expect((await phone.over).code).toBe(1008)
})

test('a stopping server closes sockets with 1001', async () => {
  const world = await testApp()
  const phone = await openPhone(world)

  await world.stop()

  expect((await phone.over).code).toBe(1001)
})
