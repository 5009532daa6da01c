// A call that is given to an outside number: by a forward widget, or by a transfer.
import { widgetAt } from '../flow/document.ts'
import type { DialOrigin } from '../toll.ts'
import type { EndReason, LegId } from '../voice.ts'
import { takeUpRecording } from './agent-part.ts'
import { causeOf, finish } from './finish.ts'
import type { Phase } from './state.ts'
import {
  addParticipant,
  ask,
  change,
  enter,
  goTo,
  hear,
  hushed,
  note,
  openLine,
  publish,
  type Turn,
  trace,
} from './turn.ts'

export interface Passing {
  by: number | null
  /** The agent who leaves the call with it; null when none was on it. */
  giver?: number | null
  /** The forward widget; null for a transfer. */
  node: string | null
  from: string
  timeoutMs: number
  origin: DialOrigin
}

export function passOut(turn: Turn, phone: string, { by, giver = by, node, from, timeoutMs, origin }: Passing) {
  note(turn, { transferredBy: by, transferredTo: null, transferredOut: true })
  if (giver !== null) ask(turn, { kind: 'gave', userId: giver })
  trace(turn, { kind: 'transfer', by, to: phone, id: null, strategy: null })
  publish(turn, 'transferred')
  publish(turn, 'external_transferred', { external: { to: phone, caller: turn.call.record.external } })
  enter(turn, { at: 'passed', phone, leg: null, joined: false, node })
  hear(turn, ['ringing_tone'], { loop: true })
  const line = turn.call.number?.digits ?? from
  ask(turn, { kind: 'dial', role: 'passed', to: phone, from, line, userId: by, origin, timeoutMs })
}

type Passed = Extract<Phase, { at: 'passed' }>

export function passedAnswered(turn: Turn, passed: Passed, leg: LegId) {
  if (leg !== passed.leg || passed.joined) return
  openLine(turn)
  hushed(turn)
  enter(turn, { ...passed, joined: true })
  // Answered outside: no agent has it, but it was not missed.
  if (turn.call.record.answeredAt === null) note(turn, { answeredAt: turn.at })
  takeUpRecording(turn)
  addParticipant(turn, { kind: 'external', phone: passed.phone })
  const { customer } = turn.call
  ask(turn, { kind: 'join', room: 'main', leg })
  if (customer.leg !== null) ask(turn, { kind: 'join', room: 'main', leg: customer.leg })
}

export function passedEnded(turn: Turn, passed: Passed, reason: EndReason) {
  if (passed.joined) return finish(turn, causeOf(reason))
  enter(turn, { ...passed, leg: null })
  publish(turn, 'unsuccessful_transfer')
  hushed(turn)
  goOnUnanswered(turn, passed.node)
}

/** The way of "no one answers": of the forward widget, or of the ring step the call came from. */
export function goOnUnanswered(turn: Turn, node: string | null) {
  const { number, ringNode } = turn.call
  const from = node ?? ringNode
  const widget = number && from !== null ? widgetAt(number.flow, from) : undefined
  const isRing = widget?.type === 'ring_to' || widget?.type === 'forward'
  const to = isRing ? widget.branches.no_answer : undefined
  trace(turn, { kind: 'no_answer', node: from, goes_to: to ?? null })
  change(turn, { waiting: { ...turn.call.waiting, callbackNode: null } })
  goTo(turn, to)
}
