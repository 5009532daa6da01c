import { sentencesOf, stemOf, wordsOf } from './sentences.ts'
import { isEnglish, type Transcript } from './transcript.ts'

/** A topic of the company, and its keywords. */
export interface Topic {
  name: string
  keywords: readonly string[]
}

/** The company's topics first, then the built-in ones; null when none matches. `near` are names matched by meaning. */
export function topicsOf(
  transcript: Transcript,
  own: readonly Topic[],
  near: ReadonlySet<string> = new Set(),
): string[] | null {
  const words = transcript.utterances.flatMap(({ text }) => wordsOf(text))
  const stems = words.map(stemOf)
  const found = topicsFor(transcript, own)
    .filter(({ name, keywords }) => near.has(name) || keywords.some((keyword) => isSaid(stems, keyword)))
    .map(({ name }) => name)
  return found.length === 0 ? null : [...new Set(found)]
}

/** The topics to look for: the built-in ones are English only. */
export const topicsFor = (transcript: Transcript, own: readonly Topic[]): readonly Topic[] =>
  isEnglish(transcript) ? [...own, ...defaultTopics] : own

/** Sentences long enough to compare with the name of a topic: one or two words match anything. */
export const tellingSentences = ({ utterances }: Transcript): string[] =>
  utterances.flatMap(({ text }) => sentencesOf(text)).filter((sentence) => wordsOf(sentence).length >= 3)

/** Similarity threshold between a sentence and a topic. */
const nearEnough = 0.5

/** Names that a sentence is similar to; one row per sentence. */
export const namesNear = (names: readonly string[], nearness: readonly (readonly number[])[]): Set<string> =>
  new Set(names.filter((_, place) => nearness.some((row) => (row[place] ?? 0) >= nearEnough)))

/** A keyword of several words matches when they occur in sequence. */
function isSaid(stems: readonly string[], keyword: string): boolean {
  const wanted = wordsOf(keyword).map(stemOf)
  if (wanted.length === 0) return false
  return stems.some((_, place) => wanted.every((stem, offset) => stems[place + offset] === stem))
}

const defaultTopics: readonly Topic[] = [
  { name: 'Billing', keywords: ['invoice', 'bill', 'billing', 'payment', 'charge', 'overcharged', 'credit note'] },
  { name: 'Refund', keywords: ['refund', 'money back', 'reimburse'] },
  { name: 'Delivery', keywords: ['delivery', 'deliver', 'parcel', 'package', 'shipment', 'shipping', 'courier'] },
  { name: 'Order', keywords: ['order', 'purchase'] },
  { name: 'Cancellation', keywords: ['cancel', 'cancellation', 'terminate'] },
  { name: 'Appointment', keywords: ['appointment', 'meeting', 'reschedule', 'booking'] },
  { name: 'Callback', keywords: ['call me back', 'call back', 'callback'] },
  { name: 'Pricing', keywords: ['price', 'pricing', 'discount', 'quote', 'offer'] },
  { name: 'Technical problem', keywords: ['error', 'crash', 'broken', 'not working', "doesn't work", 'outage', 'bug'] },
  { name: 'Account', keywords: ['account', 'password', 'log in', 'login', 'subscription'] },
]
