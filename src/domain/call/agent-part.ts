// The part of a call that an AI voice agent takes: how it begins, and how it is over whatever happens.
import { greet, patienceMs } from '../ai-agent/brain.ts'
import type { AgentPlan } from '../ai-agent/plan.ts'
import type { AgentEnd, AgentPart } from './state.ts'
import { ask, change, forget, type Turn } from './turn.ts'

export interface AgentReady {
  session: string
  plan: AgentPlan
  /** Stands for the team it hands over to in transferred_to. */
  firstUserId: number | null
  /** The same for teams that it may choose. */
  firstOfTeams?: Readonly<Record<number, number | null>>
}

/** `node` is the widget; null where the agent made the call. */
export function newPart(turn: Turn, ready: AgentReady, node: string | null): AgentPart {
  const { session, plan, firstUserId, firstOfTeams } = ready
  const { talk } = greet(plan)
  return {
    session,
    plan,
    firstUserId,
    ...(firstOfTeams && { firstOfTeams }),
    node,
    numberId: turn.call.record.numberId,
    startedAt: turn.at,
    endedAt: null,
    endReason: null,
    escalation: null,
    talk,
    next: null,
    mind: { asked: 0, thinks: false, queue: [], after: null },
    failed: false,
    patienceMs: patienceMs(plan, talk),
    keys: '',
    turns: [],
  }
}

export function setPart(turn: Turn, facts: Partial<AgentPart>) {
  const { agent } = turn.call
  if (agent) change(turn, { agent: { ...agent, ...facts } })
}

export function tellPart(turn: Turn, what: 'started' | 'escalated' | 'ended' | 'summary') {
  const { agent, callId } = turn.call
  if (agent && callId !== null) ask(turn, { kind: 'agent', what, part: agent })
}

export function endPart(turn: Turn, endReason: AgentEnd) {
  const { agent, customer } = turn.call
  if (!agent || agent.endedAt !== null) return
  forget(turn, 'agent', 'agent_limit')
  if (agent.mind.thinks) ask(turn, { kind: 'think.stop' })
  if (customer.leg !== null) ask(turn, { kind: 'listen.stop', leg: customer.leg })
  setPart(turn, { endedAt: turn.at, endReason, next: null })
  tellPart(turn, 'ended')
}

/** What it has learnt is told last; then it is forgotten here. */
export function summarise(turn: Turn) {
  tellPart(turn, 'summary')
  change(turn, { agent: null })
}

/** Somebody takes the call away from it. */
export function dismissPart(turn: Turn) {
  if (!turn.call.agent) return
  endPart(turn, 'disconnected')
  summarise(turn)
  restRecording(turn)
}

/** While the caller waits for a person, or is on hold, nothing is recorded; `waits` marks a pause that ends by itself. */
export function restRecording(turn: Turn) {
  const { recording } = turn.call
  if (recording.is !== 'on') return
  change(turn, { recording: { is: 'paused', recId: recording.recId, waits: true } })
  if (recording.recId !== null) ask(turn, { kind: 'record.pause', recId: recording.recId })
}

export function takeUpRecording(turn: Turn) {
  const { recording } = turn.call
  if (recording.is !== 'paused' || !recording.waits) return
  change(turn, { recording: { is: 'on', recId: recording.recId } })
  if (recording.recId !== null) ask(turn, { kind: 'record.resume', recId: recording.recId })
}
