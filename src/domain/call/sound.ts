// A browser that loses its media during a call: a page reload reconnects within seconds.
import type { LegId } from '../voice.ts'
import { agentHangsUp } from './talking.ts'
import { emit, patch, startTimer, type Turn } from './turn.ts'

const reconnectTimeoutMs = 20_000

/** True when the leg belongs to an agent, who is then expected to reconnect. */
export function mediaLost(turn: Turn, leg: LegId): boolean {
  const { agents } = turn.call
  const lost = agents.find((agent) => agent.leg === leg)
  if (!lost) return false
  patch(turn, { agents: agents.map((agent) => (agent === lost ? { ...agent, leg: null, lost: true } : agent)) })
  // The browser may not have noticed: packets may be lost in one direction only.
  emit(turn, { kind: 'show', userId: lost.userId, state: 'sound_lost' })
  startTimer(turn, 'sound', reconnectTimeoutMs)
  return true
}

export function mediaNotRestored(turn: Turn) {
  for (const { userId, lost } of turn.call.agents) if (lost) agentHangsUp(turn, userId, 'lost')
}
