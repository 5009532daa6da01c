import { expect, test } from 'vitest'
import { answerTo, caller, headerOf, offer } from '../kit/sip-peer.ts'
import { ours, type SipWorld, sipWorld } from './sip-world.ts'

// However a call ends, a minute later no state of it is kept.

const busyLine = async ({ dial, peer }: SipWorld) => {
  const ear = dial()
  peer.send(answerTo(await peer.next('INVITE'), '486 Busy Here', { tag: 'far' }))
  await ear.ended()
}

const deafLine = async ({ dial, peer, advance }: SipWorld) => {
  const ear = dial()
  peer.send(answerTo(await peer.next('INVITE'), '180 Ringing', { tag: 'far' }))
  await ear.next('leg.progress')
  ear.call.hangup()
  await peer.next('CANCEL')
  advance(40_000)
  await ear.ended()
}

const goodCall = async ({ dial, peer }: SipWorld) => {
  const ear = dial()
  const headers = [`Contact: <sip:far@127.0.0.1:${peer.port}>`, 'Session-Expires: 1800;refresher=uac']
  peer.send(answerTo(await peer.next('INVITE'), '200 OK', { tag: 'far', headers, body: offer }))
  await ear.next('leg.answered')
  ear.call.hangup()
  peer.send(answerTo(await peer.next('BYE'), '200 OK'))
  await ear.ended()
}

const unansweredBye = async ({ incoming, peer, advance }: SipWorld) => {
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const ear = await incoming()
  ear.call.answer(ours)
  phone.heard(await peer.next('SIP/2.0 200'))
  peer.send(phone.request('ACK'))
  await ear.next('leg.answered')
  ear.call.hangup()
  await peer.next('BYE')
  advance(40_000)
}

const givenUp = async ({ incoming, peer }: SipWorld) => {
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const ear = await incoming()
  peer.send(phone.ofInvite('CANCEL'))
  await ear.ended()
}

test.each([
  ['a busy line', busyLine],
  ['a line that does not hear our CANCEL', deafLine],
  ['a call that we end', goodCall],
  ['a BYE that nobody answers', unansweredBye],
  ['a caller who gives up', givenUp],
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
