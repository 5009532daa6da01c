import { expect, test } from 'vitest'
import { type Quality, qualityBetween, sampleOf, wholeWay } from './quality.ts'

const sample = (received: number, lost: number, jitterMs = 5) => ({ received, lost, jitterMs })

test.each([
  ['nothing is lost', sample(200, 0), { grade: 'good', lossPercent: 0 }],
  ['now and then a packet', sample(198, 2), { grade: 'good', lossPercent: 1 }],
  ['some are lost', sample(194, 6), { grade: 'fair', lossPercent: 3 }],
  ['every tenth is lost', sample(180, 20), { grade: 'poor', lossPercent: 10 }],
  ['they come unsteadily', sample(200, 0, 40), { grade: 'fair', jitterMs: 40 }],
  ['they come very unsteadily', sample(200, 0, 90), { grade: 'poor', jitterMs: 90 }],
  ['late ones came after all', sample(200, -3), { grade: 'good', lossPercent: 0 }],
])('the sound when %s', (_, { received, lost, jitterMs }, expected) => {
  const before = sample(1_000, 50)

  const after = sample(1_000 + received, 50 + lost, jitterMs)

  expect(qualityBetween(before, after)).toMatchObject(expected)
})

test('nothing is said of a sound that does not come', () => {
  expect(qualityBetween(sample(10, 0), sample(10, 0))).toBeNull()
})

test('the worse part of the way decides, and without sound from the other party nothing is known', () => {
  const own = (grade: Quality['grade']): Quality => ({ grade, lossPercent: 2, jitterMs: 5 })

  expect(wholeWay(null, undefined)).toBeNull()
  expect(wholeWay(own('fair'), undefined)).toEqual({ grade: 'fair', hint: '2 % of the sound lost, 5 ms unsteady' })
  expect(wholeWay(own('fair'), { received: 'good', sent: 'good' })?.grade).toBe('fair')
  // A far end that sends no reports says nothing about how our sound arrives.
  expect(wholeWay(own('good'), { received: 'good', sent: 'unknown' })?.grade).toBe('good')
  expect(wholeWay(own('good'), { received: 'good', sent: 'poor' })).toMatchObject({
    grade: 'poor',
    hint: "The other party's line is weak",
  })
  expect(wholeWay(own('good'), { received: 'unknown', sent: 'good' })).toEqual({
    grade: 'unknown',
    hint: 'No sound arrives from the other party',
  })
})

test('what the browser counts is found among all it counts', () => {
  const reports = [
    { type: 'transport' },
    { type: 'outbound-rtp', kind: 'audio', packetsSent: 3 },
    { type: 'inbound-rtp', kind: 'audio', packetsReceived: 100, packetsLost: 2, jitter: 0.0123 },
  ]

  expect(sampleOf(reports)).toEqual({ received: 100, lost: 2, jitterMs: 12 })
  expect(sampleOf([])).toBeUndefined()
})
