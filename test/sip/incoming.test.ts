import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { answerTo, bodyOf, caller, headerOf, headersOf, offer, tagIn, uriIn } from '../kit/sip-peer.ts'
import { ours, sipWorld, type WorldOptions } from './sip-world.ts'

const transports = ['udp', 'tcp', 'tls'] as const

async function ringing(options: WorldOptions = {}, headers: string[] = []) {
  const world = await sipWorld(options)
  const transport = (options.transport ?? 'udp').toUpperCase() as 'UDP' | 'TCP' | 'TLS'
  const phone = caller({ transport, port: world.peer.port, from: '+33155501234', to: '0155509876' })
  const invite = phone.invite({ headers })
  world.peer.send(invite)
  const observed = await world.incoming()
  return { ...world, phone, observed, invite }
}

async function answered(options: WorldOptions = {}, headers: string[] = []) {
  const world = await ringing(options, headers)
  const { peer, phone, observed } = world
  observed.call.answer(ours)
  const ok = await peer.next('SIP/2.0 200')
  phone.learnTarget(ok)
  peer.send(phone.request('ACK'))
  await observed.next('leg.answered')
  return { ...world, ok }
}

describe.each(transports)('over %s', (transport) => {
  test('an inbound call rings, is answered, and the caller hangs up', async () => {
    const { peer, phone, observed, stack } = await ringing({ transport })
    expect(await peer.next('SIP/2.0 100')).toContain('100 Trying')
    expect(observed.call).toMatchObject({ trunkId: 'trunk', from: '+33155501234', to: '+33155509876', sdp: offer })

    observed.call.progress(180)
    const ringing180 = await peer.next('SIP/2.0 180')
    observed.call.answer(ours)
    const ok = await peer.next('SIP/2.0 200')
    phone.learnTarget(ok)
    peer.send(phone.request('ACK'))
    await observed.next('leg.answered')
    peer.send(phone.request('BYE'))

    expect(await peer.next('SIP/2.0 200')).toContain(' BYE')
    expect(await observed.ended()).toEqual({ kind: 'leg.ended', reason: 'hangup' })
    expect(bodyOf(ok)).toBe(ours)
    expect(tagIn(headerOf(ringing180, 'to'))).toBe(tagIn(headerOf(ok, 'to')))
    expect(uriIn(headerOf(ok, 'contact'))).toContain(`:${stack.ports()[transport]}`)
    expect(stack.stats().calls).toBe(0)
  })

  test('we hang up: BYE goes to the Contact of the caller', async () => {
    const { peer, observed, ok } = await answered({ transport })

    observed.call.hangup()
    const bye = await peer.next('BYE')

    expect(bye.split('\r\n')[0]).toContain(`:${peer.port}`)
    expect(tagIn(headerOf(bye, 'from'))).toBe(tagIn(headerOf(ok, 'to')))
    expect(tagIn(headerOf(bye, 'to'))).toBe(tagIn(headerOf(ok, 'from')))
    expect(await observed.ended()).toMatchObject({ reason: 'hangup' })
  })

  test('a caller who cancels gets 200 for the CANCEL and 487 for the INVITE, in one dialog', async () => {
    const { peer, phone, observed } = await ringing({ transport })
    observed.call.progress(180)
    const first = await peer.next('SIP/2.0 180')

    peer.send(phone.ofInvite('CANCEL'))
    const cancelled = await peer.next('SIP/2.0 200')
    const terminated = await peer.next('SIP/2.0 487')
    phone.learnTarget(terminated)
    peer.send(phone.ofInvite('ACK'))

    expect(headerOf(cancelled, 'cseq')).toContain('CANCEL')
    expect(tagIn(headerOf(terminated, 'to'))).toBe(tagIn(headerOf(first, 'to')))
    expect(await observed.ended()).toMatchObject({ reason: 'cancelled', code: 487 })
  })
})

test.each([
  ['busy', 486],
  ['unknown', 404],
  ['unavailable', 480],
  ['overloaded', 503],
  ['declined', 603],
] as const)('a call refused as %s is answered with %i', async (why, status) => {
  const { peer, observed } = await ringing()

  observed.call.reject(why)

  expect(await peer.next(`SIP/2.0 ${status}`)).toContain('INVITE')
  expect(await observed.ended()).toMatchObject({ reason: 'rejected', code: status })
})

