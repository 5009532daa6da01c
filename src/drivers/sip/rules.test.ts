import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../lib/clock.ts'
import { ackIn, type Dialog, nextHop, requestIn, withRemoteSeq } from './dialog.ts'
import { authorization, chooseChallenge, digestOf, parseChallenge } from './digest.ts'
import { answerDirections, directionOf } from './direction.ts'
import { addressList, createGuard } from './guard.ts'
import { header, headerList, type SipRequest } from './message.ts'
import { fromTrunk, toTrunk } from './numbers.ts'
import { outcomeOf } from './outcome.ts'
import { inOrder, resolveTarget } from './resolve.ts'
import { readSaved, saveDialog } from './saved-dialog.ts'
import { agreedTimer, answerTimer, timerMs } from './session-timer.ts'

describe('digest', () => {
  // The example of RFC 7616 §3.9.1.
  const rfc = {
    username: 'Mufasa',
    password: 'Circle of Life',
    realm: 'http-auth@example.org',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    method: 'GET',
    uri: '/dir/index.html',
    nc: '00000001',
    cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
    qop: 'auth' as const,
  }

  test('is that of the standard', () => {
    expect(digestOf({ ...rfc, algorithm: 'MD5' })).toBe('8ca523f5e9506fed4657c9700eebdbec')
    expect(digestOf({ ...rfc, algorithm: 'SHA-256' })).toBe(
      '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
    )
  })

  test('the strongest challenge we know is chosen, others are left', () => {
    const make = (rest: string) => `Digest realm="r", nonce="n", ${rest}`

    expect(chooseChallenge([make('algorithm=MD5'), make('algorithm=SHA-256')])?.algorithm).toBe('SHA-256')
    expect(chooseChallenge([make('algorithm=FUTURE'), make('qop="auth-int"'), 'Basic realm="r"'])).toBeUndefined()
    expect(parseChallenge(make('qop="auth,auth-int", stale=TRUE'))).toMatchObject({ stale: true, qop: 'auth' })
  })

  test('quotes in a name stay inside', () => {
    const challenge = parseChallenge('Digest realm="a\\"b", nonce="n"')
    const value =
      challenge &&
      authorization(challenge, { username: 'u"x', password: 'p' }, { method: 'BYE', uri: 'sip:a', count: 1 })

    expect(value).toContain('username="u\\"x", realm="a\\"b"')
  })
})

describe('dialog', () => {
  const dialog: Dialog = {
    trunkId: 't',
    callId: 'c',
    local: '<sip:us@x>;tag=1',
    remote: '<sip:them@y>;tag=2',
    target: 'sip:them@10.0.0.1:5070',
    routes: ['<sip:p1;lr>', '<sip:p2>'],
    seq: 4,
  }

  test('numbers go up, routes are kept, the first hop is the first route', () => {
    const { request, dialog: next } = requestIn(dialog, 'BYE')

    expect(header(request, 'cseq')).toBe('5 BYE')
    expect(next.seq).toBe(5)
    expect(request.uri).toBe(dialog.target)
    expect(headerList(request, 'route')).toEqual(dialog.routes)
    expect(nextHop(dialog)).toBe('sip:p1;lr')
    expect(header(ackIn(next, 4), 'cseq')).toBe('4 ACK')
  })

  test('a strict router stands in the request line', () => {
    const { request } = requestIn({ ...dialog, routes: ['<sip:p2>', '<sip:p1;lr>'] }, 'BYE')

    expect(request.uri).toBe('sip:p2')
    expect(headerList(request, 'route')).toEqual(['<sip:p1;lr>', '<sip:them@10.0.0.1:5070>'])
  })

  test('their numbers never go back', () => {
    const { request } = requestIn(dialog, 'INFO')
    const updated = withRemoteSeq(dialog, request)

    expect(updated?.remoteSeq).toBe(5)
    expect(updated && withRemoteSeq(updated, request)).toBeUndefined()
  })

  test('as text and back, with a gap and without the connection', () => {
    const peer = { transport: 'tcp' as const, address: '127.0.0.1', port: 5060, connection: 7 }
    const saved = readSaved(saveDialog(dialog, peer))

    expect(saved).toMatchObject({ kind: 'dialog', dialog: { ...dialog, seq: 1_004 }, peer: { port: 5060 } })
    expect(saved?.peer).not.toHaveProperty('connection')
    for (const text of ['', '{}', 'null', '[]', '{"v":2}']) expect(readSaved(text)).toBeUndefined()
  })
})

