import { callerWords } from '../ai-agent/understanding/clauses.ts'
import { sentencesOf, stemOf, wordsOf } from './sentences.ts'
import { topicSentences, topicWords } from './topic-words.ts'
import { isEnglish, ruleLanguage, type Transcript } from './transcript.ts'
import { firstMatch, patternsOf } from './word-patterns.ts'

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
  const language = ruleLanguage(transcript)
  const said = transcript.utterances.flatMap(({ text }) => (language ? callerWords(text, language) : []))
  const foreign = defaultTopics.filter(({ name }) =>
    firstMatch(said, patternsOf(topicWords[language ?? 'en']?.[name] ?? [])),
  )
  const found = topicsFor(transcript, own)
    .filter(({ name, keywords }) => near.has(name) || keywords.some((keyword) => isSaid(stems, keyword)))
    .concat(foreign)
    .map(({ name }) => name)
  return found.length === 0 ? null : [...new Set(found)]
}

/** The topics to look for: the keywords of the built-in ones are English; others have their own list. */
export const topicsFor = (transcript: Transcript, own: readonly Topic[]): readonly Topic[] =>
  isEnglish(transcript) ? [...own, ...defaultTopics] : own

/** Sentences to compare with the meaning of a call: the name, and how customers say it. */
export const topicExamples = ({ name, keywords }: Topic): readonly string[] => [
  name,
  ...(topicSentences[name] ?? keywords),
]

/** Sentences long enough to compare with the name of a topic: one or two words match anything. */
export const tellingSentences = ({ utterances }: Transcript): string[] =>
  utterances.flatMap(({ text }) => sentencesOf(text)).filter((sentence) => wordsOf(sentence).length >= 3)

/** Similarity threshold between a sentence and an example. */
const nearEnough = 0.6

/** Names of topics with an example that a sentence is similar to; one row per sentence, one column per example. */
export function topicsNear(
  examples: readonly { name: string; text: string }[],
  nearness: readonly (readonly number[])[],
): Set<string> {
  const near = examples.filter((_, place) => nearness.some((row) => (row[place] ?? 0) >= nearEnough))
  return new Set(near.map(({ name }) => name))
}

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
