import { isNegation, sentencesOf, wordsOf } from './sentences.ts'
import { isEnglish, type Speaker, type Transcript } from './transcript.ts'

const maxItems = 20

/** Verbatim sentences with a promise or a request; null when there are none. */
export function actionItemsOf(transcript: Transcript): string[] | null {
  if (!isEnglish(transcript)) return null
  const found = transcript.utterances.flatMap(({ text, speaker }) =>
    sentencesOf(text).filter((sentence) => isToDo(sentence, speaker.side)),
  )
  return found.length === 0 ? null : [...new Set(found)].slice(0, maxItems)
}

const actionVerbs = new Set(
  (
    'call ring send email mail check look refund cancel change update fix repair book schedule arrange confirm deliver ' +
    'replace forward transfer contact write pay order return explain correct ask follow get give let make prepare find'
  ).split(' '),
)

const promises = ["i'll", "we'll", 'i will', 'we will', 'i am going to', 'we are going to', 'let me']
const asks = ['can you', 'could you', 'would you', 'will you', 'i need you to', 'i want you to', "i'd like you to"]
const requests = ['please', ...asks, ...asks.map((ask) => `${ask} please`), 'i would like you to']

/** Promises count on both sides, requests only on the customer's. */
function isToDo(sentence: string, side: Speaker['side']): boolean {
  const words = wordsOf(sentence)
  if (words.some(isNegation)) return false
  return (
    leadsToAction(words, promises) ||
    (side === 'external' && (leadsToAction(words, requests) || words.join(' ').includes('call me back')))
  )
}

/** An opening phrase followed by a verb, with at most one word in between. */
function leadsToAction(words: readonly string[], beginnings: readonly string[]): boolean {
  return words.some((_, at) =>
    beginnings.some((beginning) => {
      const length = beginning.split(' ').length
      if (words.slice(at, at + length).join(' ') !== beginning) return false
      return words.slice(at + length, at + length + 2).some((word) => actionVerbs.has(word))
    }),
  )
}
