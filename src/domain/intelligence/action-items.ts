import { isNegation, sentencesOf, wordsOf } from './sentences.ts'
import { isEnglish, type Speaker, type Transcript } from './transcript.ts'

const most = 20

/** Sentences in which somebody promises or asks for something, word for word; null when there is none. */
export function actionItemsOf(transcript: Transcript): string[] | null {
  if (!isEnglish(transcript)) return null
  const found = transcript.utterances.flatMap(({ text, speaker }) =>
    sentencesOf(text).filter((sentence) => isToDo(sentence, speaker.side)),
  )
  return found.length === 0 ? null : [...new Set(found)].slice(0, most)
}

const deeds =
  'call|ring|send|email|mail|check|look|refund|cancel|change|update|fix|repair|book|schedule|arrange|confirm|deliver|' +
  'replace|forward|transfer|contact|write|pay|order|return|explain|correct|ask|follow|get|give|let|make|prepare|find'

const promise = new RegExp(
  `\\b(?:i'll|we'll|i will|we will|i am going to|we are going to|let me) (?:\\w+ )?(?:${deeds})\\b`,
)
const request = new RegExp(
  `\\bplease (?:\\w+ )?(?:${deeds})\\b|\\b(?:can|could|would|will) you (?:please )?(?:${deeds})\\b|` +
    `\\bi (?:need|want|would like|'d like) you to (?:${deeds})\\b|\\bcall me back\\b`,
)

/** Promises count on both sides; requests are the customer's. */
function isToDo(sentence: string, side: Speaker['side']): boolean {
  const words = wordsOf(sentence)
  const plain = words.join(' ')
  if (words.some(isNegation)) return false
  return promise.test(plain) || (side === 'external' && request.test(plain))
}
