import { expect, test } from 'vitest'
import { answerTo, caller, headerOf, udpPeer } from '../kit/sip-peer.ts'
import { ours, sipWorld } from './sip-world.ts'

// What a carrier may ask of us: one redirect within the trunk, and no transfer.

test('one 302 to another host of the trunk is followed for the same number', async () => {
  const world = await sipWorld({ trunk: { allowedIps: ['127.0.0.1', '127.0.0.2'] } })
  const second = await udpPeer(() => world.stack.ports().udp ?? 0, '127.0.0.2')
  const observed = world.dial()
  const invite = await world.peer.next('INVITE')

  const there = `Contact: <sip:0123456789@127.0.0.2:${second.port}>`
  world.peer.send(answerTo(invite, '302 Moved Temporarily', { tag: 'a', headers: [there] }))
  await world.peer.next('ACK')
  const again = await second.next('INVITE')
  const contact = `Contact: <sip:gateway@127.0.0.2:${second.port}>`
  second.send(answerTo(again, '200 OK', { tag: 'b', headers: [contact], body: ours }))

  await observed.next('leg.answered')
  await second.next('ACK')
  expect(again.split(' ')[1]).toBe(`sip:0123456789@127.0.0.2:${second.port}`)
  expect(headerOf(again, 'cseq')).toBe('2 INVITE')
})

test.each([
  ['to another number', 'sip:+882123456789@127.0.0.1'],
  ['to a host that is not the trunk’s', 'sip:0123456789@192.0.2.7'],
  ['to a telephone number without a host', 'tel:+33123456789'],
])('a 302 %s is not followed, and the call fails with it', async (_what, target) => {
  const world = await sipWorld()
  const observed = world.dial()
  const invite = await world.peer.next('INVITE')

  const headers = [`Contact: <${target}>`]
  world.peer.send(answerTo(invite, '302 Moved Temporarily', { tag: 'a', headers }))

  expect(await observed.ended()).toMatchObject({ reason: 'failed', code: 302 })
})

test('a second 302 is not followed', async () => {
  const world = await sipWorld()
  const observed = world.dial()
  const headers = [`Contact: <sip:0123456789@127.0.0.1:${world.peer.port}>`]

  for (const tag of ['a', 'b']) {
    world.peer.send(answerTo(await world.peer.next('INVITE'), '302 Moved Temporarily', { tag, headers }))
  }

  expect(await observed.ended()).toMatchObject({ reason: 'failed', code: 302 })
})

test('REFER is declined: no far end makes us place a call', async () => {
  const world = await sipWorld()
  const far = caller({ transport: 'UDP', port: world.peer.port, from: '+33155501234', to: '0155509876' })
  world.peer.send(far.invite())
  const observed = await world.incoming()
  observed.call.answer(ours)
  far.learnTarget(await world.peer.next('SIP/2.0 200'))
  world.peer.send(far.request('ACK'))
  await observed.next('leg.answered')

  world.peer.send(far.request('REFER', { headers: ['Refer-To: <sip:+882123456789@127.0.0.1>'] }))
  const answer = await world.peer.next('SIP/2.0 6')

  expect(answer.split('\r\n', 1)[0]).toBe('SIP/2.0 603 Decline')
  expect(observed.left().filter(({ kind }) => kind === 'leg.ended')).toEqual([])
})
