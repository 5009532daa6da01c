import { failureText } from '../sip-response.ts'
import type { EndReason } from '../voice.ts'
import { endPart, summarise } from './agent-part.ts'
import { leaveAside } from './aside.ts'
import { missedReason } from './missed.ts'
import type { HangupCause } from './record.ts'
import { rungBy } from './state.ts'
import { dismissSupervisor } from './supervise.ts'
import { ask, change, dismissAgent, enter, hangUp, isOver, note, publish, ringEnded, type Turn, trace } from './turn.ts'

/** The one way to end: every ring stops, everybody leaves, every leg is hung up, and the end is told once. */
export function finish(turn: Turn, cause: HangupCause, code?: number) {
  if (isOver(turn)) return
  const { aside, callback, customer, guests, phase, recording } = turn.call
  for (const rung of rungBy(turn.call)) ringEnded(turn, rung, 'cancelled')
  if (phase.at === 'ringing' && phase.ring.deadline !== null) ask(turn, { kind: 'queue.leave' })
  // Whoever is gone has no leg any more.
  endPart(turn, customer.leg === null && cause === 'normal_clearing' ? 'caller_hung_up' : 'disconnected')
  if (aside?.purpose === 'consult') tellFailedConsult(turn)
  if (aside) leaveAside(turn, aside)
  if (callback) ask(turn, { kind: 'callback.wanted', wish: callback, record: turn.call.record })
  note(turn, { endedAt: turn.at, hangupCause: cause, missedReason: reasonOf(turn) })
  // Their wrap-up is told before the end of the call.
  const failure = failureOf(turn, cause, code)
  for (const { userId } of turn.call.agents) dismissAgent(turn, userId, failure?.failure)
  for (const supervisor of turn.call.supervisors) dismissSupervisor(turn, supervisor)
  if (recording.is !== 'off' && recording.recId !== null) ask(turn, { kind: 'record.stop', recId: recording.recId })
  if (phase.at === 'widget' && phase.doing.is === 'voicemail' && phase.doing.recId !== null) {
    ask(turn, { kind: 'record.stop', recId: phase.doing.recId })
  }
  hangUp(turn, customer.leg)
  if (phase.at === 'passed') hangUp(turn, phase.leg)
  for (const guest of guests) hangUp(turn, guest.leg)
  const { notes } = turn.call
  enter(turn, { at: 'done' })
  change(turn, { timers: {}, aside: null, guests: [], notes: [] })
  const { hangupCause, missedReason: reason } = turn.call.record
  trace(turn, { kind: 'ended', cause: hangupCause ?? cause, missed_call_reason: reason, ...failure })
  publish(turn, 'hungup')
  if (turn.call.agent) summarise(turn)
  ask(turn, { kind: 'ended', notes }, { kind: 'rooms.close' })
}

function reasonOf({ call, at }: Turn) {
  const { direction, answeredAt, startedAt } = call.record
  if (direction !== 'inbound' || answeredAt !== null) return null
  const inMenu = call.phase.at === 'widget' && call.phase.doing.is === 'menu'
  return missedReason({ lastedMs: at - startedAt, ...call.seen, inMenu })
}

/** Asked first, and did not take over: told when the talk goes on without them, or ends. */
export function tellFailedConsult(turn: Turn) {
  const { aside } = turn.call
  if (aside?.purpose !== 'consult') return
  const isOutside = aside.to.type === 'number'
  const transferredTo = aside.to.type === 'user' ? aside.to.id : aside.firstUserId
  note(turn, {
    transferredBy: aside.by,
    transferredTo: isOutside ? null : transferredTo,
    transferredOut: isOutside,
  })
  publish(turn, 'unsuccessful_transfer')
}

/** Of a call on a real line that was placed and not completed. */
function failureOf({ call }: Turn, cause: HangupCause, code: number | undefined) {
  const { direction, answeredAt } = call.record
  const isFailed = direction === 'outbound' && answeredAt === null && cause !== 'normal_clearing'
  if (!isFailed || call.line !== 'real') return undefined
  const isRinging = call.phase.at === 'dialling' && call.phase.progress !== undefined
  if (code === undefined && cause === 'no_answer' && isRinging) return { sip_code: null, failure: 'No answer' }
  return { sip_code: code ?? null, failure: failureText(code ?? null) }
}

export function causeOf(reason: EndReason, code?: number): HangupCause {
  return (code !== undefined && causes[code]) || plainCause(reason)
}

/** RFC 3398 §8.2.6, as far as the reason alone does not say it. */
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
