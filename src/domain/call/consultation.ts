// A party consulted before a warm transfer, or invited to a conference: rung or dialled apart from the conversation,
// without events. A consultation behaves like an internal call.

import type { LegId } from '../voice.ts'
import { showCardsTo } from './cards.ts'
import type { CallCommand } from './commands.ts'
import type { Found } from './events.ts'
import { hold, resume } from './hold.ts'
import { consultationRings, consultingLeg, stopConsultationTone } from './progress.ts'
import type { Consultation } from './state.ts'
import {
  addParticipant,
  attachAgent,
  cancelTimers,
  dismissAgent,
  emit,
  enterPhase,
  hangUp,
  joinAgent,
  patch,
  patchRecord,
  publishCallEvent,
  ringEnded,
  startTimer,
  type Turn,
  trace,
} from './turn.ts'

const ringMs = 30_000

export function startConsultation(
  turn: Turn,
  { leg: byLeg, ...params }: Pick<Consultation, 'purpose' | 'by' | 'to' | 'firstUserId'> & { leg?: LegId },
) {
  if (params.purpose === 'consult') hold(turn)
  const device = byLeg === undefined ? {} : { byLeg, byUnanswered: true as const }
  patch(turn, {
    consultation: { ...params, ...device, rung: [], leg: null, joined: false, userId: null, failed: false },
  })
  if (byLeg !== undefined) emit(turn, { kind: 'leg.early', leg: byLeg })
  if (params.to.type === 'number') {
    const from = turn.call.number?.digits ?? ''
    return void emit(turn, {
      kind: 'dial',
      role: 'consultation',
      to: params.to.number,
      from,
      line: from,
      userId: params.by,
      origin: params.purpose === 'consult' ? 'transfer' : 'conference',
      timeoutMs: ringMs,
    })
  }
  trace(turn, { kind: 'ring', node: null, purpose: params.purpose, strategy: 'simultaneous', targets: [params.to] })
  const except = turn.call.agents.map(({ userId }) => userId)
  emit(turn, {
    kind: 'find.agents',
    targets: [params.to],
    strategy: 'simultaneous',
    max: 50,
    except,
    consultation: true,
  })
}

export function consultationFound(turn: Turn, consultation: Consultation, people: readonly Found[]) {
  if (people.length === 0) return consultationFailed(turn, { neverRung: true })
  const ringing = { ...consultation, rung: people.map((person) => ({ ...person, since: turn.at })) }
  patch(turn, { consultation: ringing })
  consultationRings(turn, ringing)
  startTimer(turn, 'consultation', ringMs)
  for (const { userId, teamId } of people) {
    // Reports have no origin of their own for an invitation: it counts as a transfer.
    emit(
      turn,
      { kind: 'ring.started', userId, teamId, origin: 'TRANSFER' },
      { kind: 'ring', userId, purpose: consultation.purpose },
    )
    showCardsTo(turn, userId)
  }
}

export function consultationAnswered(
  turn: Turn,
  consultation: Consultation,
  answer: Extract<CallCommand, { kind: 'answer' }>,
) {
  cancelTimers(turn, 'consultation')
  for (const rung of consultation.rung) {
    if (rung.userId === answer.by) ringEnded(turn, rung, 'answered', 'cancelled', answer.leg)
    else ringEnded(turn, rung, 'cancelled', 'answered_elsewhere')
  }
  emit(turn, { kind: 'show', userId: consultation.by, state: 'reached' })
  if (consultation.purpose === 'conference') {
    patch(turn, { consultation: null })
    return joinAgent(turn, answer.by, answer)
  }
  // Not a participant of the call yet: the customer does not hear the consultation.
  patch(turn, {
    consultation: { ...stopConsultationTone(turn, consultation), rung: [], joined: true, userId: answer.by },
  })
  emit(turn, { kind: 'joined', userId: answer.by, consultation: true })
  attachAgent(turn, answer.by, answer)
  emit(turn, { kind: 'show', userId: answer.by, state: 'consulting' })
  joinConsultation(turn)
}

function joinConsultation(turn: Turn) {
  const { consultation } = turn.call
  if (!consultation) return
  const { byUnanswered, ...answered } = consultation
  const leg = consultingLeg(turn.call, consultation)
  if (byUnanswered && leg !== null) {
    patch(turn, { consultation: answered })
    emit(turn, { kind: 'play.stop', leg }, { kind: 'leg.answer', leg })
  }
  if (leg !== null) emit(turn, { kind: 'join', room: 'consultation', leg })
}

export function consultationRefused(
  turn: Turn,
  consultation: Consultation,
  userId: number,
  outcome: 'declined' | 'no_answer',
) {
  const rung = consultation.rung.find((one) => one.userId === userId)
  if (!rung) return
  ringEnded(turn, rung, outcome)
  const left = { ...consultation, rung: consultation.rung.filter((one) => one !== rung) }
  patch(turn, { consultation: left })
  if (left.rung.length === 0) consultationFailed(turn)
}

