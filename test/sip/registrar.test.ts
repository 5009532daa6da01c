import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { SipDeviceSettings } from '../../src/drivers/sip/device-settings.ts'
import type { StackEvent } from '../../src/drivers/sip/stack.ts'
import { mailbox } from '../kit/mailbox.ts'
import {
  answerTo,
  bodyOf,
  fresh,
  headerOf,
  headersOf,
  message,
  newBranch,
  offer,
  type SipPeer,
  udpPeer,
  uriIn,
} from '../kit/sip-peer.ts'
import { observe, ours, sipWorld } from './sip-world.ts'

const username = 'desk7kq2mz'
const password = 'a long and random one'
const hash = (algorithm: string, text: string) =>
  createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
    .update(text)
    .digest('hex')
const ha1 = (algorithm: string) => hash(algorithm, `${username}:hookswitch:${password}`)

const device: SipDeviceSettings = {
  deviceId: '7',
  username,
  ha1: { sha256: ha1('SHA-256'), md5: ha1('MD5') },
  srtp: false,
  numbers: { countryCode: '33', nationalPrefix: '0', internationalPrefix: '00' },
  contacts: [],
}

type Of<K extends StackEvent['kind']> = Extract<StackEvent, { kind: K }>

async function world(settings: Partial<SipDeviceSettings> = {}) {
  const { stack, clock, advance } = await sipWorld({ withoutTrunk: true })
  const events = mailbox<StackEvent>()
  stack.on(events.put)
  stack.setDevices([{ ...device, ...settings }])
  const peer = await udpPeer(() => stack.ports().udp ?? 0)
  return {
    stack,
    clock,
    advance,
    peer,
    next: async <K extends StackEvent['kind']>(kind: K) => (await events.next((one) => one.kind === kind)) as Of<K>,
    left: events.left,
  }
}

interface Registration {
  contact?: string
  expires?: number
  user?: string
  headers?: string[]
}

/** A REGISTER as text; the phone is behind NAT: its Contact is not where it sends from. */
function phoneAt(peer: SipPeer) {
  const callId = fresh('register')
  let seq = 0
  function register({ contact, expires = 300, user = username, headers = [] }: Registration = {}): string {
    seq++
    return message('REGISTER sip:127.0.0.1 SIP/2.0', [
      `Via: SIP/2.0/UDP 192.168.7.7:5060;branch=${newBranch()};rport`,
      'Max-Forwards: 70',
      `From: <sip:${user}@127.0.0.1>;tag=${fresh('tag')}`,
      `To: <sip:${user}@127.0.0.1>`,
      `Call-ID: ${callId}`,
      `CSeq: ${seq} REGISTER`,
      `Contact: ${contact ?? `<sip:${user}@192.168.7.7:5060>`}`,
      `Expires: ${expires}`,
      'User-Agent: Scripted phone',
      ...headers,
    ])
  }
  async function registers(wanted: Registration = {}, algorithm = 'SHA-256', word = password): Promise<string> {
    peer.send(register(wanted))
    const challenge = await peer.next('SIP/2.0 401')
    peer.send(register({ ...wanted, headers: [answerOf(challenge, 'REGISTER', 'sip:127.0.0.1', algorithm, word)] }))
    return peer.next('SIP/2.0')
  }
  return { register, registers }
}

function answerOf(challenge: string, method: string, uri: string, algorithm: string, word: string): string {
  const line = headersOf(challenge, 'www-authenticate').find((one) => one.includes(`algorithm=${algorithm}`)) ?? ''
  const nonce = /nonce="([^"]+)"/.exec(line)?.[1] ?? ''
  const realm = /realm="([^"]+)"/.exec(line)?.[1] ?? ''
  const [a1, a2] = [hash(algorithm, `${username}:${realm}:${word}`), hash(algorithm, `${method}:${uri}`)]
  const response = hash(algorithm, `${a1}:${nonce}:00000001:c0:auth:${a2}`)
  const fields = `username="${username}", realm="${realm}", nonce="${nonce}", uri="${uri}", response="${response}"`
  return `Authorization: Digest ${fields}, algorithm=${algorithm}, qop=auth, nc=00000001, cnonce="c0"`
}

