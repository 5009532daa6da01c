// A call forwarded to an external number, by a forward widget or by a transfer.
import { widgetAt } from '../flow/document.ts'
import type { DialOrigin } from '../toll.ts'
import type { EndReason, LegId } from '../voice.ts'
import { causeOf, finish } from './finish.ts'
import type { CallPhase } from './state.ts'
import {
  addParticipant,
  answerCustomer,
  emit,
  enterPhase,
  goTo,
  patch,
  patchRecord,
  play,
  publishCallEvent,
  stopPlayback,
  type Turn,
  trace,
} from './turn.ts'
import { resumeRecording } from './voice-agent-session.ts'

export interface ForwardOptions {
  by: number | null
  /** The agent who leaves the call; null when none was on it. */
  giver?: number | null
  /** The forward widget; null for a transfer. */
  node: string | null
  from: string
  timeoutMs: number
  origin: DialOrigin
}

export function forwardCall(
  turn: Turn,
  phone: string,
  { by, giver = by, node, from, timeoutMs, origin }: ForwardOptions,
) {
  patchRecord(turn, { transferredBy: by, transferredTo: null, transferredOut: true })
  if (giver !== null) emit(turn, { kind: 'transfer.sent', userId: giver })
  trace(turn, { kind: 'transfer', by, to: phone, id: null, strategy: null })
  publishCallEvent(turn, 'transferred')
  publishCallEvent(turn, 'external_transferred', { external: { to: phone, caller: turn.call.record.external } })
  enterPhase(turn, { kind: 'forwarded', phone, leg: null, joined: false, node })
  play(turn, ['ringing_tone'], { loop: true })
  const line = turn.call.number?.digits ?? from
  emit(turn, { kind: 'dial', role: 'forwarded', to: phone, from, line, userId: by, origin, timeoutMs })
}

type Forwarded = Extract<CallPhase, { kind: 'forwarded' }>

export function forwardAnswered(turn: Turn, forwarded: Forwarded, leg: LegId) {
  if (leg !== forwarded.leg || forwarded.joined) return
  answerCustomer(turn)
  stopPlayback(turn)
  enterPhase(turn, { ...forwarded, joined: true })
  // Answered outside: no agent has it, but it was not missed.
  if (turn.call.record.answeredAt === null) patchRecord(turn, { answeredAt: turn.at })
  resumeRecording(turn)
  addParticipant(turn, { kind: 'external', phone: forwarded.phone })
  const { customer } = turn.call
  emit(turn, { kind: 'join', room: 'main', leg })
  if (customer.leg !== null) emit(turn, { kind: 'join', room: 'main', leg: customer.leg })
}

export function forwardEnded(turn: Turn, forwarded: Forwarded, reason: EndReason) {
  if (forwarded.joined) return finish(turn, causeOf(reason))
  enterPhase(turn, { ...forwarded, leg: null })
  publishCallEvent(turn, 'unsuccessful_transfer')
  stopPlayback(turn)
  continueUnanswered(turn, forwarded.node)
}

/** Continues on the no_answer branch of the forward widget, or of the ring step the call came from. */
export function continueUnanswered(turn: Turn, node: string | null) {
  const { number, ringNode } = turn.call
  const from = node ?? ringNode
  const widget = number && from !== null ? widgetAt(number.flow, from) : undefined
  const isRing = widget?.type === 'ring_to' || widget?.type === 'forward'
  const to = isRing ? widget.branches.no_answer : undefined
  trace(turn, { kind: 'no_answer', node: from, goes_to: to ?? null })
  patch(turn, { waiting: { ...turn.call.waiting, callbackNode: null } })
  goTo(turn, to)
}
