import type { Zone } from '../../../domain/analytics/zone.ts'
import type { Mood } from '../../../domain/intelligence/sentiment.ts'
import type { ConversationFacts } from './store.ts'

type Moods = Record<Lowercase<Mood>, number>

interface Talk {
  calls: number
  internalMs: number
  externalMs: number
}

/** Figures of many conversations. */
export interface ConversationFigures {
  calls: number
  topics: Map<string, number>
  moods: Moods
  days: Map<string, Moods>
  talk: Talk
  users: Map<number, Talk & { moods: Moods }>
}

const noMoods = (): Moods => ({ positive: 0, neutral: 0, negative: 0 })
const noTalk = (): Talk => ({ calls: 0, internalMs: 0, externalMs: 0 })

export const newFigures = (dates: readonly string[]): ConversationFigures => ({
  calls: 0,
  topics: new Map(),
  moods: noMoods(),
  days: new Map(dates.map((date) => [date, noMoods()])),
  talk: noTalk(),
  users: new Map(),
})

export function addConversation(figures: ConversationFigures, zone: Zone, facts: ConversationFacts): void {
  const { at, userId, internalMs, externalMs } = facts
  figures.calls++
  for (const topic of facts.topics) figures.topics.set(topic, (figures.topics.get(topic) ?? 0) + 1)
  const user = userId === null ? undefined : userOf(figures, userId)
  const mood = moodOf(facts)
  if (mood)
    for (const moods of [figures.moods, figures.days.get(zone.dateOf(at)), user?.moods]) if (moods) moods[mood]++
  // A voicemail has no second speaker.
  if (!internalMs || !externalMs) return
  for (const talk of [figures.talk, user]) {
    if (!talk) continue
    talk.calls++
    talk.internalMs += internalMs
    talk.externalMs += externalMs
  }
}

/** Of several external speakers, the least content one counts. */
function moodOf({ moods }: ConversationFacts): keyof Moods | undefined {
  const values = new Set(moods.map(({ value }) => value))
  if (values.has('NEGATIVE')) return 'negative'
  if (values.has('NEUTRAL')) return 'neutral'
  return values.has('POSITIVE') ? 'positive' : undefined
}

function userOf(figures: ConversationFigures, id: number) {
  const known = figures.users.get(id)
  if (known) return known
  const made = { ...noTalk(), moods: noMoods() }
  figures.users.set(id, made)
  return made
}

/** The share of speech that is the agents', in per cent. */
export const talkRatio = ({ internalMs, externalMs }: Talk): number | null =>
  internalMs + externalMs === 0 ? null : Math.round((internalMs / (internalMs + externalMs)) * 100)