for (const algorithm of ['SHA-256', 'MD5']) {
  test(`a device registers with ${algorithm} and is reachable at the address it sends from`, async () => {
    const { peer, next } = await world()
    const phone = phoneAt(peer)

    const ok = await phone.registers({}, algorithm)

    expect(ok).toMatch(/^SIP\/2\.0 200/)
    expect(headerOf(ok, 'contact')).toBe(`<sip:${username}@192.168.7.7:5060>;expires=300`)
    const { contact } = await next('device.registered')
    expect(contact).toEqual({
      uri: `sip:${username}@192.168.7.7:5060`,
      transport: 'udp',
      address: '127.0.0.1',
      port: peer.port,
      expiresAt: expect.any(Number),
      userAgent: 'Scripted phone',
    })
  })
}

test('a device unregisters, one contact or all', async () => {
  const { peer, next } = await world()
  const phone = phoneAt(peer)
  await phone.registers({ contact: `<sip:${username}@192.168.7.7:5060>` })

  const gone = await phone.registers({ contact: `<sip:${username}@192.168.7.7:5060>;expires=0` })

  expect(headersOf(gone, 'contact')).toEqual([])
  expect(await next('device.gone')).toMatchObject({ deviceId: '7', uri: `sip:${username}@192.168.7.7:5060` })
  await phone.registers()
  await phone.registers({ contact: '*', expires: 0 })
  expect(await next('device.gone')).toMatchObject({ deviceId: '7' })
})

test('a registration expires, and one that is too short is refused', async () => {
  const { peer, next, advance, left } = await world()
  const phone = phoneAt(peer)
  const brief = await phone.registers({ expires: 5 })
  expect(brief).toMatch(/^SIP\/2\.0 423/)
  expect(headerOf(brief, 'min-expires')).toBe('60')

  await phone.registers({ expires: 60 })
  advance(20_000)
  expect(left().some(({ kind }) => kind === 'device.gone')).toBe(false)
  advance(41_000)

  await next('device.gone')
})

test('OPTIONS keeps the way to a device open; a device that does not respond any more is gone', async () => {
  const { peer, next, advance } = await world()
  await phoneAt(peer).registers()

  advance(25_000)
  const options = await peer.next('OPTIONS')
  expect(options.split('\r\n', 1)[0]).toBe(`OPTIONS sip:${username}@192.168.7.7:5060 SIP/2.0`)
  peer.send(answerTo(options, '200 OK', { tag: 'phone' }))
  advance(25_000)
  await peer.next('OPTIONS')
  // Two checks without a response, 32 seconds each.
  for (let check = 0; check < 2; check++) {
    advance(32_100)
    await new Promise((resolve) => setImmediate(resolve))
    advance(25_000)
    await new Promise((resolve) => setImmediate(resolve))
  }

  expect(await next('device.gone')).toMatchObject({ deviceId: '7' })
})

test('wrong passwords block the device from that address, and an unknown account gets no response', async () => {
  const { peer, stack } = await world()
  const phone = phoneAt(peer)

  for (let guess = 0; guess < 10; guess++) {
    expect(await phone.registers({}, 'MD5', `guess ${guess}`)).toMatch(/^SIP\/2\.0 401/)
  }

  peer.send(phone.register())
  expect(await peer.next('SIP/2.0')).toMatch(/^SIP\/2\.0 403/)
  const before = stack.stats().refused
  peer.send(phone.register({ user: 'nobody' }))
  await expect.poll(() => stack.stats().refused).toBe(before + 1)
  expect(peer.left()).toEqual([])
})

