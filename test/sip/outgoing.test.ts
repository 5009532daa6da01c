import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  answerTo,
  bodyOf,
  headerOf,
  headersOf,
  newBranch,
  offer,
  type SipPeer,
  tagIn,
  udpPeer,
  uriIn,
} from '../kit/sip-peer.ts'
import { observe, ours, type SipWorld, sipWorld, type WorldOptions } from './sip-world.ts'

const contactOf = (peer: SipPeer, more = '') => `Contact: <sip:far@127.0.0.1:${peer.port}${more}>`

async function calling(options: WorldOptions = {}, wanted: Parameters<SipWorld['dial']>[0] = {}) {
  const world = await sipWorld(options)
  const observed = world.dial(wanted)
  const invite = await world.peer.next('INVITE')
  return { ...world, observed, invite }
}

async function talking(options: WorldOptions = {}, headers: string[] = []) {
  const world = await calling(options)
  const { peer, invite, observed } = world
  const param = options.transport && options.transport !== 'udp' ? `;transport=${options.transport}` : ''
  const ok = answerTo(invite, '200 OK', { tag: 'far', headers: [contactOf(peer, param), ...headers], body: offer })
  peer.send(ok)
  const ack = await peer.next('ACK')
  await observed.next('leg.answered')
  return { ...world, ok, ack }
}

describe.each(['udp', 'tcp', 'tls'] as const)('over %s', (transport) => {
  test('a call is made, rings, is answered, and they hang up', async () => {
    const { peer, observed, invite, stack } = await calling({ transport })

    peer.send(answerTo(invite, '100 Trying'))
    peer.send(answerTo(invite, '180 Ringing', { tag: 'far', headers: [contactOf(peer)] }))
    expect(await observed.next('leg.progress')).toMatchObject({ code: 180 })
    const headers = [contactOf(peer, `;transport=${transport}`)]
    peer.send(answerTo(invite, '200 OK', { tag: 'far', headers, body: offer }))
    const ack = await peer.next('ACK')
    const bye = `BYE ${uriIn(headerOf(invite, 'contact'))} SIP/2.0
Via: SIP/2.0/${transport.toUpperCase()} 127.0.0.1:${peer.port};branch=${newBranch()};rport
Max-Forwards: 70
From: ${headerOf(ack, 'to')}
To: ${headerOf(ack, 'from')}
Call-ID: ${headerOf(ack, 'call-id')}
CSeq: 7 BYE
Content-Length: 0

`
    expect(await observed.next('leg.answered')).toMatchObject({ sdpAnswer: offer })
    peer.send(bye)

    expect(headerOf(await peer.next('SIP/2.0 200'), 'cseq')).toBe('7 BYE')
    expect(await observed.ended()).toMatchObject({ reason: 'hangup' })
    expect(bodyOf(invite)).toBe(ours)
    expect(uriIn(headerOf(invite, 'contact'))).toContain(`:${stack.ports()[transport]}`)
    expect(headerOf(invite, 'p-asserted-identity')).toContain('+33155501234')
  })

  test('a call that is hung up while ringing is cancelled', async () => {
    const { peer, observed, invite } = await calling({ transport })
    peer.send(answerTo(invite, '180 Ringing', { tag: 'far' }))
    await observed.next('leg.progress')

    observed.call.hangup()
    const cancel = await peer.next('CANCEL')
    peer.send(answerTo(cancel, '200 OK'))
    peer.send(answerTo(invite, '487 Request Terminated', { tag: 'far' }))

    const ack = await peer.next('ACK')
    expect(headerOf(cancel, 'via')).toBe(headerOf(invite, 'via'))
    expect(headerOf(ack, 'via')).toBe(headerOf(invite, 'via'))
    expect(await observed.ended()).toMatchObject({ reason: 'cancelled' })
  })
})

test.each([
  ['486 Busy Here', 'busy'],
  ['480 Temporarily Unavailable', 'no_answer'],
  ['603 Decline', 'rejected'],
  ['404 Not Found', 'failed'],
  ['500 Oops', 'failed'],
  ['302 Moved Temporarily', 'failed'],
] as const)('%s ends the call as %s', async (status, reason) => {
  const { peer, observed, invite } = await calling()

  peer.send(answerTo(invite, status, { tag: 'far', headers: ['Contact: <sip:+8810001@premium.test>'] }))

  expect(await observed.ended()).toMatchObject({ reason, code: Number.parseInt(status, 10) })
  await peer.next('ACK')
})