describe('session timer', () => {
  const invite = (...lines: [string, string][]): SipRequest => ({
    kind: 'request',
    method: 'INVITE',
    uri: 'sip:a@b',
    headers: lines.map(([name, value]) => ({ name, value })),
    body: '',
  })

  test.each([
    [invite(), { kind: 'none' }],
    [invite(['supported', 'timer']), { kind: 'agreed', timer: { seconds: 1_800, refresher: 'us' } }],
    [invite(['session-expires', '600']), { kind: 'agreed', timer: { seconds: 600, refresher: 'us' } }],
    [
      invite(['supported', 'timer'], ['session-expires', '600;refresher=uac']),
      { kind: 'agreed', timer: { seconds: 600, refresher: 'them' } },
    ],
    [invite(['supported', 'timer'], ['session-expires', '30']), { kind: 'tooShort' }],
    [invite(['session-expires', '30']), { kind: 'agreed', timer: { seconds: 90, refresher: 'us' } }],
    [invite(['session-expires', 'soon']), { kind: 'none' }],
  ])('what we answer (%#)', (request, expected) => {
    expect(answerTimer(request)).toEqual(expected)
  })

  test('who refreshes does so half way, who waits hangs up a little before the end', () => {
    expect(agreedTimer(invite(['session-expires', '600;refresher=uas']))).toEqual({ seconds: 600, refresher: 'them' })
    expect(timerMs({ seconds: 600, refresher: 'us' })).toBe(300_000)
    expect(timerMs({ seconds: 600, refresher: 'them' })).toBe(568_000)
    expect(timerMs({ seconds: 90, refresher: 'them' })).toBe(60_000)
  })
})

test.each([
  ['+33 1 55-50', { countryCode: '33' }, '+3315550'],
  ['0033155501234', { countryCode: '33' }, '+33155501234'],
  ['0155501234', { countryCode: '33' }, '+33155501234'],
  ['33155501234', { countryCode: '33' }, '+33155501234'],
  [
    '2125550123',
    { countryCode: '1', nationalPrefix: '1', internationalPrefix: '011', bare: 'national' as const },
    '+12125550123',
  ],
  [
    '12125550123',
    { countryCode: '1', nationalPrefix: '1', internationalPrefix: '011', bare: 'national' as const },
    '+12125550123',
  ],
  ['0155501234', {}, '0155501234'],
  ['3900', { countryCode: '33' }, '3900'],
  ['alice', {}, undefined],
  ['1;DROP', {}, undefined],
])('%s on a trunk of %j is %s', (text, format, expected) => {
  expect(fromTrunk(text, format)).toBe(expected)
})

test('short numbers go out as dialled', () => {
  expect(toTrunk('3900', { countryCode: '33', out: 'national' })).toBe('3900')
  expect(toTrunk('+12125550123', { countryCode: '1', nationalPrefix: '', out: 'national' })).toBe('2125550123')
})

test.each([
  ['a=sendonly', 'c=IN IP4 1.2.3.4', 'recvonly'],
  ['a=inactive', 'c=IN IP4 0.0.0.0', 'inactive'],
  ['a=ptime:20', 'c=IN IP4 0.0.0.0', 'recvonly'],
  ['a=ptime:20', 'c=IN IP4 1.2.3.4', 'sendrecv'],
  ['a=recvonly', 'c=IN IP4 1.2.3.4', 'sendonly'],
] as const)('an offer with %s and %s wants %s', (direction, address, expected) => {
  const sdp = ['v=0', address, 't=0 0', 'm=audio 4000 RTP/AVP 0', direction, 'm=video 0 RTP/AVP 31', 'a=sendonly', '']

  expect(answerDirections[directionOf(sdp.join('\r\n'))]).toBe(expected)
})

