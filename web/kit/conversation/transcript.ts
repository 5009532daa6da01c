import { span } from '../ui/format.ts'

// What was said on a call, as both apps show it. Pure: who is who, what is found, what is being said at this moment.

/** Whoever speaks, as the API names them. */
export interface SpeakerShown {
  participant_type: 'internal' | 'external'
  user_id?: number | null
  ai_voice_agent_id?: string
  phone_number?: string
}

export interface UtteranceShown extends SpeakerShown {
  /** Seconds of the recording. */
  start_time: number
  end_time: number
  text: string
}

export interface TranscriptShown {
  id: number
  type: 'call' | 'voicemail'
  content: { language: string; utterances: UtteranceShown[] }
}

/** How people are called. */
export interface Names {
  user(id: number): string
  agent(id: string): string
  party(phone: string | undefined): string
}

export interface Speaker {
  key: string
  name: string
  side: 'internal' | 'external'
  /** A colour of the theme; each side has its own family. */
  color: string
}

/** Ours are cold, those outside are warm. */
const colors = { internal: ['blue', 'teal', 'cyan'], external: ['orange', 'pink', 'yellow'] } as const

export function keyOf(speaker: SpeakerShown): string {
  if (speaker.participant_type === 'external') return `phone:${speaker.phone_number ?? ''}`
  if (speaker.ai_voice_agent_id !== undefined) return `agent:${speaker.ai_voice_agent_id}`
  return `user:${speaker.user_id ?? ''}`
}

/** Everybody who speaks, in the order of their first words. */
export function speakersOf(said: readonly SpeakerShown[], names: Names): Map<string, Speaker> {
  const speakers = new Map<string, Speaker>()
  const seen = { internal: 0, external: 0 }
  for (const one of said) {
    const key = keyOf(one)
    if (speakers.has(key)) continue
    const side = one.participant_type
    const color = colors[side][seen[side]++ % colors[side].length] ?? 'gray'
    speakers.set(key, { key, side, color, name: nameOf(one, names) })
  }
  return speakers
}

function nameOf(speaker: SpeakerShown, names: Names): string {
  if (speaker.participant_type === 'external') return names.party(speaker.phone_number)
  if (speaker.ai_voice_agent_id !== undefined) return names.agent(speaker.ai_voice_agent_id)
  return typeof speaker.user_id === 'number' ? names.user(speaker.user_id) : 'Somebody of ours'
}

/** The place of what is said at that second; in a pause, of what was said last. -1: nothing yet. */
export function placeAt(utterances: readonly UtteranceShown[], seconds: number): number {
  return utterances.findLastIndex(({ start_time }) => start_time <= seconds + 0.05)
}

export interface Hit {
  /** Of the utterance. */
  place: number
  /** In code points. */
  from: number
  to: number
}

/** Every place where the words stand, without regard to case and accents. */
export function hitsIn(utterances: readonly { text: string }[], words: string): Hit[] {
  const wanted = folded(words.trim())
  if (wanted.length === 0) return []
  return utterances.flatMap(({ text }, place) => {
    const letters = folded(text)
    const hits: Hit[] = []
    for (let from = 0; from + wanted.length <= letters.length; from++) {
      if (!wanted.every((letter, at) => letters[from + at] === letter)) continue
      hits.push({ place, from, to: from + wanted.length })
      from += wanted.length - 1
    }
    return hits
  })
}

/** One for each code point, so that places stay what they are. */
const folded = (text: string): string[] => [...text].map((letter) => letter.normalize('NFD').charAt(0).toLowerCase())

export interface Piece {
  text: string
  /** The number of the hit; undefined between two. */
  hit?: number
}

/** A text cut at its hits; `first` is the number of the first of them among all. */
export function cutAt(text: string, hits: readonly Hit[], first: number): Piece[] {
  const letters = [...text]
  const pieces: Piece[] = []
  let done = 0
  hits.forEach(({ from, to }, nth) => {
    if (from > done) pieces.push({ text: letters.slice(done, from).join('') })
    pieces.push({ text: letters.slice(from, to).join(''), hit: first + nth })
    done = to
  })
  if (done < letters.length) pieces.push({ text: letters.slice(done).join('') })
  return pieces
}

/** For a file or the clipboard. */
export function asText(utterances: readonly UtteranceShown[], speakers: ReadonlyMap<string, Speaker>): string {
  return utterances.map((one) => `${span(one.start_time)}  ${speakers.get(keyOf(one))?.name}: ${one.text}\n`).join('')
}

/** Where a quotation was said; rules and models quote word for word, sometimes less than a sentence. */
export function placeOfQuote(utterances: readonly { text: string }[], feedback: string): number {
  const quote = quoteIn(feedback)
  return quote === undefined ? -1 : (hitsIn(utterances, quote)[0]?.place ?? -1)
}

/** What stands between quotation marks. */
export function quoteIn(feedback: string): string | undefined {
  const [, quote] = /“([^”]{2,500})”/.exec(feedback) ?? []
  return quote
}
