import { describe, expect, test } from 'vitest'
import { type AudioDescription, answerTo, isHeldBy, type OurSide, readSdp, settle, writeOffer } from './sdp.ts'

const key = Buffer.alloc(30, 5)
const theirKey = Buffer.alloc(30, 8)
const ours: OurSide = { address: '198.51.100.7', port: 20_000, sessionId: 11, version: 1 }

const offer = (...media: string[]) =>
  ['v=0', 'o=- 1 1 IN IP4 203.0.113.5', 's=call', 'c=IN IP4 203.0.113.5', 't=0 0', ...media, ''].join('\r\n')

function read(text: string): AudioDescription {
  const description = readSdp(text)
  if ('problem' in description) throw new Error(description.problem)
  return description
}

describe('reading', () => {
  test('what a carrier sends', () => {
    const sdp = offer(
      'm=audio 40000 RTP/AVP 18 8 0 96',
      'a=rtpmap:18 G729/8000',
      'a=rtpmap:96 telephone-event/8000',
      'a=fmtp:96 0-16',
      'a=ptime:30',
    )

    expect(read(sdp)).toMatchObject({
      address: '203.0.113.5',
      port: 40_000,
      codecs: [
        { codec: 'PCMA', payloadType: 8 },
        { codec: 'PCMU', payloadType: 0 },
      ],
      telephoneEvents: { 8000: 96, 48000: null },
      ptimeMs: 30,
      direction: 'sendrecv',
      secure: false,
    })
  })

  test('all forms of hold', () => {
    const held = (...lines: string[]) => isHeldBy(read(offer('m=audio 40000 RTP/AVP 0', ...lines)))

    expect([held(), held('a=recvonly'), held('a=sendonly'), held('a=inactive'), held('c=IN IP4 0.0.0.0')]).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
    expect(isHeldBy(read(offer('a=sendonly', 'm=audio 40000 RTP/AVP 0')))).toBe(true)
    expect(read(offer('m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::1')).address).toBe('2001:db8::1')
  })

  test('hostile text is a problem or is passed over, and never throws', () => {
    const problems = [
      '',
      'a'.repeat(20_000),
      'm=audio\n'.repeat(500),
      offer('m=audio 0 RTP/AVP 0'),
      offer('m=audio 99999 RTP/AVP 0'),
      offer('m=audio 4000 RTP/AVP 18'),
      offer('m=video 4000 RTP/AVP 0'),
      offer('m=audio 4000 UDP/TLS/RTP/SAVPF 0'),
      'v=0\nm=audio 4000 RTP/AVP 0\n',
      'v=0\nc=IN IP4 999.1.1.1\nm=audio 4000 RTP/AVP 0\n',
      'v=0\nc=IN IP4 evil.example\nm=audio 4000 RTP/AVP 0\n',
    ]
    for (const text of problems) expect('problem' in readSdp(text), text.slice(0, 60)).toBe(true)
    const strange = read(
      offer(
        'm=audio 4000 RTP/AVP 0 x 300 -1',
        'a=ptime:-5',
        'a=rtpmap:',
        'a=crypto:1 X inline:',
        'a=rtpmap:0 PCMU/8000',
      ),
    )
    expect([strange.ptimeMs, strange.codecs.length, strange.telephoneEvents[8000]]).toEqual([20, 1, null])
  })
})

