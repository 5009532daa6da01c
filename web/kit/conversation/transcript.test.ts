import { describe, expect, test } from 'vitest'
import {
  asText,
  hitsIn,
  indexAt,
  indexOfQuote,
  keyOf,
  partyNames,
  type SpeakerNames,
  speakersOf,
  splitAt,
  splitAtWords,
  type UtteranceShown,
  wordAt,
} from './transcript.ts'

const names: SpeakerNames = {
  user: (id) => `User ${id}`,
  agent: (id) => `Agent ${id}`,
  party: (phone) => phone ?? 'Unknown',
}
const inside = (start_time: number, text: string, user_id: number | null = 1): UtteranceShown => ({
  start_time,
  end_time: start_time + 2,
  text,
  participant_type: 'internal',
  user_id,
})
const outside = (start_time: number, text: string, phone_number = '+33612345678'): UtteranceShown => ({
  start_time,
  end_time: start_time + 2,
  text,
  participant_type: 'external',
  phone_number,
})

describe('a transcript', () => {
  const said = [inside(1, 'Good morning'), outside(4, 'My café is closed, CAFÉ!'), inside(70, 'Oh', 2)]

  test('has a colour for each speaker, cold ones for the company and warm ones for external parties', () => {
    const speakers = speakersOf([...said, { participant_type: 'internal', ai_voice_agent_id: 'x' }], names)

    expect([...speakers.values()].map(({ name, side, color }) => [name, side, color])).toEqual([
      ['User 1', 'internal', 'blue'],
      ['+33612345678', 'external', 'orange'],
      ['User 2', 'internal', 'teal'],
      ['Agent x', 'internal', 'cyan'],
    ])
    expect(speakersOf([inside(0, 'x', null)], names).get('user:')?.name).toBe('Unknown user')
  })

  test.each([
    [0, -1],
    [1, 0],
    [3.5, 0],
    [4, 1],
    [500, 2],
  ])('at second %d, utterance %d is current', (seconds, index) => {
    expect(indexAt(said, seconds)).toBe(index)
  })

  test('is searched ignoring case and accents, and split at the hits', () => {
    const hits = hitsIn(said, ' cafe ')

    expect(hits).toEqual([
      { index: 1, from: 3, to: 7 },
      { index: 1, from: 19, to: 23 },
    ])
    expect(splitAt('My café is closed, CAFÉ!', hits, 5)).toEqual([
      { text: 'My ' },
      { text: 'café', hit: 5 },
      { text: ' is closed, ' },
      { text: 'CAFÉ', hit: 6 },
      { text: '!' },
    ])
    expect(hitsIn(said, '  ')).toEqual([])
    expect(hitsIn([{ text: 'aaaa 😀 b' }], 'b')).toEqual([{ index: 0, from: 7, to: 8 }])
    expect(hitsIn([{ text: 'aaaa' }], 'aa')).toHaveLength(2)
  })

  test('is split at words, too, so that a hit across two words keeps the times of both', () => {
    const text = 'My café is open'
    const words = text.split(' ').map((word, at) => ({ text: word, start_time: at, end_time: at + 0.4, confidence: 1 }))

    const pieces = splitAt(text, hitsIn([{ text }], 'fe is'), 0)

    expect(splitAtWords(pieces, words)).toEqual([
      { text: 'My', word: 0 },
      { text: ' ' },
      { text: 'ca', word: 1 },
      { text: 'fé', hit: 0, word: 1 },
      { text: ' ', hit: 0 },
      { text: 'is', hit: 0, word: 2 },
      { text: ' ' },
      { text: 'open', word: 3 },
    ])
  })

  test.each([
    [0.9, -1],
    [1, 0],
    [1.6, 0],
    [2, 1],
    [2.5, 1],
    [9, -1],
  ])('at second %d, word %d is current', (seconds, index) => {
    const words = [
      { text: 'One', start_time: 1, end_time: 1.4, confidence: 0.9 },
      { text: 'two', start_time: 2, end_time: 2.2, confidence: null },
    ]
    expect(wordAt(words, seconds)).toBe(index)
  })

  test('is exported as one line per utterance', () => {
    expect(asText(said, speakersOf(said, names))).toBe(
      '0:01  User 1: Good morning\n0:04  +33612345678: My café is closed, CAFÉ!\n1:10  User 2: Oh\n',
    )
  })

  test('finds the utterance that an evaluation quotes', () => {
    expect(indexOfQuote(said, 'Said with a negation: “my cafe is closed”')).toBe(1)
    expect(indexOfQuote(said, 'Nothing like the example phrases was said')).toBe(-1)
    expect(keyOf({ participant_type: 'external' })).toBe('phone:')
  })
})

test.each(['+14155550123', '+1 415-555-0123', undefined])('the other party has its name: %s', (phone) => {
  expect(partyNames('+1 415-555-0123', 'Ana Ruiz')(phone)).toBe('Ana Ruiz')
})

test('a further party has its number, and an anonymous caller a name', () => {
  expect(partyNames('+14155550123', 'Ana Ruiz')('+33199000777')).toBe('+33199000777')
  expect(partyNames('anonymous', 'Anonymous')('anonymous')).toBe('Anonymous')
})
