import { describe, expect, test } from 'vitest'
import { inOrder } from '../../src/drivers/sip/resolve.ts'
import { systemResolver } from '../../src/drivers/sip/resolver.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type DnsRecord, openDnsServer } from '../kit/dns-server.ts'
import { answerTo, headerOf, streamPeer, udpPeer } from '../kit/sip-peer.ts'
import { findSipp, runSipp } from '../kit/sipp.ts'
import { observe, ours, sipWorld } from './sip-world.ts'

// RFC 3263 with a name server on loopback: which target an INVITE is sent to, and which one is next.

const sipp = findSipp() ?? ''
const wanted = { trunkId: 'trunk', to: '+33123456789', from: '+33155501234', sdp: ours, timeoutMs: 60_000 }
const srv = (target: string, port: number, priority: number, weight = 1): DnsRecord => ({
  type: 'SRV',
  priority,
  weight,
  port,
  target,
})
const naptr = (order: number, service: string, replacement: string): DnsRecord => ({
  type: 'NAPTR',
  order,
  preference: 1,
  service,
  replacement,
})
const host: DnsRecord[] = [{ type: 'A', address: '127.0.0.1' }]

/** The trunk is set once the zone is complete. */
async function worldWith(transport: 'udp' | 'auto' = 'udp', isReal = false) {
  const dns = await openDnsServer({ 'carrier.test': [], 'edge.carrier.test': host })
  const world = await sipWorld({
    stack: { resolver: systemResolver([dns.address]), ...(isReal && { clock: systemClock() }) },
    withoutTrunk: true,
  })
  const { port: _, ...trunk } = world.trunk
  function connect(zone: Record<string, DnsRecord[]>) {
    Object.assign(dns.zone, zone)
    world.stack.setTrunks([{ ...trunk, host: 'carrier.test', transport }])
  }
  return { ...world, dns, connect }
}

test('the transport of the NAPTR record with the lowest order is used', async () => {
  const { stack, peer, connect } = await worldWith('auto')
  const tcp = await streamPeer(() => stack.ports().tcp ?? 0)
  connect({
    'carrier.test': [
      naptr(20, 'SIP+D2U', '_sip._udp.carrier.test'),
      naptr(10, 'SIP+D2T', '_sip._tcp.carrier.test'),
      naptr(5, 'E2U+sip', '_sip._udp.carrier.test'),
    ],
    '_sip._udp.carrier.test': [srv('edge.carrier.test', peer.port, 1)],
    '_sip._tcp.carrier.test': [srv('edge.carrier.test', tcp.port, 1)],
  })

  stack.invite(wanted)

  const invite = await tcp.next('INVITE')
  expect(headerOf(invite, 'via')).toContain('SIP/2.0/TCP')
  expect(headerOf(invite, 'contact')).toContain(';transport=tcp')
  expect(peer.left()).toEqual([])
})

test('without NAPTR records the SRV records of each transport are used, and without those the address', async () => {
  const { stack, dns, clock, connect } = await worldWith('auto')
  const tcp = await streamPeer(() => stack.ports().tcp ?? 0)
  connect({ '_sip._tcp.carrier.test': [srv('edge.carrier.test', tcp.port, 1)] })

  stack.invite(wanted)
  await tcp.next('INVITE')
  delete dns.zone['_sip._tcp.carrier.test']
  dns.zone['carrier.test'] = [{ type: 'A', address: '127.0.0.9' }]
  clock.advanceMachine(31_000)

  expect(await stack.addressOf('trunk')).toBe('127.0.0.9')
})

test('targets are tried by priority: one refuses connections, one answers 503, the third takes the call', async () => {
  const { stack, peer, connect } = await worldWith('auto')
  const spare = await udpPeer(() => stack.ports().udp ?? 0)
  // Port 1 refuses connections; UDP follows because its NAPTR record comes second.
  connect({
    'carrier.test': [naptr(1, 'SIP+D2T', '_a.carrier.test'), naptr(2, 'SIP+D2U', '_b.carrier.test')],
    '_a.carrier.test': [srv('edge.carrier.test', 1, 1)],
    '_b.carrier.test': [srv('edge.carrier.test', spare.port, 9), srv('edge.carrier.test', peer.port, 5)],
  })

  const call = observe(stack.invite(wanted))
  const busy = await peer.next('INVITE')
  peer.send(answerTo(busy, '503 Service Unavailable', { tag: 'a' }))
  const invite = await spare.next('INVITE')
  spare.send(answerTo(invite, '486 Busy Here', { tag: 'b' }))

  expect(await call.ended()).toMatchObject({ reason: 'busy', code: 486 })
  expect(headerOf(invite, 'call-id')).toBe(headerOf(busy, 'call-id'))
})

