import type { AgentPlan, Answers } from '../domain/ai-agent/plan.ts'
import { type CallParticipant, type CallRecord, newRecord } from '../domain/call/record.ts'
import type { Mood } from '../domain/intelligence/sentiment.ts'
import { second } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { ScenarioNumber } from './scenarios/plan.ts'
import type { TalkLine } from './texts/dialogue.ts'
import { remarks } from './texts/voicemails.ts'

// A past call of the demo company, and how one is built. No database access.

export interface PastCall {
  uuid: string
  record: CallRecord
  rings: PastRing[]
  parties: PastParty[]
  tags: number[]
  comments: { content: string; by: number; at: number }[]
  archived: boolean
  voicemailMs: number | null
  /** What was said, for calls with a transcript. */
  talk: Talk | null
  /** The part of an AI agent. */
  session: PastSession | null
}

export interface PastRing {
  userId: number
  teamId: number | null
  startedAt: number
  endedAt: number
  outcome: 'answered' | 'declined' | 'no_answer' | 'cancelled'
  origin: 'RING_TO' | 'TRANSFER'
}

/** Participants with their join and leave times. */
export interface PastParty {
  userId: number
  way: 'taken' | 'made' | 'transfer'
  joinedAt: number
  leftAt: number
  gaveAt: number | null
}

export interface Cast {
  lines: PastLine[]
  /** Numbers of known contacts, the most active ones first. */
  phones: string[]
  /** Their names, by number. */
  customers: ReadonlyMap<string, { name: string; company: string }>
  /** First names by user. */
  agents: ReadonlyMap<number, string>
  /** Users by team. */
  teams: ReadonlyMap<number, readonly number[]>
  /** IDs by name. */
  tags: ReadonlyMap<string, number>
}

export interface PastLine extends ScenarioNumber {
  /** Team that the flow rings, if any. */
  teamId: number | null
  /** Share of the calls. */
  weight: number
  /** The AI agent that answers, if any. */
  voiceAgent: AgentPlan | null
}

export interface Talk {
  lines: TalkLine[]
  mood: Mood
  /** 0 to 100; null where no agent spoke. */
  csat: number | null
  summary: string | null
  next: string[]
}

export interface PastSession {
  agent: { id: string; name: string }
  startedAt: number
  endedAt: number
  endReason: 'answered' | 'disconnected' | 'escalated' | 'caller_hung_up'
  escalationReason: string | null
  answers: Answers
  turns: { by: 'agent' | 'caller'; text: string; at: number }[]
}

type Bare = Pick<PastCall, 'record' | 'rings' | 'parties'>

export function withNotes({ tags }: Cast, call: Bare, userId: number, random: Random): PastCall {
  const endedAt = call.record.endedAt ?? 0
  const tagIds = [...tags.values()]
  const many = random.next()
  const own =
    tagIds.length === 0 || many < 0.4 ? [] : [random.pick(tagIds), ...(many > 0.9 ? [random.pick(tagIds)] : [])]
  const isTalk = call.record.answeredAt !== null
  const comments =
    isTalk && random.next() < 0.25 ? [{ content: random.pick(remarks), by: userId, at: endedAt + 20 * second }] : []
  const nothing = { archived: false, voicemailMs: null, talk: null, session: null }
  return { ...call, uuid: uuidOf(random), tags: [...new Set(own)], comments, ...nothing }
}

export const inbound = (line: PastLine, startedAt: number, endedAt: number, external: string): CallRecord => ({
  ...newRecord('inbound', startedAt),
  numberId: line.id,
  external,
  endedAt,
  hangupCause: 'normal_clearing',
})

export const person = (userId: number): CallParticipant => ({ kind: 'user', userId })
export const externalParty = (external: string): CallParticipant[] => [{ kind: 'external', phone: external }]

/** Has the format of a version 4 UUID. */
export function uuidOf(random: Random): string {
  const hex = (digits: number) => Array.from({ length: digits }, () => random.integer(0, 15).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${random.pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`
}
