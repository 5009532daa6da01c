import { greet, type Next, respond } from '../domain/ai-agent/dialog.ts'
import type { AgentPlan } from '../domain/ai-agent/plan.ts'
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
import { filled, type TalkLine, timedLines } from './texts/dialogue.ts'
import { intakeTalks } from './texts/intake-talks.ts'

// Past calls answered by an AI agent: it asks its questions, and hands over on request. No database access.

export function pastVoiceAgentCall(
  cast: Cast,
  line: PastLine,
  agent: AgentPlan,
  startedAt: number,
  external: string,
  random: Random,
): PastCall {
  const intake = random.pick(intakeTalks)
  const slots = { order: String(random.integer(20_100, 29_900)), robin: agent.name }
  const spoken = intake.caller.map((text) => filled(text, slots))
  const { said, reply } = agentConversation(agent, spoken, startedAt)
  const lines = timedLines(said)
  const saidAt = startedAt + Math.ceil(lines.at(-1)?.end ?? 0) * second
  const userId =
    reply.next.kind === 'escalate' ? (line.ringers[random.integer(0, line.ringers.length - 1)] ?? null) : null
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
    endReason: sessionEndOf(reply.next),
    escalationReason: reply.next.kind === 'escalate' ? reply.next.why : null,
    answers: reply.talk.answers,
    turns,
  }
  const talk = { lines, mood: intake.mood, csat: null, summary: filled(intake.summary, slots), next: intake.next }
  return { ...withNotes(cast, { record, rings, parties }, userId ?? 0, random), comments: [], session, talk }
}

/** The replies are those of the agent on a call. */
export function agentConversation(agent: AgentPlan, callerLines: readonly string[], now: number) {
  let reply = greet(agent)
  const said: Pick<TalkLine, 'by' | 'text'>[] = [{ by: 'agent', text: reply.say }]
  for (const text of callerLines) {
    if (reply.next.kind !== 'listen') break
    reply = respond(agent, reply.talk, { kind: 'words', text }, now)
    said.push({ by: 'customer', text })
    said.push({ by: 'agent', text: reply.say })
  }
  return { said, reply }
}

export function sessionEndOf(next: Next): PastSession['endReason'] {
  if (next.kind === 'listen') return 'caller_hung_up'
  return next.kind === 'escalate' ? 'escalated' : next.why
}
