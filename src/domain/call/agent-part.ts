// The part of a call that an AI voice agent takes: how it begins, and how it is over whatever happens.
import { greet } from '../ai-agent/brain.ts'
import type { AgentPlan } from '../ai-agent/plan.ts'
import type { AgentEnd, AgentPart } from './state.ts'
import { ask, change, forget, type Turn } from './turn.ts'

export interface AgentReady {
  session: string
  plan: AgentPlan
  /** Stands for the team it hands over to in transferred_to. */
  firstUserId: number | null
}

/** `node` is the widget; null where the agent made the call. */
export function newPart(turn: Turn, { session, plan, firstUserId }: AgentReady, node: string | null): AgentPart {
  const { talk } = greet(plan)
  return {
    session,
    plan,
    firstUserId,
    node,
    numberId: turn.call.record.numberId,
    startedAt: turn.at,
    endedAt: null,
    endReason: null,
    escalation: null,
    talk,
    next: null,
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
  const { agent } = turn.call
  if (!agent || agent.endedAt !== null) return
  forget(turn, 'agent', 'agent_limit')
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
}
