import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  caller,
  headerOf,
  headersOf,
  message,
  newBranch,
  offer,
  type SipPeer,
  streamPeer,
  udpPeer,
} from '../kit/sip-peer.ts'
import { sipWorld } from './sip-world.ts'
import { tortures } from './torture.ts'

const alive = async (peer: SipPeer, transport: 'UDP' | 'TCP' = 'UDP') => {
  peer.send(
    message('OPTIONS sip:127.0.0.1 SIP/2.0', [
      `Via: SIP/2.0/${transport} 127.0.0.1:${peer.port};branch=${newBranch()};rport`,
      'From: <sip:a@b.test>;tag=alive',
      'To: <sip:c@d.test>',
      `Call-ID: ${newBranch()}`,
      'CSeq: 1 OPTIONS',
    ]),
  )
  for (;;) {
    const answer = await peer.next('SIP/2.0 200')
    if (headerOf(answer, 'from').includes('alive')) return
  }
}

test.each(tortures)('$name', async ({ text, answer }) => {
  const { peer, stack, incoming } = await sipWorld()

  peer.sendBytes(Buffer.from(text.replaceAll('PORT', String(peer.port)), 'latin1'))
  if (answer === 'call') (await incoming()).call.progress(180)
  await alive(peer)

  const statuses = peer.left().map((one) => Number(one.split(' ')[1]))
  if (answer === 'call') expect(statuses).toEqual([100, 180])
  else expect(statuses).toEqual(answer === null ? [] : [answer])
  expect(stack.stats().calls).toBe(answer === 'call' ? 1 : 0)
})

test('unusual headers are echoed byte for byte, and display names are parsed', async () => {
  const { peer, incoming } = await sipWorld()
  const odd = tortures.find(({ name }) => name.startsWith('folded'))
  peer.sendBytes(Buffer.from((odd?.text ?? '').replaceAll('PORT', String(peer.port)), 'latin1'))

  const { call } = await incoming()
  const trying = await peer.next('SIP/2.0 100')

  expect(call).toMatchObject({ from: '+33155501234', displayName: 'A "quoted", odd <name>' })
  expect(headerOf(trying, 'from')).toBe('"A \\"quoted\\", odd <name>" <sip:+33155501234@a.test> ; tag = odd')
})

test('broken streams are closed, others continue', async () => {
  const { stack, peer } = await sipWorld({ transport: 'tcp' })
  await alive(peer, 'TCP')
  const atOnce = 20
  for (let from = 0; from < tortures.length; from += atOnce) {
    const ends = tortures.slice(from, from + atOnce).map(async ({ text }) => {
      const one = await streamPeer(() => stack.ports().tcp ?? 0)
      one.sendBytes(Buffer.from(text.replaceAll('PORT', '1').replaceAll('SIP/2.0/UDP', 'SIP/2.0/TCP'), 'latin1'))
      return one
    })
    const peers = await Promise.all(ends)
    await alive(peer, 'TCP')
    for (const one of peers) one.hangUpConnections()
  }

  await alive(peer, 'TCP')
})

test('connections per address are limited', async () => {
  const { stack, peer } = await sipWorld({ transport: 'tcp' })
  await alive(peer, 'TCP')
  const others = Array.from({ length: 60 }, () => connect(stack.ports().tcp ?? 0, '127.0.0.1'))
  onTestFinished(() => {
    for (const one of others) one.destroy()
  })

  const cut = others.map(
    (one) => new Promise<void>((resolve) => one.on('close', () => resolve()).on('error', () => {})),
  )
  await Promise.all(cut.slice(49))

  await alive(peer, 'TCP')
})

test('split and merged messages are framed, and a ping is answered', async () => {
  const { peer, incoming } = await sipWorld({ transport: 'tcp' })
  const phone = (to: string) => caller({ transport: 'TCP', port: peer.port, from: '+33155501234', to })
  const wire = (text: string) => Buffer.from(text.replace(/\r?\n/g, '\r\n'))
  const first = wire(phone('0155509871').invite())
  const both = Buffer.concat([first.subarray(100), wire('\n\n'), wire(phone('0155509872').invite())])

  peer.sendBytes(first.subarray(0, 60))
  peer.sendBytes(first.subarray(60, 100))
  peer.sendBytes(both)

  expect([(await incoming()).call.to, (await incoming()).call.to]).toEqual(['+33155509871', '+33155509872'])
  await peer.next('\r\n')
})

