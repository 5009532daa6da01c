import { expect, test } from 'vitest'
import { answerTo, caller, headerOf, message, newBranch, type SipPeer, udpPeer } from '../kit/sip-peer.ts'
import { ours, type SipWorld, sipWorld } from './sip-world.ts'

// Requests within a dialog are accepted from its peer or its trunk only.

/** Answered once everything sent before has been handled. */
async function handled(peer: SipPeer) {
  peer.send(
    message('OPTIONS sip:127.0.0.1 SIP/2.0', [
      `Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=${newBranch()};rport`,
      'From: <sip:a@b.test>;tag=handled',
      'To: <sip:c@d.test>',
      `Call-ID: ${newBranch()}`,
      'CSeq: 1 OPTIONS',
    ]),
  )
  await peer.next('SIP/2.0 200')
}

async function answeredCall({ peer, incoming }: SipWorld) {
  const far = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(far.invite())
  const observed = await incoming()
  observed.call.answer(ours)
  const ok = await peer.next('SIP/2.0 200')
  far.learnTarget(ok)
  peer.send(far.request('ACK'))
  await observed.next('leg.answered')
  return { far, observed, ok }
}

test('a request of a dialog from another address is dropped, even with the right tags', async () => {
  const world = await sipWorld()
  const { far, observed } = await answeredCall(world)
  const stranger = await udpPeer(() => world.stack.ports().udp ?? 0, '127.0.0.2')

  for (const method of ['BYE', 'INFO', 'REFER', 'UPDATE']) stranger.send(far.request(method))
  stranger.send(far.invite())
  await handled(world.peer)

  expect(stranger.left()).toEqual([])
  expect(observed.left().filter(({ kind }) => kind !== 'leg.dialog')).toEqual([])
  expect(world.stack.stats().calls).toBe(1)
})

test('a trunk of another company cannot end or cancel a call either', async () => {
  const world = await sipWorld()
  const other = await udpPeer(() => world.stack.ports().udp ?? 0, '127.0.0.2')
  const theirs = { ...world.trunk, id: 'other', host: '127.0.0.2', port: other.port, allowedIps: ['127.0.0.2'] }
  world.stack.setTrunks([world.trunk, theirs])
  const { far, observed } = await answeredCall(world)
  const ringing = caller({ transport: 'UDP', port: world.peer.port, from: '+33155501235', to: '0155509876' })
  world.peer.send(ringing.invite())
  const second = await world.incoming()

  other.send(far.request('BYE'))
  other.send(ringing.ofInvite('CANCEL'))
  const refusal = await other.next('SIP/2.0 481')

  expect(headerOf(refusal, 'cseq')).toContain('CANCEL')
  for (const one of [observed, second]) expect(one.left().filter(({ kind }) => kind === 'leg.ended')).toEqual([])
})

test('a gateway that the far end named as its Contact may end the call', async () => {
  const world = await sipWorld()
  const gateway = await udpPeer(() => world.stack.ports().udp ?? 0, '127.0.0.2')
  const far = caller({ transport: 'UDP', port: world.peer.port, from: '+33155501234', to: '0155509876' })
  const invite = far.invite().replace(/^Contact: .*$/m, `Contact: <sip:gateway@127.0.0.2:${gateway.port}>`)
  world.peer.send(invite)
  const observed = await world.incoming()
  observed.call.answer(ours)
  far.learnTarget(await world.peer.next('SIP/2.0 200'))
  world.peer.send(far.request('ACK'))
  await observed.next('leg.answered')

  gateway.send(far.request('BYE'))

  expect(await observed.ended()).toMatchObject({ reason: 'hangup' })
})

test('an outbound call is ended by the carrier that was called, not by a foreign source', async () => {
  const world = await sipWorld()
  const observed = world.dial()
  const invite = await world.peer.next('INVITE')
  const contact = `Contact: <sip:carrier@127.0.0.1:${world.peer.port}>`
  world.peer.send(answerTo(invite, '200 OK', { tag: 'far', headers: [contact], body: ours }))
  await observed.next('leg.answered')
  await world.peer.next('ACK')
  const stranger = await udpPeer(() => world.stack.ports().udp ?? 0, '127.0.0.2')
  const bye = (branch: string) =>
    message('BYE sip:127.0.0.1 SIP/2.0', [
      `Via: SIP/2.0/UDP 127.0.0.1:${world.peer.port};branch=${branch};rport`,
      `From: ${headerOf(invite, 'to')};tag=far`,
      `To: ${headerOf(invite, 'from')}`,
      `Call-ID: ${headerOf(invite, 'call-id')}`,
      'CSeq: 1 BYE',
    ])

  stranger.send(bye(newBranch()))
  await handled(world.peer)
  const before = observed.left().map(({ kind }) => kind)
  world.peer.send(bye(newBranch()))

  expect(before).not.toContain('leg.ended')
  expect(await observed.ended()).toMatchObject({ reason: 'hangup' })
})

test('where several trunks have an address, the called number decides, and a CANCEL meanwhile is honoured', async () => {
  let decide: (trunkId: string | undefined) => void = () => {}
  const asked: unknown[] = []
  const world = await sipWorld({
    stack: {
      routeCall: (candidates) => {
        asked.push(candidates)
        return new Promise((resolve) => {
          decide = resolve
        })
      },
    },
  })
  const german = { ...world.trunk, id: 'german', numbers: { countryCode: '49' } }
  world.stack.setTrunks([world.trunk, german])
  const call = () => caller({ transport: 'UDP', port: world.peer.port, from: '+33155501234', to: '0155509876' })

  world.peer.send(call().invite())
  await expect.poll(() => asked.length).toBe(1)
  decide('german')
  const taken = await world.incoming()
  const cancelled = call()
  world.peer.send(cancelled.invite())
  await expect.poll(() => asked.length).toBe(2)
  world.peer.send(cancelled.ofInvite('CANCEL'))
  await world.peer.next('SIP/2.0 487')
  decide('trunk')
  const unknown = call()
  world.peer.send(unknown.invite())
  await expect.poll(() => asked.length).toBe(3)
  decide(undefined)

  expect(await world.peer.next('SIP/2.0 4')).toContain('404 Not Found')
  expect(asked[0]).toEqual([
    { trunkId: 'trunk', to: '+33155509876' },
    { trunkId: 'german', to: '+49155509876' },
  ])
  expect(taken.call).toMatchObject({ trunkId: 'german', to: '+49155509876' })
  expect(world.stack.stats().calls).toBe(1)
})

test('the host of a restricted trunk may not resolve to an address that customers may not name', async () => {
  const world = await sipWorld({ trunk: { restricted: true }, stack: { admits: () => false } })

  const observed = world.dial()

  expect(await observed.ended()).toMatchObject({ reason: 'failed' })
  expect(world.peer.left()).toEqual([])
})
