import { expect, test } from 'vitest'
import { formatsOffered, preferredCodecs } from './codecs.ts'

const codec = (mimeType: string, clockRate: number) => ({ mimeType, clockRate })

test('G.711, then Opus and telephone events are offered, and nothing else', () => {
  const all = [
    codec('audio/opus', 48_000),
    codec('audio/red', 48_000),
    codec('audio/PCMA', 8_000),
    codec('audio/telephone-event', 48_000),
    codec('audio/PCMU', 8_000),
    codec('audio/telephone-event', 8_000),
    codec('audio/telephone-event', 16_000),
  ]

  expect(preferredCodecs(all)).toEqual([
    codec('audio/PCMU', 8_000),
    codec('audio/opus', 48_000),
    codec('audio/telephone-event', 8_000),
    codec('audio/telephone-event', 48_000),
  ])
})

test('the robust setting offers Opus first, then G.711', () => {
  const all = [codec('audio/PCMU', 8_000), codec('audio/opus', 48_000), codec('audio/red', 48_000)]

  expect(preferredCodecs(all, true)).toEqual([codec('audio/opus', 48_000), codec('audio/PCMU', 8_000)])
  expect(preferredCodecs([codec('audio/PCMU', 8_000)], true)).toEqual([codec('audio/PCMU', 8_000)])
})

test('the formats of an offer are read in order', () => {
  const sdp = [
    'v=0',
    'm=audio 9 UDP/TLS/RTP/SAVPF 0 126 110',
    'a=rtpmap:126 telephone-event/8000',
    'a=rtpmap:110 telephone-event/48000',
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    'a=rtpmap:96 VP8/90000',
  ].join('\r\n')

  expect(formatsOffered(sdp)).toEqual([['PCMU/8000', 'telephone-event/8000', 'telephone-event/48000']])
  expect(formatsOffered('')).toEqual([])
})
