// Call progress before the answer, and hold by the far end.
import type { LegId } from '../voice.ts'
import type { CallState, Consultation } from './state.ts'
import { emit, enterPhase, patch, type Turn, trace } from './turn.ts'

const lowestRinging = 180

/** Ringback on 180, early media as soon as a response carries SDP. */
export function progressed(turn: Turn, { leg, code, early = false }: { leg: LegId; code: number; early?: boolean }) {
  const { phase, customer, agents, line, consultation } = turn.call
  // Simulated lines have no progress tones.
  if (line !== 'real' || code < lowestRinging) return
  if (consultation?.leg === leg) return consultationProgressed(turn, consultation, { leg, code, early })
  if (phase.kind !== 'dialling' || leg !== customer.leg) return
  if (phase.progress === 'early' || (phase.progress === 'tone' && !early)) return
  trace(turn, { kind: 'progress', code, early_media: early })
  if (early) {
    stopRingback(turn)
    emit(turn, { kind: 'join', room: 'main', leg })
  } else for (const agent of agents) if (agent.leg !== null) playRingback(turn, agent.leg)
  enterPhase(turn, { kind: 'dialling', progress: early ? 'early' : 'tone' })
}

/** Not playback to the customer: its end has no meaning for the call. */
export const noSound = -1

export const playRingback = (turn: Turn, leg: LegId) =>
  emit(turn, { kind: 'play', leg, sound: noSound, media: ['ringing_tone'], loop: true })

export function stopRingback(turn: Turn) {
  const { phase, agents } = turn.call
  const hasTone = phase.kind === 'dialling' && phase.progress === 'tone'
  // A device that places a call hears ringback from the start.
  for (const { leg, unanswered } of agents)
    if (leg !== null && (hasTone || unanswered)) emit(turn, { kind: 'play.stop', leg })
}

/**
 * Played to the consulting agent, not to the customer on hold. In a conference the conversation continues meanwhile.
 */
function consultationProgressed(
  turn: Turn,
  consultation: Consultation,
  { leg, code, early }: { leg: LegId; code: number; early: boolean },
) {
  if (consultation.purpose !== 'consult' || consultation.joined || consultation.progress === 'early') return
  if (consultation.progress === 'tone' && !early) return
  trace(turn, { kind: 'progress', code, early_media: early })
  if (!early) return consultationRings(turn, consultation)
  stopConsultationTone(turn, consultation)
  const agentLeg = consultingLeg(turn.call, consultation)
  emit(turn, { kind: 'join', room: 'consultation', leg })
  if (agentLeg !== null) emit(turn, { kind: 'join', room: 'consultation', leg: agentLeg })
  patch(turn, { consultation: { ...consultation, progress: 'early' } })
}

export function consultationRings(turn: Turn, consultation: Consultation) {
  if (turn.call.line !== 'real' || consultation.purpose !== 'consult') return
  const leg = consultingLeg(turn.call, consultation)
  if (leg !== null) playRingback(turn, leg)
  patch(turn, { consultation: { ...consultation, progress: 'tone' } })
}

/** The consultation without ringback, once the other party has answered, refused or is no longer needed. */
export function stopConsultationTone(turn: Turn, { progress, ...consultation }: Consultation): Consultation {
  const leg = consultingLeg(turn.call, consultation)
  const hasTone = progress === 'tone' || consultation.byUnanswered
  if (hasTone && leg !== null) emit(turn, { kind: 'play.stop', leg })
  return consultation
}

/** The leg on which the consulting agent hears the other party. */
export const consultingLeg = ({ agents }: CallState, { by, byLeg }: Pick<Consultation, 'by' | 'byLeg'>): LegId | null =>
  byLeg ?? agents.find((agent) => agent.userId === by)?.leg ?? null

export function handleRemoteHold(turn: Turn, { leg, held }: { leg: LegId; held: boolean }) {
  const { customer, agents } = turn.call
  if (leg !== customer.leg || (customer.holds ?? false) === held) return
  patch(turn, { customer: { ...customer, holds: held } })
  trace(turn, { kind: 'remote_hold', held })
  for (const { userId } of agents) emit(turn, { kind: 'show', userId, state: held ? 'remote_hold' : 'remote_unhold' })
}