export function consultationTimedOut(turn: Turn, consultation: Consultation) {
  for (const rung of consultation.rung) ringEnded(turn, rung, 'no_answer', 'timeout')
  patch(turn, { consultation: { ...consultation, rung: [] } })
  consultationFailed(turn)
}

/** The agent is notified and decides: an invitation is over, a consultation ends when the agent resumes the call. */
export function consultationFailed(turn: Turn, why: Pick<Consultation, 'neverRung'> = {}) {
  const { consultation } = turn.call
  if (!consultation) return
  cancelTimers(turn, 'consultation')
  emit(turn, { kind: 'show', userId: consultation.by, state: why.neverRung ? 'not_available' : 'not_reached' })
  if (consultation.purpose === 'conference') return patch(turn, { consultation: null })
  const { byLeg: _byLeg, byUnanswered: _unanswered, ...over } = stopConsultationTone(turn, consultation)
  patch(turn, { consultation: { ...over, rung: [], leg: null, joined: false, userId: null, failed: true, ...why } })
  backToMain(turn, consultation)
}

export function consultationLegAnswered(turn: Turn, consultation: Consultation, leg: LegId) {
  if (consultation.to.type !== 'number') return
  emit(turn, { kind: 'show', userId: consultation.by, state: 'reached' })
  if (consultation.purpose === 'conference') {
    patch(turn, { consultation: null, guests: [...turn.call.guests, { leg, phone: consultation.to.number }] })
    addParticipant(turn, { kind: 'external', phone: consultation.to.number })
    return void emit(turn, { kind: 'join', room: 'main', leg })
  }
  patch(turn, { consultation: { ...stopConsultationTone(turn, consultation), joined: true } })
  emit(turn, { kind: 'join', room: 'consultation', leg })
  joinConsultation(turn)
}

export function consultationLegEnded(turn: Turn) {
  const { consultation } = turn.call
  if (!consultation) return
  leaveConsultation(turn, consultation)
  consultationFailed(turn)
}

export function leaveConsultation(turn: Turn, { userId, leg, byLeg }: Consultation) {
  hangUp(turn, byLeg ?? null)
  if (userId !== null)
    emit(turn, { kind: 'left', userId, consultation: true }, { kind: 'show', userId, state: 'ended' })
  hangUp(turn, leg)
}

/** Disconnects the consulted or ringing party. */
export function cancelConsultation(turn: Turn) {
  const { consultation } = turn.call
  if (!consultation) return
  cancelTimers(turn, 'consultation')
  for (const rung of consultation.rung) ringEnded(turn, rung, 'cancelled')
  leaveConsultation(turn, consultation)
  stopConsultationTone(turn, consultation)
  patch(turn, { consultation: null })
  backToMain(turn, consultation)
}

function backToMain(turn: Turn, { by, byLeg }: Consultation) {
  // The first call of the device stayed where it was.
  if (byLeg !== undefined) return hangUp(turn, byLeg)
  const leg = turn.call.agents.find((agent) => agent.userId === by)?.leg ?? null
  if (leg !== null) emit(turn, { kind: 'join', room: 'main', leg })
}

/** The consulted party takes over the call and the transferring agent leaves. */
export function completeTransfer(turn: Turn, consultation: Consultation) {
  const { by, to, userId, leg, device, byLeg } = consultation
  resume(turn)
  hangUp(turn, byLeg ?? null)
  patch(turn, { consultation: null })
  if (to.type === 'number') {
    patchRecord(turn, { transferredBy: by, transferredTo: null, transferredOut: true })
    emit(turn, { kind: 'transfer.sent', userId: by })
    trace(turn, { kind: 'transfer', by, to: to.number, id: null, strategy: null })
    publishCallEvent(turn, 'transferred')
    publishCallEvent(turn, 'external_transferred', { external: { to: to.number, caller: turn.call.record.external } })
    addParticipant(turn, { kind: 'external', phone: to.number })
    for (const agent of turn.call.agents) dismissAgent(turn, agent.userId)
    if (leg !== null) emit(turn, { kind: 'join', room: 'main', leg })
    return enterPhase(turn, { kind: 'forwarded', phone: to.number, leg, joined: true, node: null })
  }
  if (userId === null) return
  const transferredTo = to.type === 'user' ? to.id : consultation.firstUserId
  patchRecord(turn, { transferredBy: by, transferredTo, transferredOut: false })
  emit(turn, { kind: 'transfer.sent', userId: by }, { kind: 'transfer.received', userId })
  trace(turn, { kind: 'transfer', by, to: to.type, id: to.id, strategy: null })
  trace(turn, { kind: 'answered', user_id: userId })
  patch(turn, { agents: [...turn.call.agents, { userId, leg, ...(device && { device }) }] })
  addParticipant(turn, { kind: 'user', userId })
  publishCallEvent(turn, 'transferred')
  patchRecord(turn, { userId, assignedTo: userId })
  publishCallEvent(turn, 'assigned')
  if (leg !== null) emit(turn, { kind: 'join', room: 'main', leg })
  emit(turn, { kind: 'show', userId, state: 'connected' })
  dismissAgent(turn, by)
}
