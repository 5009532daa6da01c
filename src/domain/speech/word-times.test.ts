import { expect, test } from 'vitest'
import { gapMs, packed, unpacked } from './packing.ts'
import { timedWords, wordTimes } from './word-times.ts'

const word = (text: string, start: number, end: number, confidence?: number) => ({
  text,
  start,
  end,
  ...(confidence !== undefined && { confidence }),
})

test('words are stored as three numbers each and read with their times in the recording', () => {
  const text = 'Good morning, all.'
  const words = [word('Good', 0.24, 0.5, 0.987), word('morning,', 0.5, 0.93, 0.4), word('all.', 1.1, 1.4)]

  const stored = wordTimes(text, words, { start: 0.2, end: 1.5 })

  expect(stored).toEqual([4, 26, 99, 30, 43, 40, 90, 30, -1])
  expect(timedWords({ text, start: 10, ...(stored && { words: stored }) })).toEqual([
    word('Good', 10.04, 10.3, 0.99),
    word('morning,', 10.3, 10.73, 0.4),
    word('all.', 10.9, 11.2),
  ])
})

test('words without punctuation, or separated differently, are those of the text by their letters', () => {
  const words = [word('well', 0, 0.2, 0.9), word('known', 0.2, 0.5, 0.6), word("c'est", 0.6, 0.9), word('10', 1, 1.2)]

  expect(wordTimes("Well-known – c'est 10 €!", words, { start: 0, end: 2 })).toEqual([
    ...[0, 50, 60],
    ...[50, 0, -1],
    ...[60, 30, -1],
    ...[100, 20, -1],
    ...[120, 0, -1],
  ])
})

test('words of another text have no times', () => {
  expect(wordTimes('Ten euros', [word('10', 0, 0.2), word('euros', 0.2, 0.5)], { start: 0, end: 1 })).toBeUndefined()
  expect(timedWords({ text: 'Two words', start: 0, words: [0, 10, 90] })).toBeUndefined()
  expect(timedWords({ text: 'None', start: 0 })).toBeUndefined()
})

test('times stay within the utterance and never go back', () => {
  const words = [word('a', -0.3, 0.1), word('b', 0.4, 0.3), word('c', 0.2, 9)]

  expect(wordTimes('a b c', words, { start: 0, end: 1 })).toEqual([0, 10, -1, 40, 0, -1, 40, 60, -1])
})

test('the words of packed segments have the times of their segment', () => {
  const segments = [
    { startMs: 5_000, endMs: 6_000 },
    { startMs: 9_000, endMs: 10_000 },
  ]
  const [pack] = packed(segments, 28_000)
  const second = (1_000 + gapMs) / 1_000
  const parts = [
    { start: 0, end: 1, text: 'Hello.', words: [word('Hello.', 0.5, 0.8)] },
    { start: second, end: second + 1, text: 'Yes.', words: [word('Yes.', second + 0.25, second + 0.5)] },
  ]

  expect(pack && [...unpacked(pack, parts)]).toEqual([
    [0, { text: 'Hello.', words: [word('Hello.', 0.5, 0.8)] }],
    [1, { text: 'Yes.', words: [word('Yes.', 0.25, 0.5)] }],
  ])
})
