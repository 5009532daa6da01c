import { type AgentLanguage, agentLanguages } from '../ai-agent/plan.ts'
import type { WordTimes } from '../speech/word-times.ts'

// domain/intelligence/ analyzes transcripts by rules alone: no model, no network, and no result where no rule
// applies.

/** The language tags of the API. */
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

/** Stored in transcripts: the field name `side` is kept for compatibility. */
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
  /** Of recorded speech, if the engine reports them. */
  words?: WordTimes
}

export interface Transcript {
  language: string
  utterances: readonly Utterance[]
}

/** As received from the line: side, time, and the external party. */
export interface RecognizedLine {
  side: 'left' | 'right'
  text: string
  startMs: number
  endMs: number
  at: number
  phone: string | null
  /** Spoken by an AI voice agent: the text is exact. */
  voiceAgentId?: string
  words?: WordTimes
}

/** A user on the call, from `from` to `to`. */
export interface TimeOnCall {
  userId: number
  from: number
  until: number | null
}

/** Ordered by start; after a transfer the internal speaker changes. */
export function utterancesOf(
  lines: readonly RecognizedLine[],
  people: readonly TimeOnCall[],
  caller: string,
): Utterance[] {
  return lines
    .filter(({ text }) => text.trim() !== '')
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ side, text, startMs, endMs, at, phone, voiceAgentId, words }) => ({
      start: startMs / 1_000,
      end: endMs / 1_000,
      text: text.trim(),
      speaker:
        side === 'right'
          ? { side: 'external', phone: phone ?? caller }
          : voiceAgentId !== undefined
            ? { side: 'internal', voiceAgentId }
            : { side: 'internal', userId: insiderAt(people, at) },
      ...(words && { words }),
    }))
}

/** The user who joined last, when several are on the call: voices of one side are not separated. */
function insiderAt(people: readonly TimeOnCall[], at: number): number | null {
  const there = people.filter(({ from, until }) => from <= at && (until === null || at < until))
  return there.toSorted((a, b) => a.from - b.from).at(-1)?.userId ?? null
}

/** The language whose words the rules know; undefined for others. */
export const ruleLanguage = ({ language }: Pick<Transcript, 'language'>): AgentLanguage | undefined =>
  agentLanguages.find((one) => language === one || language.startsWith(`${one}-`))

export const isEnglish = ({ language }: Pick<Transcript, 'language'>) => /^en(-|$)/.test(language)

export const saidBy = ({ utterances }: Transcript, side: Speaker['side']): Utterance[] =>
  utterances.filter(({ speaker }) => speaker.side === side)

/** The tag if the API has it, else its language; `en` when unknown. */
export function contractTag(tag: string | null): string {
  if (tag === null || tag === '') return 'en'
  return isTag(tag) ? tag : (tag.split('-', 1)[0] ?? 'en')
}

const isTag = (tag: string): tag is LanguageTag => languageTags.some((known) => known === tag)