test('a contact of an earlier process stays reachable, and the INVITE goes to its source address', async () => {
  const known = await udpPeer(() => 0)
  const contact = {
    uri: `sip:${username}@192.168.7.7:5060;ob`,
    transport: 'udp' as const,
    address: '127.0.0.1',
    port: known.port,
    expiresAt: Date.now() + 300_000,
    userAgent: '',
  }
  const { stack } = await world({ contacts: [contact] })

  const target = { deviceId: '7', contact, displayName: 'Ada "the" Agent' }
  const call = observe(stack.inviteDevice(target, { from: '+33155501234', sdp: ours, timeoutMs: 30_000 }))

  const invite = await known.next('INVITE')
  expect(invite.split('\r\n', 1)[0]).toBe(`INVITE sip:${username}@192.168.7.7:5060;ob SIP/2.0`)
  expect(headerOf(invite, 'from')).toMatch(/^"Ada the Agent" <sip:\+33155501234@/)
  call.call.hangup('answered_elsewhere')
  known.sendBytes(
    Buffer.from(answerTo(invite, '180 Ringing', { tag: 'phone' }).replaceAll('\n', '\r\n')),
    stack.ports().udp,
  )
  expect(headerOf(await known.next('CANCEL'), 'reason')).toBe('SIP;cause=200;text="Call completed elsewhere"')
})

test('a call of a device is authenticated, its national number is recognized, and it may ask for a transfer', async () => {
  const { peer, stack, next } = await world()
  await phoneAt(peer).registers()
  await next('device.registered')
  const uri = 'sip:0123456789@127.0.0.1'
  const invite = (headers: string[] = [], seq = 1) =>
    message(
      `INVITE ${uri} SIP/2.0`,
      [
        `Via: SIP/2.0/UDP 192.168.7.7:5060;branch=${newBranch()};rport`,
        'Max-Forwards: 70',
        `From: <sip:${username}@127.0.0.1>;tag=phone`,
        `To: <${uri}>`,
        'Call-ID: placed',
        `CSeq: ${seq} INVITE`,
        `Contact: <sip:${username}@192.168.7.7:5060>`,
        ...headers,
      ],
      offer,
    )

  peer.send(invite())
  const challenge = await peer.next('SIP/2.0 401')
  peer.send(invite([answerOf(challenge, 'INVITE', uri, 'SHA-256', password)], 2))

  const { call, deviceId } = await next('leg.incoming')
  expect({ deviceId, to: call.to }).toEqual({ deviceId: '7', to: '+33123456789' })
  call.answer(ours)
  const ok = await peer.next('SIP/2.0 200')
  expect(ok).toContain(ours.split('\r\n')[1] ?? '')
  expect(headerOf(ok, 'allow')).toContain('REFER')
  expect(stack.stats().calls).toBe(1)

  const inDialog = (method: string, seq: number, headers: string[] = []) =>
    message(`${method} ${uriIn(headerOf(ok, 'contact'))} SIP/2.0`, [
      `Via: SIP/2.0/UDP 192.168.7.7:5060;branch=${newBranch()};rport`,
      'Max-Forwards: 70',
      `From: <sip:${username}@127.0.0.1>;tag=phone`,
      `To: ${headerOf(ok, 'to')}`,
      'Call-ID: placed',
      `CSeq: ${seq} ${method}`,
      ...headers,
    ])
  const heard = observe(call)
  peer.send(inDialog('ACK', 2))
  const other = 'Replaces=second%40phone%3Bto-tag%3Dours%3Bfrom-tag%3Dtheirs'
  peer.send(inDialog('REFER', 3, [`Refer-To: <sip:105@127.0.0.1?${other}>`]))

  await peer.next('SIP/2.0 202')
  const trying = await peer.next('NOTIFY')
  expect(bodyOf(trying)).toBe('SIP/2.0 100 Trying\r\n')
  peer.send(answerTo(trying, '200 OK'))
  const replaces = { callId: 'second@phone', tags: ['ours', 'theirs'] }
  expect(await heard.next('leg.referred')).toMatchObject({ to: '105', replaces })
  call.refuseRefer()
  const refused = await peer.next('NOTIFY')
  expect([bodyOf(refused), headerOf(refused, 'subscription-state')]).toEqual([
    'SIP/2.0 603 Decline\r\n',
    'terminated;reason=noresource',
  ])
})
