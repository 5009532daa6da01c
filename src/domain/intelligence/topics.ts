import { sentencesOf, stemOf, wordsOf } from './sentences.ts'
import { isEnglish, type Transcript } from './transcript.ts'

/** A word of a company's list, and what gives it away. */
export interface Topic {
  name: string
  keywords: readonly string[]
}

/** The company's own topics first, then ours; null when none is there. `near` are names that are meant in other words. */
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

/** Those that are looked for. */
export const topicsFor = (transcript: Transcript, own: readonly Topic[]): readonly Topic[] =>
  isEnglish(transcript) ? [...own, ...usual] : own

/** What can be held against the name of a topic: a word or two mean anything. */
export const tellingSentences = ({ utterances }: Transcript): string[] =>
  utterances.flatMap(({ text }) => sentencesOf(text)).filter((sentence) => wordsOf(sentence).length >= 3)

/** How near a sentence has to be to a topic in meaning. */
const nearEnough = 0.5

/** Names that a sentence is near to, by rows of sentences. */
export const namesNear = (names: readonly string[], nearness: readonly (readonly number[])[]): Set<string> =>
  new Set(names.filter((_, place) => nearness.some((row) => (row[place] ?? 0) >= nearEnough)))

/** A keyword of several words is said when they follow one another. */
function isSaid(stems: readonly string[], keyword: string): boolean {
  const wanted = wordsOf(keyword).map(stemOf)
  if (wanted.length === 0) return false
  return stems.some((_, place) => wanted.every((stem, offset) => stems[place + offset] === stem))
}

const usual: readonly Topic[] = [
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