test('CANCEL waits for a provisional answer', async () => {
  const { peer, observed, invite } = await calling()

  observed.call.hangup()
  expect(await observed.ended()).toMatchObject({ reason: 'cancelled' })
  expect(peer.left()).toEqual([])
  peer.send(answerTo(invite, '100 Trying'))

  await peer.next('CANCEL')
})

test('a 200 that crosses the CANCEL gets ACK and BYE', async () => {
  const { peer, observed, invite } = await calling()
  peer.send(answerTo(invite, '180 Ringing', { tag: 'far' }))
  await observed.next('leg.progress')

  observed.call.hangup()
  await peer.next('CANCEL')
  peer.send(answerTo(invite, '200 OK', { tag: 'far', headers: [contactOf(peer)], body: offer }))

  await peer.next('ACK')
  await peer.next('BYE')
})

test('no answer in time: CANCEL, and the reason is no_answer', async () => {
  const { peer, observed, invite, advance } = await calling()
  peer.send(answerTo(invite, '180 Ringing', { tag: 'far' }))
  await observed.next('leg.progress')

  advance(60_000)

  expect(await observed.ended()).toMatchObject({ reason: 'no_answer' })
  await peer.next('CANCEL')
})

test('an INVITE is sent again with growing pauses, and given up after 32 seconds', async () => {
  const { peer, observed, invite, advance } = await calling()

  for (const ms of [500, 1_000, 2_000, 4_000, 8_000, 16_000]) {
    advance(ms)
    expect(await peer.next('INVITE')).toBe(invite)
  }
  advance(500)

  expect(await observed.ended()).toMatchObject({ reason: 'failed' })
  expect(peer.left()).toEqual([])
})

test('the first of two forks that answer is the call; the other gets ACK and BYE', async () => {
  const { peer, observed, ok, ack } = await talking()

  const other = ok.replaceAll(';tag=far', ';tag=other')
  peer.send(other)
  const second = await peer.next('ACK')
  const bye = await peer.next('BYE')
  peer.send(answerTo(bye, '200 OK'))
  peer.send(ok)
  const again = await peer.next('ACK')

  expect(tagIn(headerOf(second, 'to'))).toBe('other')
  expect(tagIn(headerOf(bye, 'to'))).toBe('other')
  expect(headerOf(again, 'to')).toBe(headerOf(ack, 'to'))
  expect(observed.left().map(({ kind }) => kind)).not.toContain('leg.ended')
})

test('routes of the answer are taken backwards, also by the ACK; a strict router finds itself in the request line', async () => {
  const { peer, observed, invite } = await calling()
  const first = `<sip:127.0.0.1:${peer.port};lr>`
  const headers = [contactOf(peer), 'Record-Route: <sip:c.test;lr>, <sip:b.test;lr>', `Record-Route: ${first}`]
  peer.send(answerTo(invite, '200 OK', { tag: 'far', headers, body: offer }))
  const ack = await peer.next('ACK')
  await observed.next('leg.answered')
  observed.call.hangup()
  const bye = await peer.next('BYE')

  expect(headersOf(ack, 'route')).toEqual([first, '<sip:b.test;lr>', '<sip:c.test;lr>'])
  expect(headersOf(bye, 'route')).toEqual(headersOf(ack, 'route'))
  expect(bye.split(' ')[1]).toBe(`sip:far@127.0.0.1:${peer.port}`)

  const strict = await calling()
  const only = `sip:127.0.0.1:${strict.peer.port}`
  const route = `Record-Route: <${only}>`
  strict.peer.send(
    answerTo(strict.invite, '200 OK', { tag: 'far', headers: [contactOf(strict.peer), route], body: offer }),
  )
  const strictAck = await strict.peer.next('ACK')
  expect(strictAck.split(' ')[1]).toBe(only)
  expect(headersOf(strictAck, 'route')).toEqual([`<sip:far@127.0.0.1:${strict.peer.port}>`])
})

