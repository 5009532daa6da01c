// Plausibility checks for the output of a speech-to-text engine.

const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']{1,60}/gu) ?? []

const minRepetitions = 4
const maxPhraseLength = 4

/** A phrase of up to four words repeated four times or more: a typical hallucination of an engine. */
export function isRepetitive(text: string): boolean {
  const words = wordsIn(text)
  for (let length = 1; length <= maxPhraseLength; length++) {
    let alike = 0
    for (let i = length; i < words.length; i++) {
      alike = words[i] === words[i - length] ? alike + 1 : 0
      if (alike >= length * (minRepetitions - 1)) return true
    }
  }
  return false
}

const minWordsPerSecond = 0.6
const maxWordsPerSecond = 9
/** Below this, the expected number of words is unknown. */
const minJudgedMs = 2_000

/** Far fewer words than the duration of the speech implies: some were lost. */
export const hasTooFewWords = (text: string, ms: number) =>
  ms >= minJudgedMs && wordsIn(text).length < (ms / 1_000) * minWordsPerSecond

/** More words than can be spoken in that time: they were hallucinated. */
export const hasTooManyWords = (text: string, ms: number) =>
  wordsIn(text).length > Math.max(4, (ms / 1_000) * maxWordsPerSecond)

/** Whether the text begins or ends with the words of a neighbour, which were then transcribed twice. */
export function repeatsNeighbour(text: string, neighbours: { before: string; after: string }): boolean {
  const words = wordsIn(text)
  const [first, last] = [wordsIn(neighbours.before), wordsIn(neighbours.after)]
  const begins = first.length > 0 && first.every((word, index) => words[index] === word)
  const ends = last.length > 0 && last.every((word, index) => words[words.length - last.length + index] === word)
  return begins || ends
}

/** The plausible text; empty when there are no words, too many, or a phrase that is repeated as above. */
export function plausibleText(text: string, ms: number): string {
  const said = text.trim()
  if (wordsIn(said).length === 0 || isRepetitive(said) || hasTooManyWords(said, ms)) return ''
  return said
}
