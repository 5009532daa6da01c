import type { SpokenText, SpokenWord } from '../intelligence/engines.ts'

/**
 * Times of the words of a text, as stored with it: for each word, as separated by spaces, its start after that of the text
 * and its duration, both in hundredths of a second, and its confidence in percent; -1 if the engine reports none.
 */
export type WordTimes = readonly number[]

const numbersPerWord = 3
const unknown = -1

/** All words of an audio in order; undefined if the engine reports none. */
export function reportedWords({ words, segments = [] }: SpokenText): readonly SpokenWord[] | undefined {
  const found = words ?? segments.flatMap((segment) => segment.words ?? [])
  return found.length === 0 ? undefined : found
}

export const shifted = (words: readonly SpokenWord[], seconds: number): SpokenWord[] =>
  words.map((word) => ({ ...word, start: word.start + seconds, end: word.end + seconds }))

/** Undefined if the words are not those of the text. `span`: of the text, in seconds, as are the times of the words. */
export function wordTimes(
  text: string,
  words: readonly SpokenWord[],
  span: { start: number; end: number },
): number[] | undefined {
  const aligned = wordsOfText(text, words)
  if (!aligned) return undefined
  const within = (at: number) => Math.round((Math.min(Math.max(at, span.start), span.end) - span.start) * 100)
  let before = 0
  return aligned.flatMap(({ start, end, confidence }) => {
    const from = Math.max(before, within(start))
    const until = Math.max(from, within(end))
    before = from
    return [from, until - from, confidence === undefined ? unknown : Math.round(confidence * 100)]
  })
}

/** The words with their times in the recording, in seconds; undefined if there are none for exactly this text. */
export function timedWords({
  text,
  start,
  words,
}: {
  text: string
  start: number
  words?: WordTimes
}): SpokenWord[] | undefined {
  const texts = tokensOf(text)
  if (!words || words.length !== texts.length * numbersPerWord) return undefined
  return texts.map((one, index) => {
    const [from = 0, duration = 0, percent = unknown] = words.slice(
      index * numbersPerWord,
      (index + 1) * numbersPerWord,
    )
    const at = rounded(start + from / 100)
    const times = { text: one, start: at, end: rounded(at + duration / 100) }
    return percent === unknown ? times : { ...times, confidence: percent / 100 }
  })
}

const rounded = (seconds: number) => Math.round(seconds * 1_000) / 1_000
const tokensOf = (text: string) => text.split(/\s+/).filter((word) => word !== '')
const lettersOf = (text: string) => [
  ...text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, ''),
]

/**
 * The words as the text separates them. An engine may leave out punctuation and separate words differently, but its letters
 * must be those of the text.
 */
function wordsOfText(text: string, words: readonly SpokenWord[]): SpokenWord[] | undefined {
  const owners = words.flatMap((word) => lettersOf(word.text).map((letter) => ({ letter, word })))
  const tokens = tokensOf(text)
  if (owners.map(({ letter }) => letter).join('') !== tokens.flatMap(lettersOf).join('')) return undefined
  let done = 0
  let last = words[0]
  return tokens.flatMap((token) => {
    const length = lettersOf(token).length
    const own = owners.slice(done, done + length).map(({ word }) => word)
    done += length
    const [first] = own
    const previous = last
    if (!first) return previous ? [{ text: token, start: previous.end, end: previous.end }] : []
    last = own.at(-1) ?? first
    const known = own.flatMap(({ confidence }) => confidence ?? [])
    const times = { text: token, start: first.start, end: last.end }
    return known.length === 0 ? [times] : [{ ...times, confidence: Math.min(...known) }]
  })
}
