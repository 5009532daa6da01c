// Two or more people talk: hold, digits, recording, and everybody's way out.
import type { EndReason, LegId } from '../voice.ts'
import { takeUpRecording } from './agent-part.ts'
import { asideLegEnded, dropAside } from './aside.ts'
import { causeOf, finish, tellFailedConsult } from './finish.ts'
import { resume } from './hold.ts'
import type { Agent } from './state.ts'
import { ask, change, dismissAgent, enter, hushed, openLine, publish, type Turn } from './turn.ts'

/** From now on customer and agents hear each other; what is to be recorded is. */
export function talk(turn: Turn) {
  openLine(turn)
  hushed(turn)
  enter(turn, { at: 'talking', held: false })
  takeUpRecording(turn)
  meet(turn)
}

/** The customer is in the room, and what happens there is recorded where the Number says so. */
export function meet(turn: Turn) {
  const { customer, number, recording } = turn.call
  if (customer.leg !== null) ask(turn, { kind: 'join', room: 'main', leg: customer.leg })
  if (number?.recording && recording.is === 'off' && customer.leg !== null) {
    change(turn, { recording: { is: 'on', recId: null } })
    ask(turn, { kind: 'record', what: 'recording' })
  }
}

export const agentOf = ({ call }: Turn, userId: number): Agent | undefined =>
  call.agents.find((agent) => agent.userId === userId)

/** Also ends a consultation: the target did not take over. */
export function unhold(turn: Turn) {
  const { phase, aside } = turn.call
  if (phase.at !== 'talking' || !phase.held) return
  resume(turn)
  publish(turn, 'unhold')
  if (aside?.purpose !== 'consult') return
  tellFailedConsult(turn)
  dropAside(turn)
}

/** The talk ends with its last person of ours; in a conference the others stay. */
export function agentHangsUp(turn: Turn, userId: number, reason: EndReason = 'hangup') {
  const others = turn.call.agents.filter((agent) => agent.userId !== userId)
  const isEnough = turn.call.customer.leg === null ? others.length > 1 : others.length > 0
  if (!isEnough) return finish(turn, causeOf(reason))
  if (turn.call.aside?.by === userId) dropAside(turn)
  dismissAgent(turn, userId)
  showWhoIsLeft(turn)
}

/** Nothing is told to the world when somebody leaves a conference; those who stay see it. */
function showWhoIsLeft(turn: Turn) {
  for (const { userId } of turn.call.agents) ask(turn, { kind: 'show', userId, state: 'connected' })
}

export function legEndedInTalk(turn: Turn, leg: LegId, reason: EndReason) {
  const { customer, agents, guests, aside } = turn.call
  if (leg === customer.leg) {
    change(turn, { customer: { ...customer, leg: null } })
    return finish(turn, causeOf(reason))
  }
  if (aside?.leg === leg) return asideLegEnded(turn)
  if (guests.some((guest) => guest.leg === leg)) {
    change(turn, { guests: guests.filter((guest) => guest.leg !== leg) })
    return showWhoIsLeft(turn)
  }
  const agent = agents.find((one) => one.leg === leg)
  if (agent) agentHangsUp(turn, agent.userId, reason)
}
