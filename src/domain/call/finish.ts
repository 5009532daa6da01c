import { failureText } from '../sip-response.ts'
import type { EndReason } from '../voice.ts'
import { leaveConsultation } from './consultation.ts'
import { missedReason } from './missed.ts'
import type { HangupCause } from './record.ts'
import { rungBy } from './state.ts'
import { dismissSupervisor } from './supervise.ts'
import {
  dismissAgent,
  emit,
  enterPhase,
  hangUp,
  isOver,
  patch,
  patchRecord,
  publishCallEvent,
  ringEnded,
  type Turn,
  trace,
} from './turn.ts'
import { endVoiceAgent, summarizeVoiceAgent } from './voice-agent-session.ts'

/** The only way a call ends: all rings stop, all parties leave, all legs are hung up, and the end is published once. */
export function finish(turn: Turn, cause: HangupCause, code?: number) {
  if (isOver(turn)) return
  const { consultation, callback, customer, guests, phase, recording } = turn.call
  for (const rung of rungBy(turn.call)) ringEnded(turn, rung, 'cancelled')
  if (phase.kind === 'ringing' && phase.ring.deadline !== null) emit(turn, { kind: 'queue.leave' })
  // A caller who hung up has no leg.
  endVoiceAgent(turn, customer.leg === null && cause === 'normal_clearing' ? 'caller_hung_up' : 'disconnected')
  if (consultation?.purpose === 'consult') publishFailedConsultation(turn)
  if (consultation) leaveConsultation(turn, consultation)
  if (callback) emit(turn, { kind: 'callback.requested', params: callback, record: turn.call.record })
  patchRecord(turn, { endedAt: turn.at, hangupCause: cause, missedReason: reasonOf(turn) })
  // The wrap-up is published before the end of the call.
  const failure = failureOf(turn, cause, code)
  for (const { userId } of turn.call.agents) dismissAgent(turn, userId, failure?.failure)
  for (const supervisor of turn.call.supervisors) dismissSupervisor(turn, supervisor)
  if (recording.kind !== 'off' && recording.recId !== null) emit(turn, { kind: 'record.stop', recId: recording.recId })
  if (phase.kind === 'widget' && phase.activity.kind === 'voicemail' && phase.activity.recId !== null) {
    emit(turn, { kind: 'record.stop', recId: phase.activity.recId })
  }
  hangUp(turn, customer.leg)
  if (phase.kind === 'forwarded') hangUp(turn, phase.leg)
  for (const guest of guests) hangUp(turn, guest.leg)
  const { notes } = turn.call
  enterPhase(turn, { kind: 'done' })
  patch(turn, { timers: {}, consultation: null, guests: [], notes: [] })
  const { hangupCause, missedReason: reason } = turn.call.record
  trace(turn, { kind: 'ended', cause: hangupCause ?? cause, missed_call_reason: reason, ...failure })
  publishCallEvent(turn, 'hungup')
  if (turn.call.voiceAgent) summarizeVoiceAgent(turn)
  emit(turn, { kind: 'ended', notes }, { kind: 'rooms.close' })
}

function reasonOf({ call, at }: Turn) {
  const { direction, answeredAt, startedAt } = call.record
  if (direction !== 'inbound' || answeredAt !== null) return null
  const inMenu = call.phase.kind === 'widget' && call.phase.activity.kind === 'menu'
  return missedReason({ lastedMs: at - startedAt, ...call.seen, inMenu })
}

/** A consulted party did not take over: published when the agent resumes the call, or it ends. */
export function publishFailedConsultation(turn: Turn) {
  const { consultation } = turn.call
  if (consultation?.purpose !== 'consult') return
  const isOutside = consultation.to.type === 'number'
  const transferredTo = consultation.to.type === 'user' ? consultation.to.id : consultation.firstUserId
  patchRecord(turn, {
    transferredBy: consultation.by,
    transferredTo: isOutside ? null : transferredTo,
    transferredOut: isOutside,
  })
  publishCallEvent(turn, 'unsuccessful_transfer')
}

/** For an outbound call on a real line that was not completed. */
function failureOf({ call }: Turn, cause: HangupCause, code: number | undefined) {
  const { direction, answeredAt } = call.record
  const isFailed = direction === 'outbound' && answeredAt === null && cause !== 'normal_clearing'
  if (!isFailed || call.line !== 'real') return undefined
  const isRinging = call.phase.kind === 'dialling' && call.phase.progress !== undefined
  if (code === undefined && cause === 'no_answer' && isRinging) return { sip_code: null, failure: 'No answer' }
  return { sip_code: code ?? null, failure: failureText(code ?? null) }
}

export function causeOf(reason: EndReason, code?: number): HangupCause {
  return (code !== undefined && causes[code]) || plainCause(reason)
}

/** RFC 3398 §8.2.6, where the end reason alone is not specific. */
const causes: Partial<Record<number, HangupCause>> = {
  404: 'unallocated_number',
  410: 'unallocated_number',
  604: 'unallocated_number',
  484: 'invalid_number_format',
  488: 'incompatible_destination',
  606: 'incompatible_destination',
  500: 'service_unavailable',
  502: 'service_unavailable',
  503: 'service_unavailable',
  504: 'service_unavailable',
}

function plainCause(reason: EndReason): HangupCause {
  switch (reason) {
    case 'hangup':
    case 'cancelled':
      return 'normal_clearing'
    case 'busy':
      return 'user_busy'
    case 'no_answer':
      return 'no_answer'
    case 'rejected':
      return 'call_rejected'
    case 'failed':
    case 'lost':
      return 'failure'
  }
}
