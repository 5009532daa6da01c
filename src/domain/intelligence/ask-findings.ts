import { type Asking, askingAbout, isQuote, labelOf, shortened, speakersIn } from './asking.ts'
import type { Section, SectionResult } from './custom-summary.ts'
import { enumOf, type JsonSchema, listOf, objectOf, string } from './json-schema.ts'
import type { Mood, ParticipantMood } from './sentiment.ts'
import type { Topic } from './topics.ts'
import type { Transcript } from './transcript.ts'

const moods = ['POSITIVE', 'NEUTRAL', 'NEGATIVE'] as const
const integer: JsonSchema = { type: 'integer' }

/** Sentiment of the external parties. */
export function askSentiment(transcript: Transcript): Asking<ParticipantMood[]> | undefined {
  const speakers = speakersIn(transcript)
  const outside = speakers.flatMap((speaker) =>
    speaker.side === 'external' ? [{ label: labelOf(speakers, speaker), phone: speaker.phone }] : [],
  )
  if (outside.length === 0) return undefined
  const labels = outside.map(({ label }) => label)
  return askingAbout(transcript, {
    name: 'sentiment',
    task: `For each of ${labels.join(', ')}: is their mood on this call positive, neutral or negative? Politeness alone is neutral. A problem that is told without feeling is neutral; one that annoys them is negative.`,
    schema: objectOf({ participants: listOf(objectOf({ speaker: enumOf(...labels), value: enumOf(...moods) })) }),
    read(answer) {
      const { participants } = answer as { participants: { speaker: string; value: Mood }[] }
      const found = outside.map(({ label, phone }) => ({
        phone,
        value: participants.find(({ speaker }) => speaker === label)?.value,
      }))
      const known = found.flatMap(({ phone, value }) => (value === undefined ? [] : [{ phone, value }]))
      return known.length === outside.length ? known : null
    },
  })
}

const maxTopics = 10

export function askTopics(transcript: Transcript, own: readonly Topic[]): Asking<string[]> | undefined {
  const list =
    own.length === 0 ? '' : ` If one of these fits, use it as it stands: ${own.map(({ name }) => name).join('; ')}.`
  return askingAbout(transcript, {
    name: 'topics',
    task: `What is this call about? Name at most five topics, each one to three words, the most important first. None if nothing of substance was said.${list}`,
    schema: objectOf({ topics: listOf(string) }),
    read(answer) {
      const { topics } = answer as { topics: string[] }
      return [...new Set(topics.map((topic) => shortened(topic, 60)).filter(Boolean))].slice(0, maxTopics)
    },
  })
}

export function askSummary(transcript: Transcript): Asking<string> | undefined {
  return askingAbout(transcript, {
    name: 'summary',
    task: 'Write a summary of this call in two to five sentences: why it was made, what was found out, what was agreed. Plain sentences, no list.',
    schema: objectOf({ summary: string }),
    read: (answer) => shortened((answer as { summary: string }).summary, 5_000) || null,
  })
}

const maxItems = 20

/** Each with its quote; findings without a matching quote are dropped. */
export function askActionItems(transcript: Transcript): Asking<string[]> | undefined {
  return askingAbout(transcript, {
    name: 'action_items',
    task: 'What is to be done after this call? Only what somebody promised, or was asked for and did not refuse. One short sentence each, with who does it, and the quote that proves it. What was done during the call, or only talked about, is none. An empty list if there is nothing.',
    schema: objectOf({ items: listOf(objectOf({ text: string, quote: string })) }),
    read(answer) {
      const { items } = answer as { items: { text: string; quote: string }[] }
      const proven = items.filter(({ quote }) => isQuote(transcript, quote)).map(({ text }) => shortened(text, 500))
      return [...new Set(proven.filter(Boolean))].slice(0, maxItems)
    },
  })
}

const forms: Record<Section['type'], string> = {
  PARAGRAPH: 'a paragraph',
  BULLET_POINTS: 'lines, one point each',
  YES_NO: 'YES, NO, or N/A if the call does not tell',
}

/** All sections or none, as in the rule-based version. */
export function askCustomSummary(
  transcript: Transcript,
  sections: readonly Section[],
): Asking<SectionResult[]> | undefined {
  const wanted = sections.map(({ name, type }, place) => `${place + 1}. ${name} (${forms[type]})`)
  return askingAbout(transcript, {
    name: 'custom_summary',
    task: `Fill the sections of a summary of this call, each by its number. If the call says nothing about a section, say so in it.\n${wanted.join('\n')}`,
    schema: objectOf({ sections: listOf(objectOf({ number: integer, content: string })) }),
    read(answer) {
      const { sections: filled } = answer as { sections: { number: number; content: string }[] }
      const results = sections.flatMap(({ name, type }, place) => {
        const content = contentIn(type, filled.find(({ number }) => number === place + 1)?.content ?? '')
        return content === '' ? [] : [{ name, type, content }]
      })
      return results.length === sections.length && results.length > 0 ? results : null
    },
  })
}

function contentIn(type: Section['type'], content: string): string {
  const text = shortened(content, 5_000)
  if (type === 'PARAGRAPH') return text
  if (type === 'YES_NO') return ['YES', 'NO', 'N/A'].find((word) => text.toUpperCase().startsWith(word)) ?? ''
  const points = text.split('\n').map((line) => line.replace(/^\s{0,20}(?:[-*•]|\d{1,3}[.)])\s{0,5}/, '').trim())
  return points
    .filter(Boolean)
    .map((point) => `- ${point}`)
    .join('\n')
}

export interface Csat {
  score: number
  drivers: { polarity: Mood; label: string }[]
}

/** A prediction of the customer's rating; not a measure of an agent. */
export function askCsat(transcript: Transcript): Asking<Csat> | undefined {
  if (!transcript.utterances.some(({ speaker }) => speaker.side === 'external')) return undefined
  const score: JsonSchema = { type: 'integer', minimum: 0, maximum: 100 }
  return askingAbout(transcript, {
    name: 'predicted_csat',
    task: 'If the customer were asked now how satisfied they are with this call, from 0 (not at all) to 100 (fully), what would they probably say? Name up to five things on the call that lead to it, each in a few words.',
    schema: objectOf({ score, drivers: listOf(objectOf({ polarity: enumOf(...moods), label: string })) }),
    read(answer) {
      const { score: given, drivers } = answer as Csat
      const named = drivers.map(({ polarity, label }) => ({ polarity, label: shortened(label, 120) }))
      return { score: given, drivers: named.filter(({ label }) => label !== '').slice(0, 10) }
    },
  })
}