test('routes of the INVITE are kept in their order, and answers carry them', async () => {
  const routes = ['Record-Route: <sip:127.0.0.1:1;lr>, <sip:b.test;lr>', 'Record-Route: <sip:c.test;lr>']
  const world = await sipWorld()
  const own = `Record-Route: <sip:127.0.0.1:${world.peer.port};lr>`
  const phone = caller({ transport: 'UDP', port: world.peer.port, from: '+33155501234', to: '0155509876' })
  world.peer.send(phone.invite({ headers: [own, ...routes] }))
  const observed = await world.incoming()

  observed.call.answer(ours)
  const ok = await world.peer.next('SIP/2.0 200')
  phone.learnTarget(ok)
  world.peer.send(phone.request('ACK'))
  await observed.next('leg.answered')
  observed.call.hangup()

  const bye = await world.peer.next('BYE')
  expect(headersOf(ok, 'record-route').join(', ')).toContain('127.0.0.1:1;lr>, <sip:b.test;lr>, <sip:c.test;lr>')
  expect(headersOf(bye, 'route')).toEqual([
    `<sip:127.0.0.1:${world.peer.port};lr>`,
    '<sip:127.0.0.1:1;lr>',
    '<sip:b.test;lr>',
    '<sip:c.test;lr>',
  ])
})

test('the 200 is retransmitted until its ACK, and a retransmitted INVITE makes no second call', async () => {
  const { peer, phone, observed, invite, advance, stack } = await ringing()

  peer.send(invite)
  await peer.next('SIP/2.0 100')
  await peer.next('SIP/2.0 100')
  observed.call.answer(ours)
  const first = await peer.next('SIP/2.0 200')
  advance(500)
  const second = await peer.next('SIP/2.0 200')
  advance(1_000)
  await peer.next('SIP/2.0 200')
  phone.learnTarget(first)
  peer.send(phone.request('ACK'))
  await observed.next('leg.answered')
  advance(20_000)

  expect(second).toBe(first)
  expect(peer.left()).toEqual([])
  expect(stack.stats().calls).toBe(1)
})

test('a 200 without ACK ends the call as lost, with a BYE', async () => {
  const { peer, observed, advance } = await ringing()
  observed.call.answer(ours)

  advance(33_000)

  await peer.next('BYE')
  expect(await observed.ended()).toMatchObject({ reason: 'lost' })
})

test('hanging up between answer and ACK waits for the ACK', async () => {
  const { peer, phone, observed } = await ringing()
  observed.call.answer(ours)
  phone.learnTarget(await peer.next('SIP/2.0 200'))
  observed.call.hangup()
  expect(await observed.ended()).toMatchObject({ reason: 'hangup' })

  peer.send(phone.request('ACK'))

  await peer.next('BYE')
})

test.each([
  ['sendonly', offer.replace('sendrecv', 'sendonly'), true, 'recvonly'],
  ['inactive', offer.replace('sendrecv', 'inactive'), true, 'inactive'],
  ['c=0.0.0.0', offer.replace('c=IN IP4 127.0.0.1', 'c=IN IP4 0.0.0.0'), true, 'recvonly'],
  ['resumed', offer.replace('40000', '40002'), false, 'sendrecv'],
])('a re-INVITE (%s) is passed on as hold or not, with the direction of its answer', async (_, sdp, hold, direction) => {
  const { peer, phone, observed } = await answered()

  peer.send(phone.invite({ body: sdp }))
  const asked = await observed.next('sdp.offer')
  asked.reply(`${ours}a=${asked.direction}\r\n`)
  const ok = await peer.next('SIP/2.0 200')
  peer.send(phone.request('ACK'))
  peer.send(phone.request('OPTIONS'))
  await peer.next('SIP/2.0 200')

  expect(asked).toMatchObject({ sdpOffer: sdp, hold, direction })
  expect(bodyOf(ok)).toContain(`a=${direction}`)
})

test('a re-INVITE without changes gets the same answer; one without an offer gets ours', async () => {
  const { peer, phone, observed } = await answered()

  peer.send(phone.invite())
  const same = await peer.next('SIP/2.0 200')
  peer.send(phone.request('ACK'))
  peer.send(phone.invite({ body: '' }))
  const offered = await peer.next('SIP/2.0 200')
  const theirs = offer.replace('40000', '40004')
  peer.send(phone.request('ACK', { body: theirs }))

  expect(bodyOf(same)).toBe(ours)
  expect(bodyOf(offered)).toBe(ours)
  expect(await observed.next('sdp.answer')).toMatchObject({ sdpAnswer: theirs })
})

