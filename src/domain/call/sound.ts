// A browser that loses its sound in the middle of a call: whoever reloads the page comes back within seconds.
import type { LegId } from '../voice.ts'
import { agentHangsUp } from './talking.ts'
import { ask, change, type Turn, wake } from './turn.ts'

const patienceMs = 20_000

/** True when the leg was one of our people's, who is waited for. */
export function soundLost(turn: Turn, leg: LegId): boolean {
  const { agents } = turn.call
  const lost = agents.find((agent) => agent.leg === leg)
  if (!lost) return false
  change(turn, { agents: agents.map((agent) => (agent === lost ? { ...agent, leg: null, lost: true } : agent)) })
  // A browser may still believe that all is well: packets may be lost one way only.
  ask(turn, { kind: 'show', userId: lost.userId, state: 'sound_lost' })
  wake(turn, 'sound', patienceMs)
  return true
}

export function soundStayedAway(turn: Turn) {
  for (const { userId, lost } of turn.call.agents) if (lost) agentHangsUp(turn, userId, 'lost')
}
