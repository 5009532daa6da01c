import { expect, test } from 'vitest'
import { levelsOf, withoutPauses } from './speech-levels.ts'
import { startsOf } from './whisper-alignment.ts'
import { lastAttention } from './whisper-attention.ts'
import { readVocabulary } from './whisper-vocabulary.ts'
import { placedTokens, wordsOfTokens } from './whisper-words.ts'

const frames = 60

/** A token whose attention is on these frames in two heads. */
const lookingAt = (from: number, until: number) =>
  [0.8, 1].map((weight) => {
    const row = new Float32Array(frames).fill(0.01)
    return row.fill(weight, from, until)
  })

const vocabulary = readVocabulary({ ĠGood: 1, Ġmor: 2, ning: 3, ',': 4, Ġall: 5 })

const decoded = (tokens: readonly number[], spans: readonly (readonly [number, number])[]) => ({
  tokens,
  evidence: tokens.map((_, place) => {
    const [from, until] = spans[place] ?? [0, 0]
    return { logProbability: Math.log(1 - place / 10), attention: lookingAt(from, until) }
  }),
})

test('each token begins where the attention turns to it', () => {
  const starts = startsOf([lookingAt(0, 10), lookingAt(10, 30), lookingAt(30, 60)])

  expect(starts.map((start) => Math.round(start * 50))).toEqual([0, 10, 30])
  expect(startsOf([])).toEqual([])
})

test('tokens form words with their punctuation; the least likely token decides the confidence', () => {
  const spans = [
    [0, 10],
    [10, 20],
    [20, 30],
    [30, 45],
    [45, 60],
  ] as const
  const placed = placedTokens(decoded([1, 2, 3, 4, 5], spans))

  const words = wordsOfTokens(placed, 'Good morning, all', vocabulary)

  expect(words?.map(({ text }) => text)).toEqual(['Good', 'morning,', 'all'])
  expect(words?.map(({ confidence }) => confidence?.toFixed(1))).toEqual(['1.0', '0.8', '0.6'])
  // The comma stands for the pause, which is not a part of the word.
  expect(words?.[1]?.start).toBeCloseTo(0.2)
  expect(words?.[1]?.end).toBeCloseTo(0.6)
  expect(wordsOfTokens(placed, 'Another text', vocabulary)).toBeUndefined()
})

test('a model that does not report its attention has no words', () => {
  const evidence = [{ logProbability: 0, attention: undefined }]

  expect(wordsOfTokens(placedTokens({ tokens: [1], evidence }), 'Good', vocabulary)).toBeUndefined()
  expect(lastAttention({}, [[3, 1]], 10)).toBeUndefined()
})

test('the attention of the last token is read from the heads that follow the sound', () => {
  // Two heads, three tokens, four frames.
  const data = Float32Array.from({ length: 24 }, (_, index) => index)
  const out = { 'cross_attentions.1': { data, dims: [1, 2, 3, 4] } }

  expect(lastAttention(out, [[1, 1]], 3)?.map((row) => [...row])).toEqual([[20, 21, 22]])
  expect(lastAttention(out, [[1, 2]], 3)).toBeUndefined()
})

test('words begin and end with the sound, not in the pause beside it', () => {
  const samples = new Float32Array(16_000).map((_, index) => (index >= 4_800 && index < 9_600 ? 0.3 : 0.0001))
  const levels = levelsOf(samples)

  expect(withoutPauses([{ text: 'Yes', start: 0.1, end: 0.9 }], levels)).toEqual([
    { text: 'Yes', start: 0.3, end: 0.6 },
  ])
  // Where there is no sound at all, the times are kept.
  expect(withoutPauses([{ text: 'Hm', start: 0.7, end: 0.9 }], levels)).toEqual([{ text: 'Hm', start: 0.7, end: 0.9 }])
})
