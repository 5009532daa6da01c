import { expect, test } from 'vitest'
import { wordPiecesOf, wordsIn } from './minilm.ts'
import { piecesFromScript, textOfPieces } from './pieces.ts'
import { firstTimestamp, secondsOf, WhisperChoice } from './whisper-choice.ts'
import { promptOf, withoutEcho } from './whisper-hints.ts'
import { readVocabulary } from './whisper-vocabulary.ts'

/** A vocabulary of ten words; 10 is the end, 11 a language, 12 a task, 13 says that there are no times. */
const numbers = {
  decoder_start_token_id: 9,
  eos_token_id: 10,
  no_timestamps_token_id: 13,
  lang_to_id: { '<|en|>': 11 },
  task_to_id: { transcribe: 12 },
  suppress_tokens: [0],
  begin_suppress_tokens: [1, 10],
}
const times = 100

/** Everything is unlikely but these. */
function logits(likely: Record<number, number>): Float32Array {
  const values = new Float32Array(14 + times).fill(-20)
  for (const [token, value] of Object.entries(likely)) values[Number(token)] = value
  return values
}
const time = (seconds: number) => firstTimestamp(numbers) + Math.round(seconds / 0.02)

test('Whisper begins with a time, and times stand in pairs around words and never go back', () => {
  const choice = new WhisperChoice(numbers, 1.5)

  const chosen = [
    // A word is likeliest, but it begins with a time.
    choice.next(logits({ 5: 9, [time(0.2)]: 1 })),
    // After one time comes a word.
    choice.next(logits({ 5: 1, [time(0.4)]: 9 })),
    // The end of the words, not before their beginning.
    choice.next(logits({ [time(0.1)]: 9, [time(1)]: 5 })),
    // A second time closes the pair and opens the next.
    choice.next(logits({ 5: 9, [time(1)]: 1 })),
    choice.next(logits({ 10: 9 })),
  ]

  expect(chosen).toEqual([time(0.2), 5, time(1), time(1), 10])
  expect(secondsOf(chosen[2] ?? 0, numbers)).toBeCloseTo(1)
  expect(choice.tokens).toHaveLength(4)
})

test('what is never to be said is not said, and all times together outweigh one word', () => {
  const choice = new WhisperChoice(numbers, 1)
  choice.next(logits({ [time(0)]: 5 }))

  expect(choice.next(logits({ 0: 9, 11: 8, 6: 1 }))).toBe(6)
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [time(0.04 + i * 0.02), 2]))
  expect(choice.next(logits({ 7: 3, ...many }))).toBeGreaterThanOrEqual(firstTimestamp(numbers))
  expect(choice.confidence).toBeLessThan(0)
})

test('the words of Whisper are bytes in disguise', () => {
  const vocabulary = readVocabulary({ ĠHello: 1, ',': 2, Ġcaf: 3, 'Ã©': 4 })

  expect(vocabulary.textOf([1, 2, 3, 4, 99])).toBe(' Hello, café')
})

test('text becomes tokens by the merges of the original tokenizer, which are in the order of their numbers', () => {
  const letters = Object.fromEntries([...'Ġabcd,.Ã©'].map((letter, token) => [letter, token]))
  const vocabulary = readVocabulary({ ...letters, bc: 20, ab: 21, Ġa: 22, Ġabc: 23, 'Ã©': 24, abc: 25 })

  // "bc" is merged before "ab", though "ab" comes first in the text.
  expect(vocabulary.tokensOf('abc')).toEqual([25])
  expect(vocabulary.tokensOf('abcd')).toEqual([25, 4])
  expect(vocabulary.tokensOf(' abc, é.')).toEqual([23, 5, 0, 24, 6])
  expect(vocabulary.textOf(vocabulary.tokensOf(' abc, é.'))).toBe(' abc, é.')
})

test('the prompt holds as many terms as fit, the first ones first', () => {
  const letters = Object.fromEntries([...'Ġab,.'].map((letter, token) => [letter, token]))
  const vocabulary = readVocabulary(letters)

  expect(vocabulary.textOf(promptOf(['a', ' b '], vocabulary))).toBe(' a, b.')
  expect(vocabulary.textOf(promptOf(['a', 'b'.repeat(200), 'b'], vocabulary))).toBe(' a.')
  expect(promptOf([], vocabulary)).toEqual([])
})

test('an echo of the prompt is no text', async () => {
  const result = { language: 'en' as const, segments: [], noSpeech: 0.1, confidence: -0.2, isLoop: false }
  const says = (text: string) => ({ ...result, text })
  const quiet = { ...says('Hm.'), noSpeech: 0.9, confidence: -1.4 }
  const hints = ['Lovelace', 'Acme GmbH']

  expect(await withoutEcho(says('This is Acme.'), hints, async () => quiet)).toEqual(says('This is Acme.'))
  expect(await withoutEcho(says('Lovelace, Acme.'), hints, async () => says(''))).toEqual(says(''))
  expect(await withoutEcho(says('Lovelace.'), hints, async () => quiet)).toEqual({ ...quiet, text: 'Lovelace.' })
  expect(await withoutEcho(says('Lovelace.'), hints, async () => says('Lovely.'))).toEqual(says('Lovelace.'))
  expect(await withoutEcho(says(''), hints, async () => says('Yes.'))).toEqual(says('Yes.'))
  const loop = { ...says('This is this is'), isLoop: true }
  expect(await withoutEcho(loop, hints, async () => says('This is it.'))).toEqual(says('This is it.'))
})

test('the vocabulary of Moonshine is found in the script, and its pieces are words and bytes', () => {
  const list = ['<unk>', '<s>', '</s>', '<0xC3>', '<0xA9>', '▁caf', '▁Good', '▁morning', '.']
  const script = `const a="x";const v="${Buffer.from(list.join('\n')).toString('base64')}",b="y"`

  const pieces = piecesFromScript(script)

  expect(pieces).toEqual(list)
  expect(textOfPieces([6, 7, 8], pieces)).toBe('Good morning.')
  expect(textOfPieces([5, 3, 4, 2, 40_000], pieces)).toBe('café')
  expect(() => piecesFromScript('nothing here')).toThrow('vocabulary')
})

test('MiniLM reads words without case and accents, in the longest pieces it knows', () => {
  const vocabulary = new Map(['thank', '##ful', '##ness', "'", 's', 'cafe'].map((piece, index) => [piece, index]))

  expect(wordsIn("Café's THANKFULNESS!")).toEqual(['cafe', "'", 's', 'thankfulness', '!'])
  expect(wordPiecesOf('thankfulness', vocabulary)).toEqual([0, 1, 2])
  expect(wordPiecesOf('thankless', vocabulary)).toBeUndefined()
})