test('a scanner gets no response and is banned after ten tries, while calls continue', async () => {
  const { stack, peer, incoming } = await sipWorld()
  const scanner = await udpPeer(() => stack.ports().udp ?? 0, '127.0.0.2')
  const probe = (method: string, user: string) =>
    message(`${method} sip:${user}@127.0.0.1 SIP/2.0`, [
      `Via: SIP/2.0/UDP 127.0.0.2:${scanner.port};branch=${newBranch()};rport`,
      `From: <sip:${user}@127.0.0.1>;tag=${newBranch()}`,
      `To: <sip:${user}@127.0.0.1>`,
      `Call-ID: ${newBranch()}`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:${user}@127.0.0.2:${scanner.port}>`,
    ])

  for (let i = 0; i < 200; i++) {
    scanner.send(probe(['REGISTER', 'INVITE', 'OPTIONS'][i % 3] ?? 'INVITE', String(100 + i)))
    if (i % 20 === 0) {
      peer.send(caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' }).invite())
      await incoming()
    }
  }
  await alive(peer)

  expect(scanner.left()).toEqual([])
  expect(stack.stats()).toMatchObject({ refused: 10, banned: 1, calls: 10 })
})

test('a ban ends after an hour, and a forged source cannot ban a trunk', async () => {
  const { stack, peer, clock } = await sipWorld()
  const scanner = await udpPeer(() => stack.ports().udp ?? 0, '127.0.0.2')
  for (let i = 0; i < 12; i++) {
    scanner.send('nonsense\n\n')
    peer.send('nonsense\n\n')
  }
  await alive(peer)
  expect(stack.stats().refused).toBe(10)

  clock.advanceMachine(3_600_001)
  scanner.send('nonsense\n\n')
  await alive(peer)

  expect(stack.stats()).toMatchObject({ refused: 11, banned: 1 })
})

test('a foreign source cannot cancel or end a call without its tags', async () => {
  const { stack, peer, incoming } = await sipWorld()
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const observed = await incoming()
  const stranger = await udpPeer(() => stack.ports().udp ?? 0, '127.0.0.2')

  stranger.send(phone.ofInvite('CANCEL'))
  stranger.send(phone.request('BYE'))
  await alive(peer)

  expect(observed.left().map(({ kind }) => kind)).toEqual(['leg.dialog'])
  expect(stranger.left()).toEqual([])
})

test('responses carry the source address in received and rport', async () => {
  const { peer } = await sipWorld()
  peer.send(
    message('OPTIONS sip:127.0.0.1 SIP/2.0', [
      `Via: SIP/2.0/UDP 10.1.2.3:5999;rport;branch=${newBranch()};received=6.6.6.6`,
      'From: <sip:a@b.test>;tag=1',
      'To: <sip:c@d.test>',
      'Call-ID: seen',
      'CSeq: 1 OPTIONS',
    ]),
  )

  const [via] = headersOf(await peer.next('SIP/2.0 200'), 'via')

  expect(via).toMatch(/^SIP\/2\.0\/UDP 10\.1\.2\.3:5999;branch=\S+;received=127\.0\.0\.1;rport=\d+$/)
  expect(via).toContain(`rport=${peer.port}`)
})

test('a merged INVITE gets 482, and requests above the rate limit of a trunk are dropped', async () => {
  const { peer, incoming, stack } = await sipWorld({ stack: { limits: { failures: 10, perSecond: 1, burst: 3 } } })
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  const invite = phone.invite({ body: offer })
  peer.send(invite)
  await incoming()

  peer.send(invite.replace(/branch=[^;]+/, `branch=${newBranch()}`))
  await peer.next('SIP/2.0 482')
  for (let i = 0; i < 5; i++) peer.send(caller({ transport: 'UDP', port: peer.port, from: '1', to: '2' }).invite())
  await incoming()
  peer.send(phone.ofInvite('CANCEL'))

  expect(stack.stats().calls).toBe(2)
})