describe('digest', () => {
  const account = { username: 'alice', password: 'pa:ss', domain: 'carrier.test' }
  const nonce = 'n1'

  /** Worked out here, not by our code. */
  function isRight(value: string, hashName: string, method: string, used: string) {
    const get = (name: string) => new RegExp(`\\b${name}="?([^",]+)`).exec(value)?.[1] ?? ''
    const hash = (text: string) => createHash(hashName).update(text).digest('hex')
    const a1 = hash(`alice:carrier.test:pa:ss`)
    const middle = get('qop') ? `${used}:${get('nc')}:${get('cnonce')}:auth` : used
    return get('response') === hash(`${a1}:${middle}:${hash(`${method}:${get('uri')}`)}`) && get('nonce') === used
  }

  test.each([
    ['401 Unauthorized', 'WWW-Authenticate', 'authorization', 'MD5', 'md5', ', qop="auth"'],
    [
      '407 Proxy Authentication Required',
      'Proxy-Authenticate',
      'proxy-authorization',
      'MD5',
      'md5',
      ', qop="auth,auth-int"',
    ],
    ['401 Unauthorized', 'WWW-Authenticate', 'authorization', 'SHA-256', 'sha256', ', qop="auth"'],
    ['401 Unauthorized', 'WWW-Authenticate', 'authorization', 'MD5', 'md5', ''],
  ])('%s with %s is met by %s (%s)', async (status, asks, answers, algorithm, hashName, qop) => {
    const { peer, observed, invite } = await calling({ trunk: account })
    const challenge = `${asks}: Digest realm="carrier.test", nonce="${nonce}", algorithm=${algorithm}${qop}`

    peer.send(answerTo(invite, status, { tag: 'far', headers: [challenge] }))
    await peer.next('ACK')
    const second = await peer.next('INVITE')
    peer.send(answerTo(second, '200 OK', { tag: 'far', headers: [contactOf(peer)], body: offer }))
    const ack = await peer.next('ACK')

    expect(isRight(headerOf(second, answers), hashName, 'INVITE', nonce)).toBe(true)
    expect(headerOf(second, 'cseq')).toBe('2 INVITE')
    expect(headerOf(second, 'call-id')).toBe(headerOf(invite, 'call-id'))
    expect(headerOf(second, 'from')).toBe(headerOf(invite, 'from'))
    expect(headerOf(ack, 'cseq')).toBe('2 ACK')
    expect(headerOf(ack, answers)).toBe(headerOf(second, answers))
    await observed.next('leg.answered')
  })

  test('of several challenges the strongest is answered', async () => {
    const { peer, invite } = await calling({ trunk: account })
    const challenge = (algorithm: string) =>
      `WWW-Authenticate: Digest realm="carrier.test", nonce="n1", algorithm=${algorithm}, qop="auth"`

    peer.send(answerTo(invite, '401 Unauthorized', { tag: 'far', headers: [challenge('MD5'), challenge('SHA-256')] }))

    expect(headerOf(await peer.next('INVITE'), 'authorization')).toContain('algorithm=SHA-256')
  })

  test('an old nonce is replaced once; a wrong password is not tried again', async () => {
    const { peer, observed, invite } = await calling({ trunk: account })
    const challenge = (used: string, more = '') => [
      `WWW-Authenticate: Digest realm="carrier.test", nonce="${used}", qop="auth"${more}`,
    ]
    peer.send(answerTo(invite, '401 Unauthorized', { tag: 'far', headers: challenge('n1') }))
    const second = await peer.next('INVITE')
    peer.send(answerTo(second, '401 Unauthorized', { tag: 'far', headers: challenge('n2', ', stale=TRUE') }))
    const third = await peer.next('INVITE')
    peer.send(answerTo(third, '401 Unauthorized', { tag: 'far', headers: challenge('n3', ', stale=true') }))

    expect(isRight(headerOf(third, 'authorization'), 'md5', 'INVITE', 'n2')).toBe(true)
    expect(await observed.ended()).toMatchObject({ reason: 'failed', code: 401 })
    expect(peer.left().filter((text) => text.startsWith('INVITE'))).toEqual([])
  })

  test('a BYE that is challenged is sent with credentials', async () => {
    const { peer, observed } = await talking({ trunk: account })
    observed.call.hangup()
    const bye = await peer.next('BYE')
    const headers = ['Proxy-Authenticate: Digest realm="carrier.test", nonce="n9", qop="auth"']
    peer.send(answerTo(bye, '407 Proxy Authentication Required', { headers }))

    const second = await peer.next('BYE')
    expect(isRight(headerOf(second, 'proxy-authorization'), 'md5', 'BYE', 'n9')).toBe(true)
  })
})

