import { actionItemsOf } from './action-items.ts'
import { sentencesOf, wordsOf } from './sentences.ts'
import { isEnglish, saidBy, type Transcript } from './transcript.ts'

/** Verbatim sentences of the call: its reason, and the action items. Nothing is paraphrased. */
export function summaryOf(transcript: Transcript): string | null {
  const reason = contactReason(transcript)
  if (reason === null) return null
  const next = (actionItemsOf(transcript) ?? []).filter((sentence) => sentence !== reason)
  return [reason, ...next.slice(0, 3)].join(' ')
}

/** The first substantial sentence of the customer. */
export function contactReason(transcript: Transcript): string | null {
  if (!isEnglish(transcript)) return null
  const said = saidBy(transcript, 'external').flatMap(({ text }) => sentencesOf(text))
  return said.find((sentence) => wordsOf(sentence).length >= leastWords && !isGreeting(sentence)) ?? null
}

const leastWords = 4

const isGreeting = (sentence: string) =>
  /^(hello|hi|hey|good (morning|afternoon|evening)|thanks?|thank you|my name is|this is)\b/i.test(sentence) &&
  wordsOf(sentence).length < 8
