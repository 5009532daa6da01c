import { describe, expect, test } from 'vitest'
import { readOffer, withAddress } from './browser-peer.ts'

const offer = (formats: string, ...lines: string[]) =>
  ['v=0', 's=-', `m=audio 9 UDP/TLS/RTP/SAVPF ${formats}`, 'a=mid:0', ...lines].join('\r\n')

const maps = [
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:0 PCMU/8000',
  'a=rtpmap:110 telephone-event/48000',
  'a=rtpmap:126 telephone-event/8000',
]

describe('what is agreed on with a browser', () => {
  test('is Opus where that comes first, with keys that count as it does', () => {
    expect(readOffer(offer('111 0 110 126', ...maps), true)).toEqual({
      mid: '0',
      agreed: {
        codec: 'opus',
        payloadType: 111,
        isWideband: false,
        isLowDelay: false,
        telephoneEvent: 110,
        eventRate: 48_000,
      },
    })
    const oldKeys = offer('111 126', ...maps.filter((line) => !line.includes('110')))
    expect(readOffer(oldKeys, true).agreed).toMatchObject({ codec: 'opus', telephoneEvent: 126, eventRate: 8_000 })
  })

  test('is the telephone’s own sound where that comes first, or where there is no Opus here', () => {
    const standard = { codec: 'PCMU', payloadType: 0, telephoneEvent: 126, eventRate: 8_000 }

    expect(readOffer(offer('0 111 110 126', ...maps), true).agreed).toEqual(standard)
    expect(readOffer(offer('111 0 110 126', ...maps), false).agreed).toEqual(standard)
    expect(readOffer(offer('0'), true).agreed).toEqual({ codec: 'PCMU', payloadType: 0, telephoneEvent: null })
  })

  test('is wideband Opus at any place of the offer, where the other side is wideband', () => {
    const wideband = { codec: 'opus', payloadType: 111, isWideband: true, telephoneEvent: 110, eventRate: 48_000 }

    expect(readOffer(offer('0 111 110 126', ...maps), true, true).agreed).toEqual({ ...wideband, isLowDelay: true })
    expect(readOffer(offer('111 0 110 126', ...maps), true, true).agreed).toEqual({ ...wideband, isLowDelay: false })
    expect(readOffer(offer('0 126', ...maps), true, true).agreed).toMatchObject({ codec: 'PCMU' })
    expect(readOffer(offer('0 111 110 126', ...maps), false, true).agreed).toMatchObject({ codec: 'PCMU' })
  })

  test('is nothing where the offer has nothing of ours, several lines, or is endless', () => {
    expect(() => readOffer(offer('111', ...maps), false)).toThrow('must have PCMU')
    expect(() => readOffer(offer('8 9'), true)).toThrow('must have PCMU')
    expect(() => readOffer(`${offer('0')}\r\nm=video 9 UDP/TLS/RTP/SAVPF 96`, true)).toThrow('one m-line')
    expect(() => readOffer(offer('0').replace('a=mid:0', ''), true)).toThrow('a=mid')
    expect(() => readOffer('x'.repeat(70_000), true)).toThrow('too long')
  })
})

test('the public address stands in the place of the host’s own', () => {
  const sdp = ['c=IN IP4 0.0.0.0', 'a=candidate:1 1 UDP 2122 10.0.0.1 21000 typ host', 'a=mid:0', ''].join('\r\n')

  expect(withAddress(sdp, '203.0.113.9')).toBe(
    ['c=IN IP4 203.0.113.9', 'a=candidate:1 1 UDP 2122 203.0.113.9 21000 typ host', 'a=mid:0', ''].join('\r\n'),
  )
})
