import { expect, test } from 'vitest'
import { endToEndQuality, type Quality, qualityBetween, sampleOf } from './quality.ts'

const sample = (received: number, lost: number, jitterMs = 5) => ({ received, lost, jitterMs })

test.each([
  ['no packet is lost', sample(200, 0), { grade: 'good', lossPercent: 0 }],
  ['1% is lost', sample(198, 2), { grade: 'good', lossPercent: 1 }],
  ['3% are lost', sample(194, 6), { grade: 'fair', lossPercent: 3 }],
  ['10% are lost', sample(180, 20), { grade: 'poor', lossPercent: 10 }],
  ['jitter is high', sample(200, 0, 40), { grade: 'fair', jitterMs: 40 }],
  ['jitter is very high', sample(200, 0, 90), { grade: 'poor', jitterMs: 90 }],
  ['late packets reduce the loss', sample(200, -3), { grade: 'good', lossPercent: 0 }],
])('the quality when %s', (_, { received, lost, jitterMs }, expected) => {
  const before = sample(1_000, 50)

  const after = sample(1_000 + received, 50 + lost, jitterMs)

  expect(qualityBetween(before, after)).toMatchObject(expected)
})

test('there is no quality without packets', () => {
  expect(qualityBetween(sample(10, 0), sample(10, 0))).toBeNull()
})

test('the worse connection decides, and without audio from the other party the quality is unknown', () => {
  const own = (grade: Quality['grade']): Quality => ({ grade, lossPercent: 2, jitterMs: 5 })

  expect(endToEndQuality(null, undefined)).toBeNull()
  expect(endToEndQuality(own('fair'), undefined)).toEqual({ grade: 'fair', hint: '2% packet loss, 5 ms jitter' })
  expect(endToEndQuality(own('fair'), { received: 'good', sent: 'good' })?.grade).toBe('fair')
  // Without receiver reports the quality of the sent audio is unknown.
  expect(endToEndQuality(own('good'), { received: 'good', sent: 'unknown' })?.grade).toBe('good')
  expect(endToEndQuality(own('good'), { received: 'good', sent: 'poor' })).toMatchObject({
    grade: 'poor',
    hint: "The other party's connection is weak",
  })
  expect(endToEndQuality(own('good'), { received: 'unknown', sent: 'good' })).toEqual({
    grade: 'unknown',
    hint: 'No audio is arriving from the other party',
  })
})

test('the sample is read from the inbound RTP report', () => {
  const reports = [
    { type: 'transport' },
    { type: 'outbound-rtp', kind: 'audio', packetsSent: 3 },
    { type: 'inbound-rtp', kind: 'audio', packetsReceived: 100, packetsLost: 2, jitter: 0.0123 },
  ]

  expect(sampleOf(reports)).toEqual({ received: 100, lost: 2, jitterMs: 12 })
  expect(sampleOf([])).toBeUndefined()
})