test('a target without a response is given up after three seconds; if it rings late, it is cancelled', async () => {
  const { stack, peer, connect, advance } = await worldWith()
  const spare = await udpPeer(() => stack.ports().udp ?? 0)
  connect({
    '_sip._udp.carrier.test': [srv('edge.carrier.test', peer.port, 1), srv('edge.carrier.test', spare.port, 2)],
  })

  const call = observe(stack.invite({ ...wanted, silenceMs: 4_000 }))
  const silent = await peer.next('INVITE')
  advance(3_000)
  const invite = await spare.next('INVITE')
  // The second target has its own time to respond.
  advance(2_000)
  spare.send(answerTo(invite, '180 Ringing', { tag: 'b', headers: [`Contact: <sip:c@127.0.0.1:${spare.port}>`] }))
  await call.next('leg.progress')
  peer.send(answerTo(silent, '180 Ringing', { tag: 'a', headers: [`Contact: <sip:c@127.0.0.1:${peer.port}>`] }))
  const cancel = await peer.next('CANCEL')

  expect(headerOf(cancel, 'via')).toBe(headerOf(silent, 'via'))
  expect(spare.left().filter((text) => text.startsWith('CANCEL'))).toEqual([])
})

test('a target that was given up and answers first has the call, and the other one is cancelled', async () => {
  const { stack, peer, connect, advance } = await worldWith()
  const spare = await udpPeer(() => stack.ports().udp ?? 0)
  connect({
    '_sip._udp.carrier.test': [srv('edge.carrier.test', peer.port, 1), srv('edge.carrier.test', spare.port, 2)],
  })

  const call = observe(stack.invite(wanted))
  const silent = await peer.next('INVITE')
  advance(3_000)
  const other = await spare.next('INVITE')
  const headers = [`Contact: <sip:c@127.0.0.1:${peer.port}>`]
  peer.send(answerTo(silent, '200 OK', { tag: 'a', headers, body: ours }))
  await call.next('leg.answered')
  spare.send(answerTo(other, '180 Ringing', { tag: 'b' }))

  expect(headerOf(await peer.next('ACK'), 'call-id')).toBe(headerOf(silent, 'call-id'))
  expect(headerOf(await spare.next('CANCEL'), 'via')).toBe(headerOf(other, 'via'))
})

test('many calls cost one lookup, which is repeated after half a minute', async () => {
  const { stack, peer, dns, clock, connect } = await worldWith()
  const lookups = () => dns.queries.filter((query) => query === 'SRV _sip._udp.carrier.test').length
  connect({ '_sip._udp.carrier.test': [srv('edge.carrier.test', peer.port, 1)] })

  for (let i = 0; i < 20; i++) expect(await stack.addressOf('trunk')).toBe('127.0.0.1')
  expect(lookups()).toBe(1)
  clock.advanceMachine(31_000)
  await stack.addressOf('trunk')
  expect(lookups()).toBe(2)
})

test('targets of the same priority are first in proportion to their weights', () => {
  const records = [1, 3, 6].map((weight) => ({ name: `w${weight}.test`, port: 5060, priority: 1, weight }))
  const firsts = new Map<string, number>()
  for (let i = 0; i < 1_000; i++) {
    const [first] = inOrder(records, () => (i + 0.5) / 1_000)
    firsts.set(first?.name ?? '', (firsts.get(first?.name ?? '') ?? 0) + 1)
  }

  expect(Object.fromEntries(firsts)).toEqual({ 'w1.test': 100, 'w3.test': 300, 'w6.test': 600 })
})

test('while the name server fails, the last known targets are used', async () => {
  const { stack, peer, dns, clock, connect } = await worldWith()
  connect({ '_sip._udp.carrier.test': [srv('edge.carrier.test', peer.port, 1)] })
  stack.invite(wanted)
  await peer.next('INVITE')

  dns.fail()
  clock.advanceMachine(10 * 60_000)
  const call = stack.invite({ ...wanted, to: '+33123456700' })
  let invite = await peer.next('INVITE')
  while (!invite.includes('+33123456700')) invite = await peer.next('INVITE')

  call.hangup()
})

describe.skipIf(sipp === '')('against sipp', () => {
  test('a call reaches the SRV target that responds', async () => {
    const { stack, connect } = await worldWith('udp', true)
    const { port, failures } = await runSipp(sipp, { scenario: 'rings.xml', transport: 'udp', calls: 1 })
    connect({ '_sip._udp.carrier.test': [srv('edge.carrier.test', 1, 1), srv('edge.carrier.test', port, 2)] })

    const call = observe(stack.invite(wanted))
    await call.next('leg.progress')
    call.call.hangup()

    expect(await call.ended()).toMatchObject({ reason: 'cancelled' })
    expect(await failures).toBe('')
  })
})
