import type { CallRecord } from '../domain/call/record.ts'
import { second } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import {
  type Cast,
  externalParty,
  inbound,
  type PastCall,
  type PastLine,
  type PastRing,
  type PastSession,
  person,
  withNotes,
} from './past-call.ts'
import { filled, spokenLines } from './texts/dialogue.ts'
import { type IntakeTalk, intakeTalks } from './texts/intake-talks.ts'

// Past calls answered by an AI agent: it asks its questions, and hands over on request. No database access.

export function pastVoiceAgentCall(
  cast: Cast,
  line: PastLine,
  agent: PastSession['agent'],
  startedAt: number,
  external: string,
  random: Random,
): PastCall {
  const intake = random.pick(intakeTalks)
  const order = String(random.integer(20_100, 29_900))
  const slots = { order, robin: agent.name }
  const lines = spokenLines(intake.talk, slots)
  const saidAt = startedAt + Math.ceil(lines.at(-1)?.end ?? 0) * second
  const userId = intake.end === 'escalated' ? (line.ringers[random.integer(0, line.ringers.length - 1)] ?? null) : null
  const takenAt = userId === null ? null : saidAt + random.integer(5, 15) * second
  const endedAt = takenAt === null ? saidAt + second : takenAt + random.integer(60, 300) * second
  const record: CallRecord = {
    ...inbound(line, startedAt, endedAt, external),
    answeredAt: startedAt,
    userId,
    assignedTo: userId,
    teamIds: userId === null || line.teamId === null ? [] : [line.teamId],
    participants: [...externalParty(external), ...(userId === null ? [] : [person(userId)])],
  }
  const parties =
    userId === null || takenAt === null
      ? []
      : [{ userId, way: 'taken' as const, joinedAt: takenAt, leftAt: endedAt, gaveAt: null }]
  const rings: PastRing[] = parties.map((party) => ({
    userId: party.userId,
    teamId: line.teamId,
    startedAt: saidAt,
    endedAt: party.joinedAt,
    outcome: 'answered',
    origin: 'RING_TO',
  }))
  const turns = lines.map(({ by, text, start }) => ({
    by: by === 'agent' ? ('agent' as const) : ('caller' as const),
    text,
    at: startedAt + Math.round(start * second),
  }))
  const session: PastSession = {
    agent,
    startedAt,
    endedAt: saidAt,
    endReason: intake.end,
    escalationReason: intake.end === 'escalated' ? 'The caller asked for a person' : null,
    answers: answersIn(intake, order),
    turns,
  }
  const talk = { lines, mood: intake.mood, csat: null, summary: filled(intake.summary, slots), next: intake.next }
  return { ...withNotes(cast, { record, rings, parties }, userId ?? 0, random), comments: [], session, talk }
}

const answersIn = ({ reason }: IntakeTalk, order: string): PastSession['answers'] => ({
  ...(reason !== null && { reason, order_number: Number(order) }),
})