test('a re-INVITE while ours is under way is refused with 491; ours is tried again after its own 491', async () => {
  const { peer, phone, observed, advance } = await answered()
  const outcome = observed.call.offer(ours.replace('20000', '20002'))
  const mine = await peer.next('INVITE')

  peer.send(phone.invite({ body: offer.replace('40000', '40006') }))
  const glare = await peer.next('SIP/2.0 491')
  phone.learnTarget(glare)
  peer.send(answer(mine, '491 Request Pending'))
  await peer.next('ACK')
  const again = await nextWhileAdvancing(() => peer.next('INVITE'), advance)
  peer.send(answer(again, '200 OK', offer))
  await peer.next('ACK')

  expect(await outcome).toBe(offer)
  expect(Number.parseInt(headerOf(again, 'cseq'), 10)).toBeGreaterThan(Number.parseInt(headerOf(mine, 'cseq'), 10))
})

test('an INVITE without offer gets ours in the 200, and the answer comes with the ACK', async () => {
  const world = await sipWorld()
  const { peer } = world
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite({ body: '' }))
  const observed = await world.incoming()

  observed.call.answer(ours)
  phone.learnTarget(await peer.next('SIP/2.0 200'))
  peer.send(phone.request('ACK', { body: offer }))

  expect(observed.call.sdp).toBeUndefined()
  expect(await observed.next('leg.answered')).toMatchObject({ sdpAnswer: offer })
})

test('early media: 183 with an answer; reliably where the caller requires it', async () => {
  const plain = await ringing()
  plain.observed.call.progress(183, ours)
  expect(bodyOf(await plain.peer.next('SIP/2.0 183'))).toBe(ours)

  const { peer, phone, observed, advance } = await ringing({}, ['Require: 100rel'])
  observed.call.progress(183, ours)
  const first = await peer.next('SIP/2.0 183')
  advance(500)
  expect(await peer.next('SIP/2.0 183')).toBe(first)
  observed.call.answer(ours)
  phone.learnTarget(first)
  const rack = `RAck: ${headerOf(first, 'rseq')} 1 INVITE`
  peer.send(phone.request('PRACK', { headers: [rack] }))

  expect(headerOf(await peer.next('SIP/2.0 200'), 'cseq')).toContain('PRACK')
  expect(headerOf(await peer.next('SIP/2.0 200'), 'cseq')).toContain('INVITE')
  expect(headerOf(first, 'require')).toBe('100rel')
})

test('digits come by INFO; REFER is declined; a method we do not know is not allowed', async () => {
  const { peer, phone, observed } = await answered()
  const relay = { body: 'Signal=5\r\nDuration=160\r\n', type: 'application/dtmf-relay' }

  peer.send(phone.request('INFO', relay))
  await peer.next('SIP/2.0 200')
  peer.send(phone.request('INFO', { body: '#', type: 'application/dtmf' }))
  await peer.next('SIP/2.0 200')
  peer.send(phone.request('REFER', { headers: ['Refer-To: <sip:+3312345@elsewhere.test>'] }))
  await peer.next('SIP/2.0 603')
  peer.send(phone.request('SUBSCRIBE'))
  await peer.next('SIP/2.0 405')

  expect([(await observed.next('leg.dtmf')).digit, (await observed.next('leg.dtmf')).digit]).toEqual(['5', '#'])
})

test('requests of an unknown dialog get 481, those with a lower CSeq 500', async () => {
  const { peer, phone } = await answered()

  peer.send(phone.request('OPTIONS', { seq: 1 }))
  await peer.next('SIP/2.0 500')
  const stranger = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  stranger.learnTarget('SIP/2.0 200 OK\r\nTo: <sip:x@y.test>;tag=nobody\r\n\r\n')
  peer.send(stranger.request('BYE'))

  expect(await peer.next('SIP/2.0 481')).toContain('BYE')
})

test.each([
  ['+33155501234', [], '+33155501234'],
  ['0033155501234', [], '+33155501234'],
  ['0155501234', [], '+33155501234'],
  ['anonymous', [], 'anonymous'],
  ['+33155501234', ['Privacy: id'], 'anonymous'],
  ['anonymous', ['P-Asserted-Identity: <sip:+33155501299@c.test>', 'Privacy: none'], '+33155501299'],
  ['anonymous', ['P-Asserted-Identity: <tel:+33155501299>', 'Privacy: id;critical'], 'anonymous'],
])('a caller %s with %j is %s', async (from, headers, expected) => {
  const world = await sipWorld()
  const phone = caller({ transport: 'UDP', port: world.peer.port, from, to: '+33155509876', headers })

  world.peer.send(phone.invite())

  expect((await world.incoming()).call.from).toBe(expected)
})

