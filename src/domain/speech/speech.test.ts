import { expect, test } from 'vitest'
import { gapMs, packed, unpacked } from './packing.ts'
import { hasTooFewWords, isRepetitive, plausibleText, repeatsNeighbour } from './plausibility.ts'
import { outside, padded, VoiceActivityDetector } from './talk.ts'
import { offsetOf, spanOf, timeOf } from './timeline.ts'

/** `#` is speech, `+` perhaps, `.` silence; a character is a frame of 32 ms. */
const likelihoods = (text: string) => [...text].map((mark) => ({ '#': 0.9, '+': 0.4, '.': 0.05 })[mark] ?? 0)
const silence = (frames: number) => '.'.repeat(frames)

test('a segment begins where speech stops being unlikely and ends with the last frame that may have been speech', () => {
  const talk = new VoiceActivityDetector({ hangoverMs: 320 })

  const facts = talk.process(likelihoods(`..+#########..#####+${silence(9)}`))
  const later = talk.process(likelihoods('.'))

  expect(facts).toEqual([])
  expect(talk.sinceMs).toBeNull()
  expect(later).toEqual([{ kind: 'segment', startMs: 2 * 32, endMs: 20 * 32 }])
})

test('a click is no segment, and what goes on at the end is one', () => {
  const talk = new VoiceActivityDetector()

  expect(talk.process(likelihoods(`..####${silence(30)}########`))).toEqual([])
  expect(talk.end()).toEqual([{ kind: 'segment', startMs: 36 * 32, endMs: 44 * 32 }])
})

test('sufficiently long speech is reported once per segment', () => {
  const talk = new VoiceActivityDetector({ speaksAfterMs: 320, hangoverMs: 320 })

  const first = talk.process(likelihoods(`${'#'.repeat(9)}`))
  const then = talk.process(likelihoods('####'))
  talk.process(likelihoods(silence(12)))
  const again = talk.process(likelihoods('#'.repeat(12)))

  expect([first, then, again]).toEqual([[], [{ kind: 'speaks', startMs: 0 }], [{ kind: 'speaks', startMs: 25 * 32 }]])
})

test('who does not stop is cut where it was least like speech', () => {
  const talk = new VoiceActivityDetector({ maxMs: 3_200 })

  const facts = talk.process(likelihoods(`${'#'.repeat(80)}+${'#'.repeat(19)}`))

  expect(facts).toEqual([{ kind: 'segment', startMs: 0, endMs: 80 * 32, continues: true }])
  expect(talk.sinceMs).toBe(80 * 32)
})

test('segments get more on both sides, never into a neighbour, and lose what is cut out', () => {
  const two = [
    { startMs: 100, endMs: 1_000 },
    { startMs: 1_100, endMs: 2_000 },
  ]

  expect(padded(two, 200, 2_100)).toEqual([
    { startMs: 0, endMs: 1_050 },
    { startMs: 1_050, endMs: 2_100 },
  ])
  expect(outside(two, [{ startMs: 500, endMs: 1_950 }])).toEqual([{ startMs: 100, endMs: 500 }])
})

test('neighbours are packed as long as they fit, and words find their way back', () => {
  const segments = [0, 5_000, 20_000].map((startMs) => ({ startMs, endMs: startMs + 4_000 }))

  const [pack, rest] = packed(segments, 10_000)

  expect([pack?.pieces.length, pack?.ms, rest?.pieces[0]?.place]).toEqual([2, 8_000 + gapMs, 2])
  if (!pack) throw new Error('nothing was packed')
  const parts = [
    { start: 0.2, end: 3.9, text: 'Hello.' },
    { start: 4.6, end: 6, text: 'Good' },
    { start: 6, end: 8.4, text: 'morning.' },
  ]
  expect([...unpacked(pack, parts)]).toEqual([
    [0, { text: 'Hello.' }],
    [1, { text: 'Good morning.' }],
  ])
  expect([...unpacked(pack, [{ start: 0, end: 8.4, text: 'Hello. Good morning.' }])]).toEqual([
    [0, null],
    [1, null],
  ])
})

test('text that repeats itself, has too many words or none is discarded; too few words are reported', () => {
  expect(isRepetitive('no no no no')).toBe(true)
  expect(isRepetitive('thank you very much thank you very much thank you very much thank you very much')).toBe(true)
  expect(isRepetitive('no, no, no, I said no and that is that')).toBe(false)
  expect(plausibleText(' . ', 1_000)).toBe('')
  expect(plausibleText('a b c d e f g h i j k l m n o p', 1_000)).toBe('')
  expect(plausibleText(' The invoice is wrong. ', 2_000)).toBe('The invoice is wrong.')
  expect([hasTooFewWords('you', 6_000), hasTooFewWords('yes', 700)]).toEqual([true, false])
})

test('words that were transcribed twice, once with a neighbour, are found', () => {
  expect(repeatsNeighbour('Yes, my name is Ada.', { before: 'Yes.', after: '' })).toBe(true)
  expect(repeatsNeighbour('My name is Ada. Oui.', { before: '', after: 'oui' })).toBe(true)
  expect(repeatsNeighbour('Yesterday it was here.', { before: 'Yes.', after: '' })).toBe(false)
  expect(repeatsNeighbour('My name is Ada.', { before: '', after: '' })).toBe(false)
})

test('what was paused is in no offset, and time goes on over it', () => {
  const timeline = { startedAt: 10_000, pauses: [{ offsetMs: 5_000, from: 15_000, until: 18_000 }] }

  expect([0, 4_999, 5_000, 6_000].map((offset) => timeOf(timeline, offset))).toEqual([10_000, 14_999, 18_000, 19_000])
  expect([10_000, 14_000, 16_000, 19_000].map((at) => offsetOf(timeline, at))).toEqual([0, 4_000, 5_000, 6_000])
  expect(spanOf(timeline, 14_000, 20_000)).toEqual({ startMs: 4_000, endMs: 7_000 })
})
