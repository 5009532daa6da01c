// A conversation: hold, digits, recording, and how parties leave.
import type { EndReason, LegId } from '../voice.ts'
import { cancelConsultation, consultationLegEnded } from './consultation.ts'
import { causeOf, finish, publishFailedConsultation } from './finish.ts'
import { resume } from './hold.ts'
import { mayRecord, startNotice } from './recording-notice.ts'
import type { Agent, Guest } from './state.ts'
import {
  answerCustomer,
  dismissAgent,
  emit,
  enterPhase,
  patch,
  publishCallEvent,
  stopPlayback,
  type Turn,
} from './turn.ts'
import { resumeRecording } from './voice-agent-session.ts'

/** Connects customer and agents, after the recording announcement where one is due, and starts or resumes the recording. */
export function connectParties(turn: Turn) {
  answerCustomer(turn)
  answerCallingDevice(turn)
  if (startNotice(turn, { kind: 'connect' })) return
  stopPlayback(turn)
  enterPhase(turn, { kind: 'talking', held: false })
  resumeRecording(turn)
  joinMainRoom(turn)
}

/** The device that placed the call: the other party has answered. */
function answerCallingDevice(turn: Turn) {
  for (const agent of turn.call.agents) {
    const { unanswered, ...answered } = agent
    if (!unanswered || agent.leg === null) continue
    patch(turn, { agents: turn.call.agents.map((one) => (one === agent ? answered : one)) })
    emit(turn, { kind: 'play.stop', leg: agent.leg }, { kind: 'leg.answer', leg: agent.leg })
  }
}

/** The customer joins the room; recording starts where the Number is configured for it and the customer has not refused. */
export function joinMainRoom(turn: Turn) {
  const { customer, number, recording } = turn.call
  if (customer.leg !== null) emit(turn, { kind: 'join', room: 'main', leg: customer.leg })
  if (number?.recording && recording.kind === 'off' && customer.leg !== null && mayRecord(turn.call)) {
    patch(turn, { recording: { kind: 'on', recId: null } })
    emit(turn, { kind: 'record', what: 'recording' })
  }
}

export const agentOf = ({ call }: Turn, userId: number): Agent | undefined =>
  call.agents.find((agent) => agent.userId === userId)

/** Also ends a consultation: the target did not take over. */
export function unhold(turn: Turn) {
  const { phase, consultation } = turn.call
  if (phase.kind !== 'talking' || !phase.held) return
  resume(turn)
  publishCallEvent(turn, 'unhold')
  if (consultation?.purpose !== 'consult') return
  publishFailedConsultation(turn)
  cancelConsultation(turn)
}

/** The call ends with its last agent; in a conference the others stay. */
export function agentHangsUp(turn: Turn, userId: number, reason: EndReason = 'hangup') {
  const others = turn.call.agents.filter((agent) => agent.userId !== userId)
  const isEnough = turn.call.customer.leg === null ? others.length > 1 : others.length > 0
  if (!isEnough) return finish(turn, causeOf(reason))
  if (turn.call.consultation?.by === userId) cancelConsultation(turn)
  if (turn.call.phase.kind === 'talking' && turn.call.phase.heldBy === userId) resume(turn)
  dismissAgent(turn, userId)
  notifyRemainingAgents(turn)
}

/** No event is published when a party leaves a conference; the remaining agents are notified. */
export function notifyRemainingAgents(turn: Turn) {
  for (const { userId } of turn.call.agents) emit(turn, { kind: 'show', userId, state: 'connected' })
}

/** The caller has left a conference of two calls: it goes on with the other customer. */
function continueWith(turn: Turn, { leg, phone }: Guest) {
  patch(turn, {
    customer: { leg, open: true, phone },
    guests: turn.call.guests.filter((guest) => guest.leg !== leg),
  })
  notifyRemainingAgents(turn)
}

export function legEndedInTalk(turn: Turn, leg: LegId, reason: EndReason) {
  const { customer, agents, guests, consultation } = turn.call
  if (leg === customer.leg) {
    patch(turn, { customer: { ...customer, leg: null } })
    const heir = guests.find(({ merged }) => merged)
    if (heir && agents.length > 0) return continueWith(turn, heir)
    return finish(turn, causeOf(reason))
  }
  if (consultation?.byLeg === leg) {
    publishFailedConsultation(turn)
    return cancelConsultation(turn)
  }
  if (consultation?.leg === leg) return consultationLegEnded(turn)
  if (guests.some((guest) => guest.leg === leg)) {
    patch(turn, { guests: guests.filter((guest) => guest.leg !== leg) })
    return notifyRemainingAgents(turn)
  }
  const agent = agents.find((one) => one.leg === leg)
  if (agent) agentHangsUp(turn, agent.userId, reason)
}