test('a trunk with inbound credentials accepts valid ones once; missing, wrong, reused or foreign ones get 401', async () => {
  const inboundAuth = { username: 'carrier', password: 'secret', algorithms: ['SHA-256', 'MD5'] as const }
  const { peer, stack, incoming } = await sipWorld({ trunk: { inboundAuth, domain: 'us.test' } })
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })
  peer.send(phone.invite())
  const [challenge = '', weaker = ''] = headersOf(await peer.next('SIP/2.0 401'), 'www-authenticate')
  const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? ''
  const uri = 'sip:0155509876@127.0.0.1'
  const credentials = (change: { password?: string; realm?: string; algorithm?: string } = {}) => {
    const { password = 'secret', realm = 'us.test', algorithm = 'SHA-256' } = change
    const hash = (text: string) =>
      createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
        .update(text)
        .digest('hex')
    const middle = `${nonce}:00000001:abc:auth`
    const response = hash(`${hash(`carrier:${realm}:${password}`)}:${middle}:${hash(`INVITE:${uri}`)}`)
    const names = `username="carrier", realm="${realm}", nonce="${nonce}", uri="${uri}"`
    return [
      `Authorization: Digest ${names}, response="${response}", algorithm=${algorithm}, qop=auth, nc=00000001, cnonce="abc"`,
    ]
  }
  const tryWith = async (headers: string[]) => {
    peer.send(phone.invite({ headers }))
    return headerOf(await peer.next('SIP/2.0 401'), 'www-authenticate')
  }

  const wrong = [{ password: 'guess' }, { realm: 'them.test' }, { algorithm: 'MD5' }]
  for (const change of wrong) expect(await tryWith(credentials(change))).not.toContain('stale')
  peer.send(phone.invite({ headers: credentials() }))
  const observed = await incoming()
  const replayed = await tryWith(credentials())

  expect(challenge).toMatch(/^Digest realm="us.test", nonce="\S+", algorithm=SHA-256, qop="auth"$/)
  expect(weaker).toMatch(/^Digest realm="us.test", nonce="\S+", algorithm=MD5, qop="auth"$/)
  expect(observed.call.from).toBe('+33155501234')
  expect(replayed).toContain('stale=true')
  expect(stack.stats().calls).toBe(1)
})

test('the session timer is agreed; when they do not refresh in time, the call is lost', async () => {
  const { peer, observed, ok, advance } = await answered({}, ['Supported: timer', 'Session-Expires: 120;refresher=uac'])

  expect(headerOf(ok, 'session-expires')).toBe('120;refresher=uac')
  expect(observed.left()).not.toContainEqual(expect.objectContaining({ kind: 'leg.ended' }))
  advance(90_000)

  await peer.next('BYE')
  expect(await observed.ended()).toMatchObject({ reason: 'lost' })
})

test('when we refresh, it is by UPDATE where they allow it', async () => {
  const { peer, advance, ok } = await answered({}, [
    'Supported: timer',
    'Allow: INVITE, UPDATE',
    'Session-Expires: 120',
  ])

  advance(60_000)
  const update = await peer.next('UPDATE')
  peer.send(answer(update, '200 OK', '', ['Session-Expires: 120;refresher=uac']))

  expect(headerOf(ok, 'session-expires')).toBe('120;refresher=uas')
  expect(headerOf(update, 'session-expires')).toBe('120;refresher=uac')
})

test('a session interval that is too short gets 422 with the minimum', async () => {
  const { peer } = await sipWorld()
  const phone = caller({ transport: 'UDP', port: peer.port, from: '+33155501234', to: '0155509876' })

  peer.send(phone.invite({ headers: ['Supported: timer', 'Session-Expires: 30'] }))

  expect(headerOf(await peer.next('SIP/2.0 422'), 'min-se')).toBe('90')
})

function answer(request: string, status: string, body = '', headers: string[] = []) {
  const contact = 'Contact: <sip:far@127.0.0.1>'
  return answerTo(request, status, {
    body,
    headers: body === '' ? headers : [contact.replace('127.0.0.1', uriHost(request)), ...headers],
  })
}

/** The far end keeps its own Contact: the address to which the request came. */
const uriHost = (request: string) => /@([\d.]+:\d+)/.exec(request.split('\r\n')[0] ?? '')?.[1] ?? '127.0.0.1'

async function nextWhileAdvancing(next: () => Promise<string>, advance: (ms: number) => void): Promise<string> {
  const found = next()
  // The wait after a glare is chosen by chance, at most two seconds; its timer is set once the answer was read.
  for (let i = 0; i < 60; i++) {
    advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return found
}
