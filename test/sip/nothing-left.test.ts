import { expect, test } from 'vitest'
import { answerTo, caller, headerOf, offer } from '../kit/sip-peer.ts'
import { ours, type SipWorld, sipWorld } from './sip-world.ts'

// A minute after the end of a call, no state of it is left.

const busyCallee = async ({ dial, peer }: SipWorld) => {
  const observed = dial()
  peer.send(answerTo(await peer.next('INVITE'), '486 Busy Here', { tag: 'far' }))
  await observed.ended()
}

const unansweredCancel = async ({ dial, peer, advance }: SipWorld) => {
  const observed = dial()
  peer.send(answerTo(await peer.next('INVITE'), '180 Ringing', { tag: 'far' }))
  await observed.next('leg.progress')
  observed.call.hangup()
  await peer.next('CANCEL')
  advance(40_000)
  await observed.ended()
}

const completedCall = async ({ dial, peer }: SipWorld) => {
  const observed = dial()
  const headers = [`Contact: <sip:far@127.0.0.1:${peer.port}>`, 'Session-Expires: 1800;refresher=uac']
  peer.send(answerTo(await peer.next('INVITE'), '200 OK', { tag: 'far', headers, body: offer }))
  await observed.next('leg.answered')
  observed.call.hangup()
  peer.send(answerTo(await peer.next('BYE'), '200 OK'))
  await observed.ended()
}

const unansweredBye = async ({ incoming, peer, advance }: SipWorld) => {
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const observed = await incoming()
  observed.call.answer(ours)
  phone.learnTarget(await peer.next('SIP/2.0 200'))
  peer.send(phone.request('ACK'))
  await observed.next('leg.answered')
  observed.call.hangup()
  await peer.next('BYE')
  advance(40_000)
}

const cancelledCall = async ({ incoming, peer }: SipWorld) => {
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const observed = await incoming()
  peer.send(phone.ofInvite('CANCEL'))
  await observed.ended()
}

test.each([
  ['a busy callee', busyCallee],
  ['a carrier that does not answer our CANCEL', unansweredCancel],
  ['a call that we end', completedCall],
  ['a BYE without a response', unansweredBye],
  ['a caller who cancels', cancelledCall],
] as const)('%s', async (_, story) => {
  const world = await sipWorld()

  await story(world)
  await settled(world)
  world.advance(70_000)
  await settled(world)

  // The question by which the test waits is the one transaction that is kept, for the answer to its repetition.
  expect(world.stack.stats()).toMatchObject({ calls: 0, transactions: 1 })
})

async function settled({ peer }: SipWorld) {
  const ping = caller({ transport: 'UDP', port: peer.port, from: 'a', to: 'b' })
  peer.send(ping.request('OPTIONS'))
  for (;;) if (headerOf(await peer.next('SIP/2.0 200'), 'call-id') === ping.callId) return
}
