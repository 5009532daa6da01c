// domain/intelligence/ looks into what was said, by rules alone: no model, no network, and no answer where a rule has none.

/** What the contract can name a language by. */
export const languageTags = [
  'en',
  'en-US',
  'en-GB',
  'en-AU',
  'fr',
  'fr-FR',
  'es',
  'es-ES',
  'de',
  'de-DE',
  'nl',
  'nl-NL',
  'it',
  'it-IT',
] as const
export type LanguageTag = (typeof languageTags)[number]

export type Speaker =
  | { side: 'internal'; userId: number | null }
  | { side: 'internal'; voiceAgentId: string }
  | { side: 'external'; phone: string }

export interface Utterance {
  /** Seconds from the start of the delivered recording. */
  start: number
  end: number
  text: string
  speaker: Speaker
}

export interface Transcript {
  language: string
  utterances: readonly Utterance[]
}

/** As the line brought it: which side, when, and who it was outside. */
export interface HeardLine {
  side: 'left' | 'right'
  text: string
  startMs: number
  endMs: number
  at: number
  phone: string | null
  /** Said by an AI voice agent: its words are known. */
  voiceAgentId?: string
}

/** Somebody of the company on the call, from when to when. */
export interface Presence {
  userId: number
  from: number
  until: number | null
}

/** In the order of their beginnings; after a transfer the inside is somebody else. */
export function utterancesOf(heard: readonly HeardLine[], people: readonly Presence[], caller: string): Utterance[] {
  return heard
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ side, text, startMs, endMs, at, phone, voiceAgentId }) => ({
      start: startMs / 1_000,
      end: endMs / 1_000,
      text: text.trim(),
      speaker:
        side === 'right'
          ? { side: 'external', phone: phone ?? caller }
          : voiceAgentId !== undefined
            ? { side: 'internal', voiceAgentId }
            : { side: 'internal', userId: insiderAt(people, at) },
    }))
}

/** Who came last, when several are there: nobody can tell voices of one side apart. */
function insiderAt(people: readonly Presence[], at: number): number | null {
  const there = people.filter(({ from, until }) => from <= at && (until === null || at < until))
  return there.toSorted((a, b) => a.from - b.from).at(-1)?.userId ?? null
}

export const isEnglish = ({ language }: Pick<Transcript, 'language'>) => /^en(-|$)/.test(language)

export const saidBy = ({ utterances }: Transcript, side: Speaker['side']): Utterance[] =>
  utterances.filter(({ speaker }) => speaker.side === side)

/** The tag when the contract has it, else its language; `en` when nobody said. */
export function contractTag(tag: string | null): string {
  if (tag === null || tag === '') return 'en'
  return isTag(tag) ? tag : (tag.split('-', 1)[0] ?? 'en')
}

const isTag = (tag: string): tag is LanguageTag => languageTags.some((known) => known === tag)
