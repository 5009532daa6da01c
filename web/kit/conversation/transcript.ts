import { digitsOnly } from '../../../src/domain/phone-number.ts'
import type { ResponseOf } from '../api.ts'
import { displayNumber } from '../phone-number.ts'
import { span } from '../ui/format.ts'

// The transcript of a call as both apps show it: speakers, search, and the utterance at a position. Pure.

/** The speaker of an utterance, as in the API. */
export type SpeakerShown = Pick<UtteranceShown, 'participant_type' | 'user_id' | 'ai_voice_agent_id' | 'phone_number'>

export type UtteranceShown = TranscriptShown['content']['utterances'][number]

export type TranscriptShown = ResponseOf<'/v1/calls/{call_id}/transcription'>['transcription']

/** Display names of the speakers. */
export interface SpeakerNames {
  user(id: number): string
  agent(id: string): string
  party(phone: string | undefined): string
}

/** The other party of the call by name, whatever the notation of its number; further parties by their number. */
export const partyNames =
  (number: string, name: string): SpeakerNames['party'] =>
  (phone) =>
    phone === undefined || digitsOnly(phone) === digitsOnly(number) ? name : displayNumber(phone)

export interface Speaker {
  key: string
  name: string
  side: 'internal' | 'external'
  /** A theme colour. */
  color: string
}

/** Cold colours for the company's side, warm ones for external parties. */
const colors = { internal: ['blue', 'teal', 'cyan'], external: ['orange', 'pink', 'yellow'] } as const

export function keyOf(speaker: SpeakerShown): string {
  if (speaker.participant_type === 'external') return `phone:${speaker.phone_number ?? ''}`
  if (speaker.ai_voice_agent_id !== undefined) return `agent:${speaker.ai_voice_agent_id}`
  return `user:${speaker.user_id ?? ''}`
}

/** All speakers, in the order of their first utterance. */
export function speakersOf(utterances: readonly SpeakerShown[], names: SpeakerNames): Map<string, Speaker> {
  const speakers = new Map<string, Speaker>()
  const seen = { internal: 0, external: 0 }
  for (const one of utterances) {
    const key = keyOf(one)
    if (speakers.has(key)) continue
    const side = one.participant_type
    const color = colors[side][seen[side]++ % colors[side].length] ?? 'gray'
    speakers.set(key, { key, side, color, name: nameOf(one, names) })
  }
  return speakers
}

function nameOf(speaker: SpeakerShown, names: SpeakerNames): string {
  if (speaker.participant_type === 'external') return names.party(speaker.phone_number)
  if (speaker.ai_voice_agent_id !== undefined) return names.agent(speaker.ai_voice_agent_id)
  return typeof speaker.user_id === 'number' ? names.user(speaker.user_id) : 'Unknown user'
}

/** The index of the utterance at that second, or of the last one before it; -1 before the first. */
export function indexAt(utterances: readonly UtteranceShown[], seconds: number): number {
  return utterances.findLastIndex(({ start_time }) => start_time <= seconds + 0.05)
}

export interface Hit {
  /** Index of the utterance. */
  index: number
  /** In code points. */
  from: number
  to: number
}

/** All matches, ignoring case and accents. */
export function hitsIn(utterances: readonly { text: string }[], query: string): Hit[] {
  const wanted = folded(query.trim())
  if (wanted.length === 0) return []
  return utterances.flatMap(({ text }, index) => {
    const letters = folded(text)
    const hits: Hit[] = []
    for (let from = 0; from + wanted.length <= letters.length; from++) {
      if (!wanted.every((letter, at) => letters[from + at] === letter)) continue
      hits.push({ index, from, to: from + wanted.length })
      from += wanted.length - 1
    }
    return hits
  })
}

/** One element per code point, so that positions stay valid. */
const folded = (text: string): string[] => [...text].map((letter) => letter.normalize('NFD').charAt(0).toLowerCase())

export interface TextSegment {
  text: string
  /** The number of the hit; undefined for text between hits. */
  hit?: number
  /** The index of the word; undefined for spaces, and without times of words. */
  word?: number
}

/** The text split at its hits; `first` is the number of its first hit. */
export function splitAt(text: string, hits: readonly Hit[], first: number): TextSegment[] {
  const letters = [...text]
  const pieces: TextSegment[] = []
  let done = 0
  hits.forEach(({ from, to }, nth) => {
    if (from > done) pieces.push({ text: letters.slice(done, from).join('') })
    pieces.push({ text: letters.slice(from, to).join(''), hit: first + nth })
    done = to
  })
  if (done < letters.length) pieces.push({ text: letters.slice(done).join('') })
  return pieces
}

export type WordShown = NonNullable<UtteranceShown['words']>[number]

/** Words below it are marked; docs/decisions/0094 has the measurements. */
export const uncertainBelow = 0.5

/** The pieces split again where words begin and end: a hit may be a part of a word, or several words. */
export function splitAtWords(pieces: readonly TextSegment[], words: readonly WordShown[]): TextSegment[] {
  const split: TextSegment[] = []
  let word = -1
  let isInWord = false
  for (const { text, ...rest } of pieces) {
    for (const part of text.match(/\s+|\S+/gu) ?? []) {
      const isSpace = part.trim() === ''
      if (!isSpace && !isInWord) word++
      isInWord = !isSpace
      split.push({ text: part, ...rest, ...(!isSpace && word < words.length && { word }) })
    }
  }
  return split
}

/** The index of the word that is spoken at that second; -1 in a pause of more than a moment. */
export function wordAt(words: readonly WordShown[], seconds: number): number {
  const index = words.findLastIndex(({ start_time }) => start_time <= seconds + 0.02)
  const word = words[index]
  return word && seconds <= word.end_time + shownAfterSeconds ? index : -1
}

/** A word stays highlighted in short gaps between words. */
const shownAfterSeconds = 0.4

/** Plain text for a file or the clipboard. */
export function asText(utterances: readonly UtteranceShown[], speakers: ReadonlyMap<string, Speaker>): string {
  return utterances.map((one) => `${span(one.start_time)}  ${speakers.get(keyOf(one))?.name}: ${one.text}\n`).join('')
}

/** The index of the utterance that an evaluation quotes; a quote may be less than a sentence. */
export function indexOfQuote(utterances: readonly { text: string }[], feedback: string): number {
  const quote = quoteIn(feedback)
  return quote === undefined ? -1 : (hitsIn(utterances, quote)[0]?.index ?? -1)
}

/** The text between quotation marks. */
export function quoteIn(feedback: string): string | undefined {
  const [, quote] = /“([^”]{2,500})”/.exec(feedback) ?? []
  return quote
}