test('early media: 183 with an answer, acknowledged by PRACK where they require it, once', async () => {
  const { peer, observed, invite } = await calling()
  const reliable = { tag: 'far', headers: [contactOf(peer), 'Require: 100rel', 'RSeq: 77'], body: offer }
  const early = answerTo(invite, '183 Session Progress', reliable)

  peer.send(early)
  const prack = await peer.next('PRACK')
  peer.send(answerTo(prack, '200 OK'))
  peer.send(early)
  peer.send(answerTo(invite, '200 OK', { tag: 'far', headers: [contactOf(peer)], body: offer }))
  await peer.next('ACK')
  await observed.next('leg.answered')
  observed.call.hangup()
  const bye = await peer.next('BYE')

  expect(await observed.next('leg.progress')).toMatchObject({ code: 183, sdpAnswer: offer })
  expect(headerOf(prack, 'rack')).toBe('77 1 INVITE')
  expect(headerOf(prack, 'cseq')).toBe('2 PRACK')
  expect(headerOf(bye, 'cseq')).toBe('3 BYE')
  expect(peer.left().filter((text) => text.startsWith('PRACK'))).toEqual([])
})

test('no PRACK unless it is required', async () => {
  const { peer, observed, invite } = await calling()

  peer.send(answerTo(invite, '183 Session Progress', { tag: 'far', headers: [contactOf(peer)], body: offer }))
  await observed.next('leg.progress')
  peer.send(answerTo(invite, '486 Busy Here', { tag: 'far' }))
  await peer.next('ACK')

  expect(peer.left()).toEqual([])
})

test('a caller who withholds the number is anonymous in From, and asserted to the carrier with privacy', async () => {
  const { invite } = await calling({}, { anonymous: true })

  expect(headerOf(invite, 'from')).toMatch(/^"Anonymous" <sip:anonymous@anonymous\.invalid>;tag=/)
  expect(headerOf(invite, 'p-asserted-identity')).toBe('<sip:+33155501234@127.0.0.1>')
  expect(headerOf(invite, 'privacy')).toBe('id')
})

test.each([
  ['e164', '+33123456789', '+33123456789'],
  ['digits', '+33123456789', '33123456789'],
  ['prefixed', '+33123456789', '0033123456789'],
  ['national', '+33123456789', '0123456789'],
  ['national', '+447700900123', '00447700900123'],
] as const)('a trunk that wants %s gets %s as %s', async (out, to, expected) => {
  const { invite } = await calling({ trunk: { numbers: { countryCode: '33', out } } }, { to })

  expect(invite.split(' ')[1]).toBe(`sip:${expected}@127.0.0.1`)
})

test('a line break in a custom header is rejected', async () => {
  const { dial, peer } = await sipWorld()

  expect(() => dial({ headers: { 'X-Note': 'a\r\nContact: <sip:evil@x.test>' } })).toThrow('X-')
  expect(() => dial({ headers: { 'X-A\r\nVia': 'b' } })).toThrow('X-')
  expect(() => dial({ headers: { Contact: '<sip:evil@x.test>' } })).toThrow('X-')
  dial({ to: '+33\r\nX-Evil: 1', headers: { 'X-Note': 'né' } })

  const invite = await peer.next('INVITE')
  expect(headersOf(invite, 'x-evil')).toEqual([])
  expect(headerOf(invite, 'x-note')).toBe('né')
})

