import { isNegation, sentencesOf, wordsOf } from './sentences.ts'
import { isEnglish, saidBy, type Transcript } from './transcript.ts'

export type Mood = 'POSITIVE' | 'NEUTRAL' | 'NEGATIVE'

export interface ParticipantMood {
  phone: string
  value: Mood
}

/** Three coarse values for all external speakers. Null where the word list does not cover the language. */
export function sentimentOf(transcript: Transcript): ParticipantMood[] | null {
  if (!isEnglish(transcript)) return null
  const texts = new Map<string, string[]>()
  for (const { text, speaker } of saidBy(transcript, 'external')) {
    if (speaker.side === 'external') texts.set(speaker.phone, [...(texts.get(speaker.phone) ?? []), text])
  }
  if (texts.size === 0) return null
  return [...texts].map(([phone, said]) => ({ phone, value: moodOf(said) }))
}

/** Sentences without a listed word are ignored, so that they do not dilute the score. */
export function moodOf(texts: readonly string[]): Mood {
  const felt = texts
    .flatMap(sentencesOf)
    .map(feelingOf)
    .filter((feeling) => feeling !== 0)
  const mean = felt.length === 0 ? 0 : felt.reduce((sum, feeling) => sum + feeling, 0) / felt.length
  if (mean >= 0.5) return 'POSITIVE'
  return mean <= -0.5 ? 'NEGATIVE' : 'NEUTRAL'
}

const reach = 3

function feelingOf(sentence: string): number {
  const words = wordsOf(sentence)
  return words.reduce((sum, word, place) => {
    const worth = feelings.get(word) ?? 0
    if (worth === 0) return sum
    const before = words.slice(Math.max(0, place - reach), place)
    const strength = before.some((other) => strong.has(other)) ? 1.5 : 1
    return sum + (before.some(isNegation) ? -0.7 * worth : worth) * strength
  }, 0)
}

const strong = new Set(['very', 'really', 'extremely', 'so', 'totally', 'absolutely', 'completely', 'terribly'])

// Words of sentiment only. Politeness (please, correct, yes) and facts (down, late) carry none.
const feelings = new Map<string, number>([
  ...listed(2, 'excellent amazing wonderful fantastic delighted perfect brilliant love loved thrilled outstanding'),
  ...listed(1, 'good great happy glad pleased satisfied helpful nice kind friendly thanks thank grateful appreciate'),
  ...listed(1, 'enjoy enjoyed impressed relieved easy quick lovely'),
  ...listed(-1, 'bad wrong unhappy disappointed annoyed annoying upset sad worried worry problem problems broken poor'),
  ...listed(-1, 'unfair slow rude difficult confused confusing frustrating frustrated complain complaint complaints'),
  ...listed(-1, 'dissatisfied unacceptable failed fails worse mistake angry'),
  ...listed(-2, 'terrible horrible awful furious disgusting hate hated worst outrageous ridiculous useless scam fraud'),
])

function listed(worth: number, words: string): [string, number][] {
  return words.split(' ').map((word) => [word, worth])
}