test('what answers mean', () => {
  const table = [200, 302, 403, 404, 408, 480, 486, 487, 488, 500, 503, 600, 603].map((status) => [
    status,
    outcomeOf(status),
  ])

  expect(Object.fromEntries(table)).toMatchObject({
    ...{
      302: 'failed',
      403: 'rejected',
      404: 'failed',
      408: 'no_answer',
      480: 'no_answer',
      486: 'busy',
      487: 'cancelled',
    },
    ...{ 488: 'failed', 500: 'failed', 503: 'failed', 600: 'busy', 603: 'rejected' },
  })
})

describe('where a trunk is', () => {
  const records = [
    { name: 'b.test', port: 5062, priority: 20, weight: 1 },
    { name: 'a1.test', port: 5060, priority: 10, weight: 1 },
    { name: 'a2.test', port: 5061, priority: 10, weight: 9 },
  ]
  const addresses: Record<string, string[]> = {
    'a1.test': ['10.0.0.1'],
    'a2.test': ['10.0.0.2', '10.0.0.3'],
    'c.test': ['10.0.0.9'],
  }
  const resolver = {
    naptr: async () => [],
    srv: async (name: string) => (name === '_sips._tcp.c.test' ? records : []),
    addresses: async (host: string) => addresses[host] ?? [],
  }

  test('priority first, then at random by weight', () => {
    expect(inOrder(records, () => 0.95).map(({ name }) => name)).toEqual(['a2.test', 'a1.test', 'b.test'])
    expect(inOrder(records, () => 0.01).map(({ name }) => name)).toEqual(['a1.test', 'a2.test', 'b.test'])
  })

  test('service records where no port is given, and the name for the certificate', async () => {
    const found = await resolveTarget(resolver, { host: 'c.test', transport: 'tls' }, () => 0.95)

    expect(found.map(({ address, port }) => `${address}:${port}`)).toEqual([
      '10.0.0.2:5061',
      '10.0.0.3:5061',
      '10.0.0.1:5060',
    ])
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set(['c.test']))
  })

  test('plain addresses otherwise', async () => {
    const at = (place: { host: string; port?: number }) =>
      resolveTarget(resolver, { ...place, transport: 'udp' }, () => 0)

    expect(await at({ host: 'c.test', port: 5080 })).toEqual([
      { transport: 'udp', address: '10.0.0.9', port: 5080, name: 'c.test' },
    ])
    expect(await at({ host: 'c.test' })).toMatchObject([{ port: 5060 }])
    expect(await at({ host: '192.0.2.1' })).toEqual([{ transport: 'udp', address: '192.0.2.1', port: 5060 }])
    expect(await at({ host: 'nowhere.test' })).toEqual([])
  })
})

describe('guard', () => {
  test('lists of addresses open exactly what they name', () => {
    const isListed = addressList(['192.0.2.0/24', '203.0.113.7', '2001:db8::/32', 'carrier.test', '10.0.0.0/0', ''])

    expect(['192.0.2.9', '203.0.113.7', '2001:db8::5'].every(isListed)).toBe(true)
    expect(['203.0.113.8', '10.0.0.1', '::1', '::ffff:192.0.2.9', 'x'].some(isListed)).toBe(false)
  })

  test('the rate fills up again with time', () => {
    const clock = createManualClock(0)
    let now = 0
    const guard = createGuard({ ...clock, machineNow: () => now }, () => true, { failures: 10, perSecond: 2, burst: 3 })
    const take = (times: number) => Array.from({ length: times }, () => guard.withinRate('a'))

    expect(take(4)).toEqual([true, true, true, false])
    now = 1_000
    expect(take(3)).toEqual([true, true, false])
  })
})
