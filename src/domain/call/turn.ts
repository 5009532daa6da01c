import type { EndReason, LegId } from '../voice.ts'
import type { CallWord, Effect, RingOutcome, TraceEntry } from './events.ts'
import type { CallRecord, Participant } from './record.ts'
import { type CallState, isDone, type Phase, type TimerName } from './state.ts'

/** One step in the making: the call as it will be, and what is asked for, in order. Nothing outlives the step. */
export interface Turn {
  call: CallState
  readonly at: number
  readonly effects: Effect[]
  /** The node of the flow where the caller goes on; where it leads nowhere, the call is hung up. */
  next: { node: string | undefined } | null
}

/** The flow is walked once the phase has been left. */
export function goTo(turn: Turn, node: string | undefined) {
  turn.next = { node }
}

export function change(turn: Turn, change: Partial<CallState>) {
  turn.call = { ...turn.call, ...change }
}

export const note = (turn: Turn, facts: Partial<CallRecord>) =>
  change(turn, { record: { ...turn.call.record, ...facts } })

export const ask = (turn: Turn, ...effects: Effect[]) => turn.effects.push(...effects)

export const trace = (turn: Turn, entry: TraceEntry) => ask(turn, { kind: 'trace', entry })

/** Tells the world how the call is at this moment; of an internal call it hears nothing. */
export function publish(
  turn: Turn,
  what: CallWord,
  more: { userId?: number; external?: { to: string; caller: string } } = {},
) {
  if (turn.call.callId !== null) ask(turn, { kind: 'publish', what, record: turn.call.record, ...more })
}

export const enter = (turn: Turn, phase: Phase) => change(turn, { phase })

export const wake = (turn: Turn, name: TimerName, afterMs: number) =>
  change(turn, { timers: { ...turn.call.timers, [name]: turn.at + afterMs } })

export function forget(turn: Turn, ...names: TimerName[]) {
  const timers = { ...turn.call.timers }
  for (const name of names) delete timers[name]
  change(turn, { timers })
}

/** What the outside party hears. The line is opened at the first need: until then it only rings there. */
export function hear(
  turn: Turn,
  media: readonly string[],
  options: { loop?: boolean; bargeInOn?: string; speaker?: string } = {},
) {
  const { leg } = turn.call.customer
  if (leg === null) return
  openLine(turn)
  const { loop = false, bargeInOn, speaker } = options
  const sound = turn.call.sound + 1
  change(turn, { sound })
  ask(turn, {
    kind: 'play',
    leg,
    sound,
    media,
    loop,
    ...(bargeInOn !== undefined && { bargeInOn }),
    ...(speaker !== undefined && { speaker }),
  })
}

export function openLine(turn: Turn) {
  const { customer, record } = turn.call
  if (customer.leg === null || customer.open || record.direction !== 'inbound') return
  change(turn, { customer: { ...customer, open: true } })
  ask(turn, { kind: 'leg.answer', leg: customer.leg })
}

export function hushed(turn: Turn) {
  const { leg, open } = turn.call.customer
  change(turn, { sound: turn.call.sound + 1 })
  if (leg !== null && open) ask(turn, { kind: 'play.stop', leg })
}

export const hangUp = (turn: Turn, leg: LegId | null, reason: EndReason = 'hangup') => {
  if (leg !== null) ask(turn, { kind: 'leg.hangup', leg, reason })
}

/** Kept once, in the order in which they joined. */
export function addParticipant(turn: Turn, party: Participant) {
  const { participants } = turn.call.record
  if (!participants.some((known) => samePerson(known, party))) note(turn, { participants: [...participants, party] })
}

const samePerson = (a: Participant, b: Participant) =>
  a.kind === 'user' ? b.kind === 'user' && a.userId === b.userId : b.kind === 'external' && a.phone === b.phone

/** A person of the company becomes a party of the call. */
export function joinAgent(
  turn: Turn,
  userId: number,
  offer: { sdpOffer?: string; session?: string },
  shown: 'connected' | 'dialling' = 'connected',
) {
  change(turn, { agents: [...turn.call.agents, { userId, leg: null }] })
  addParticipant(turn, { kind: 'user', userId })
  ask(
    turn,
    { kind: 'joined', userId },
    {
      kind: 'attach',
      userId,
      sdpOffer: offer.sdpOffer ?? '',
      ...(offer.session !== undefined && { session: offer.session }),
    },
    { kind: 'show', userId, state: shown },
  )
}

/** Leaves, with their sound; their wrap-up begins here. */
export function dismissAgent(turn: Turn, userId: number, failure?: string) {
  const agent = turn.call.agents.find((one) => one.userId === userId)
  if (!agent) return
  change(turn, { agents: turn.call.agents.filter((one) => one !== agent) })
  const why = failure === undefined ? {} : { failure }
  ask(turn, { kind: 'left', userId }, { kind: 'show', userId, state: 'ended', ...why })
  hangUp(turn, agent.leg)
}

export function ringEnded(
  turn: Turn,
  rung: { userId: number; since: number },
  outcome: RingOutcome,
  why: 'answered_elsewhere' | 'cancelled' | 'timeout' = 'cancelled',
) {
  const seconds = Math.round((turn.at - rung.since) / 1_000)
  trace(turn, { kind: 'rang', user_id: rung.userId, outcome, seconds })
  ask(turn, { kind: 'ring.ended', userId: rung.userId, outcome })
  if (outcome !== 'answered') ask(turn, { kind: 'ring.stop', userId: rung.userId, why })
}

/** The offer to be called back comes first, the music goes on after it. */
export function hearWaiting(turn: Turn, offer = true) {
  const { media, callbackNode } = turn.call.waiting
  if (offer && callbackNode !== null) return hear(turn, ['callback_offer'])
  hear(turn, [media ?? 'ringing_tone'], { loop: true })
}

/** Priority of the Number: 1 before 0 and null. */
export const rankOf = ({ call }: Turn): number => (call.number?.priority === 1 ? 0 : 1)

export const isOver = (turn: Turn) => isDone(turn.call)
