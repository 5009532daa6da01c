import { percentileOf } from '../../../domain/ai-agent/session-figures.ts'
import { day as dayMs } from '../../../lib/clock.ts'
import type { MeasuredSession } from './sessions-store.ts'
import type { UseSums } from './usage-store.ts'

// Figures of AI agents over a period, from their conversations.

export interface AgentFigures {
  calls: number
  /** Ended without a hand-over to a person. */
  contained: number
  escalated: number
  turns: number
  p50Ms: number | null
  p95Ms: number | null
}

export function agentFigures(sessions: readonly MeasuredSession[]): AgentFigures {
  const turnMs = sessions.flatMap(({ figures }) => figures?.turnMs ?? [])
  const escalated = sessions.filter(isEscalated).length
  return {
    calls: sessions.length,
    contained: sessions.length - escalated,
    escalated,
    turns: turnMs.length,
    p50Ms: percentileOf(turnMs, 0.5),
    p95Ms: percentileOf(turnMs, 0.95),
  }
}

const isEscalated = ({ endReason }: MeasuredSession) => endReason === 'escalated'

/** Conversations per UTC day, without gaps, oldest first. */
export function perDay(sessions: readonly MeasuredSession[], since: number, until: number) {
  const days: { date: string; contained: number; escalated: number }[] = []
  for (let at = since; at <= until; at += dayMs) days.push({ date: utcDay(at), contained: 0, escalated: 0 })
  const byDate = new Map(days.map((day) => [day.date, day]))
  for (const session of sessions) {
    const day = byDate.get(utcDay(session.startedAt))
    if (day) day[isEscalated(session) ? 'escalated' : 'contained']++
  }
  return days
}

export interface CountedText {
  text: string
  count: number
  /** The latest calls, latest first. */
  callIds: number[]
}

const maxCounted = 30
const maxCalls = 5

export const escalationReasons = (sessions: readonly MeasuredSession[]): CountedText[] =>
  counted(
    sessions.flatMap(({ callId, escalationReason }) =>
      escalationReason === null ? [] : [{ callId, text: escalationReason }],
    ),
  )

export const misunderstoodPhrases = (sessions: readonly MeasuredSession[]): CountedText[] =>
  counted(sessions.flatMap(({ callId, figures }) => (figures?.misunderstood ?? []).map((text) => ({ callId, text }))))

/** Texts that differ in case and punctuation only are the same; most frequent first. */
function counted(texts: readonly { callId: number; text: string }[]): CountedText[] {
  const found = new Map<string, CountedText>()
  for (const { callId, text } of texts) {
    const key = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
    const one = found.get(key) ?? { text, count: 0, callIds: [] }
    one.count++
    if (one.callIds.length < maxCalls && !one.callIds.includes(callId)) one.callIds.push(callId)
    found.set(key, one)
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count).slice(0, maxCounted)
}

export const utcDay = (at: number) => new Date(at).toISOString().slice(0, 10)

export const addedUp = (uses: readonly UseSums[]): UseSums =>
  uses.reduce(
    (sums, use) => ({
      requests: sums.requests + use.requests,
      failed: sums.failed + use.failed,
      inputTokens: sums.inputTokens + use.inputTokens,
      outputTokens: sums.outputTokens + use.outputTokens,
      cost: use.cost === null ? sums.cost : (sums.cost ?? 0) + use.cost,
    }),
    { requests: 0, failed: 0, inputTokens: 0, outputTokens: 0, cost: null },
  )