describe('offer and answer', () => {
  test('ours is read by ourselves as it was meant, and an answer to it settles the call', () => {
    const theirs = read(writeOffer(ours))
    const answered = answerTo(theirs, { ...ours, port: 30_000 })
    if ('problem' in answered) throw new Error(answered.problem)

    expect(answered.agreed).toMatchObject({ codec: 'PCMU', payloadType: 0, telephoneEvent: 101, direction: 'sendrecv' })
    expect(settle(read(answered.sdp), ours)).toMatchObject({
      port: 30_000,
      codec: 'PCMU',
      telephoneEvent: 101,
      ourKey: null,
    })
  })

  test('every other line of an offer is refused in its place, and their numbers are used', () => {
    const theirs = read(
      offer(
        'm=video 5000 RTP/AVP 31',
        'm=audio 40000 RTP/AVP 8 110',
        'a=rtpmap:110 telephone-event/8000',
        'm=text 6000 RTP/AVP 98',
      ),
    )
    const answered = answerTo(theirs, ours)
    if ('problem' in answered) throw new Error(answered.problem)

    expect(answered.sdp.split('\r\n').filter((line) => line.startsWith('m='))).toEqual([
      'm=video 0 RTP/AVP 31',
      'm=audio 20000 RTP/AVP 8 110',
      'm=text 0 RTP/AVP 98',
    ])
    expect(answered.agreed).toMatchObject({ codec: 'PCMA', telephoneEvent: 110 })
  })

  describe('codecs', () => {
    const all = ['opus', 'G722', 'PCMU', 'PCMA'] as const
    const wideOffer = offer(
      'm=audio 40000 RTP/AVP 8 9 96 101 97',
      'a=rtpmap:96 opus/48000/2',
      'a=fmtp:96 useinbandfec=1; maxaveragebitrate=24000',
      'a=rtpmap:101 telephone-event/8000',
      'a=rtpmap:97 telephone-event/48000',
    )

    test('are offered in our order, with the events of their clocks', () => {
      const sdp = writeOffer({ ...ours, codecs: all })

      expect(sdp).toContain('m=audio 20000 RTP/AVP 111 9 0 8 101 110\r\n')
      expect(sdp).toContain('a=rtpmap:111 opus/48000/2\r\na=fmtp:111 minptime=10;useinbandfec=1;maxplaybackrate=16000')
      expect(sdp).toContain('a=rtpmap:9 G722/8000\r\n')
      expect(sdp).toContain('a=rtpmap:110 telephone-event/48000\r\n')
      expect(read(sdp).codecs.map(({ codec }) => codec)).toEqual(all)
      expect(writeOffer(ours)).toContain('m=audio 20000 RTP/AVP 0 8 101\r\n')
    })

    test.each([
      [all, { codec: 'opus', payloadType: 96, maxBitsPerSecond: 24_000, telephoneEvent: 97, eventRate: 48_000 }],
      [['G722', 'PCMA'] as const, { codec: 'G722', payloadType: 9, telephoneEvent: 101, eventRate: 8_000 }],
      [['PCMU', 'PCMA', 'G722'] as const, { codec: 'PCMA', payloadType: 8, telephoneEvent: 101, eventRate: 8_000 }],
    ])('the first of ours that is offered is selected: %j', (codecs, agreed) => {
      const answered = answerTo(read(wideOffer), { ...ours, codecs })

      expect(answered).toMatchObject({ agreed })
      expect('sdp' in answered && answered.sdp).toContain(
        `m=audio 20000 RTP/AVP ${agreed.payloadType} ${agreed.telephoneEvent}\r\n`,
      )
    })

    test('an offer or an answer without one of ours is refused', () => {
      expect(answerTo(read(wideOffer), { ...ours, codecs: ['PCMU'] })).toEqual({ problem: 'no codec in common' })
      expect(settle(read(wideOffer), { ...ours, codecs: ['PCMU'] })).toEqual({ problem: 'no codec in common' })
    })

    test('after our offer the far end selects, and may send any that we offered', () => {
      const agreed = settle(read(offer('m=audio 4000 RTP/AVP 9 0')), { ...ours, codecs: all })

      expect(agreed).toMatchObject({ codec: 'G722', payloadType: 9, telephoneEvent: null })
      expect('alsoReceives' in agreed && agreed.alsoReceives).toHaveLength(4)
    })
  })

  test.each([
    ['sendrecv', 'sendrecv'],
    ['sendonly', 'recvonly'],
    ['recvonly', 'sendonly'],
    ['inactive', 'inactive'],
  ])('%s is answered with %s', (theirs, mine) => {
    const answered = answerTo(read(offer('m=audio 40000 RTP/AVP 0', `a=${theirs}`)), ours)

    expect(answered).toMatchObject({ agreed: { direction: mine } })
    expect('sdp' in answered && answered.sdp).toContain(`a=${mine}\r\n`)
  })

  test('encryption is agreed on by both or the call is not made', () => {
    const crypto = `a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:${theirKey.toString('base64')}|2^31`
    const secure = read(offer('m=audio 40000 RTP/SAVP 0', 'a=crypto:1 AES_CM_128_HMAC_SHA1_32 inline:abc', crypto))

    const answered = answerTo(secure, { ...ours, key })
    expect(answered).toMatchObject({ agreed: { theirKey, ourKey: key } })
    expect('sdp' in answered && answered.sdp).toContain('a=crypto:2 AES_CM_128_HMAC_SHA1_80 inline:')
    expect(answerTo(secure, ours)).toHaveProperty('problem')
    expect(settle(read(offer('m=audio 4000 RTP/AVP 0')), { ...ours, key })).toHaveProperty('problem')
    expect(settle(secure, ours)).toHaveProperty('problem')
    expect(settle(secure, { ...ours, key })).toMatchObject({ theirKey })
  })
})