test('after a 503 the next SRV target is tried, and the failed one is tried last from then on', async () => {
  const ports: number[] = []
  const srv = async () => ports.map((port, index) => ({ name: `h${index}.test`, port, priority: index, weight: 1 }))
  const resolver = { naptr: async () => [], srv, addresses: async () => ['127.0.0.1'] }
  const { stack, peer, trunk } = await sipWorld({ stack: { resolver }, withoutTrunk: true })
  const spare = await udpPeer(() => stack.ports().udp ?? 0)
  ports.push(peer.port, spare.port)
  const { port: _, ...withoutPort } = trunk
  stack.setTrunks([{ ...withoutPort, host: 'carrier.test' }])
  const wanted = { trunkId: 'trunk', to: '+33123456789', from: '+33155501234', sdp: ours, timeoutMs: 60_000 }

  const observed = observe(stack.invite(wanted))
  const first = await peer.next('INVITE')
  peer.send(answerTo(first, '503 Service Unavailable', { tag: 'a' }))
  const second = await spare.next('INVITE')
  spare.send(answerTo(second, '486 Busy Here', { tag: 'b' }))
  expect(await observed.ended()).toMatchObject({ reason: 'busy' })
  stack.invite(wanted)

  await spare.next('INVITE')
  expect(headerOf(second, 'call-id')).toBe(headerOf(first, 'call-id'))
})

test('with another trunk to try, a carrier without a response is given up; its late answer is ended', async () => {
  const { stack, peer, advance } = await sipWorld()
  const wanted = { trunkId: 'trunk', to: '+33123456789', from: '+33155501234', sdp: ours, timeoutMs: 60_000 }
  const silent = observe(stack.invite({ ...wanted, silenceMs: 4_000 }))
  const invite = await peer.next('INVITE')

  advance(4_000)
  expect(await silent.ended()).toEqual({ kind: 'leg.ended', reason: 'failed' })
  peer.send(answerTo(invite, '180 Ringing', { tag: 'late', headers: [contactOf(peer)] }))
  const cancel = await peer.next('CANCEL')
  expect(headerOf(cancel, 'call-id')).toBe(headerOf(invite, 'call-id'))

  const trying = observe(stack.invite({ ...wanted, silenceMs: 4_000 }))
  let second = await peer.next('INVITE')
  while (headerOf(second, 'call-id') === headerOf(invite, 'call-id')) second = await peer.next('INVITE')
  peer.send(answerTo(second, '100 Trying'))
  await settled(peer)
  advance(20_000)
  expect(trying.left().filter(({ kind }) => kind === 'leg.ended')).toEqual([])
})

test('a connection that cannot be made ends the call as failed', async () => {
  const { stack, dial, trunk, peer } = await sipWorld({ transport: 'tcp' })
  stack.setTrunks([{ ...trunk, port: 1 }])

  expect(await dial().ended()).toMatchObject({ reason: 'failed' })
  expect(peer.left()).toEqual([])
})

test('after a 422 the INVITE is repeated with the minimum of the far end', async () => {
  const { peer, invite } = await calling()

  peer.send(answerTo(invite, '422 Session Interval Too Small', { tag: 'far', headers: ['Min-SE: 3600'] }))
  await peer.next('ACK')

  const second = await peer.next('INVITE')
  expect([headerOf(second, 'session-expires'), headerOf(second, 'min-se')]).toEqual(['3600', '3600'])
})

test('we refresh the session by re-INVITE where UPDATE is not allowed; a refresh that fails ends the call as lost', async () => {
  const { peer, observed, advance, ok } = await talking({}, ['Session-Expires: 200;refresher=uac', 'Require: timer'])
  advance(100_000)
  const refresh = await peer.next('INVITE')
  expect(bodyOf(refresh)).toBe(ours)
  const headers = [contactOf(peer), 'Session-Expires: 200;refresher=uac']
  peer.send(answerTo(refresh, '200 OK', { headers, body: bodyOf(ok) }))
  await peer.next('ACK')
  await settled(peer)

  advance(100_000)
  const second = await peer.next('INVITE')
  peer.send(answerTo(second, '481 Call/Transaction Does Not Exist'))

  await peer.next('ACK')
  await peer.next('BYE')
  expect(await observed.ended()).toMatchObject({ reason: 'lost' })
})

/** The stack has handled what was sent before. */
async function settled(peer: SipPeer) {
  peer.send(`OPTIONS sip:127.0.0.1 SIP/2.0
Via: SIP/2.0/UDP 127.0.0.1:${peer.port};branch=${newBranch()};rport
From: <sip:a@b.test>;tag=1
To: <sip:c@d.test>
Call-ID: ${newBranch()}
CSeq: 1 OPTIONS
Content-Length: 0

`)
  await peer.next('SIP/2.0 200')
}
