import type { EndReason, LegId } from '../voice.ts'
import type { CallEventName, Effect, RingOutcome, TraceEntry } from './events.ts'
import type { CallParticipant, CallRecord } from './record.ts'
import { type CallPhase, type CallState, isDone, type Rung, type TimerName } from './state.ts'

/** The context of one step: the next state and the requested effects, in order. It does not outlive the step. */
export interface Turn {
  call: CallState
  readonly at: number
  readonly effects: Effect[]
  /** The flow node to continue with; without a node, the call is hung up. */
  next: { node: string | undefined } | null
}

/** The flow continues once the current phase has been left. */
export function goTo(turn: Turn, node: string | undefined) {
  turn.next = { node }
}

export function patch(turn: Turn, changes: Partial<CallState>) {
  turn.call = { ...turn.call, ...changes }
}

export const patchRecord = (turn: Turn, facts: Partial<CallRecord>) =>
  patch(turn, { record: { ...turn.call.record, ...facts } })

export const emit = (turn: Turn, ...effects: Effect[]) => turn.effects.push(...effects)

export const trace = (turn: Turn, entry: TraceEntry) => emit(turn, { kind: 'trace', entry })

/** Publishes the current record of the call; internal calls publish nothing. */
export function publishCallEvent(
  turn: Turn,
  event: CallEventName,
  more: { userId?: number; external?: { to: string; caller: string } } = {},
) {
  if (turn.call.callId !== null) emit(turn, { kind: 'publish', event, record: turn.call.record, ...more })
}

export const enterPhase = (turn: Turn, phase: CallPhase) => patch(turn, { phase })

export const startTimer = (turn: Turn, name: TimerName, afterMs: number) =>
  patch(turn, { timers: { ...turn.call.timers, [name]: turn.at + afterMs } })

export function cancelTimers(turn: Turn, ...names: TimerName[]) {
  const timers = { ...turn.call.timers }
  for (const name of names) delete timers[name]
  patch(turn, { timers })
}

/** Plays media to the external party. The first playback answers the leg; until then it only rings. */
export function play(
  turn: Turn,
  media: readonly string[],
  options: { loop?: boolean; bargeInOn?: string; speaker?: string } = {},
) {
  const { leg } = turn.call.customer
  if (leg === null) return
  answerCustomer(turn)
  const { loop = false, bargeInOn, speaker } = options
  const sound = turn.call.sound + 1
  patch(turn, { sound })
  emit(turn, {
    kind: 'play',
    leg,
    sound,
    media,
    loop,
    ...(bargeInOn !== undefined && { bargeInOn }),
    ...(speaker !== undefined && { speaker }),
  })
}

export function answerCustomer(turn: Turn) {
  const { customer, record } = turn.call
  if (customer.leg === null || customer.open || record.direction !== 'inbound') return
  patch(turn, { customer: { ...customer, open: true } })
  emit(turn, { kind: 'leg.answer', leg: customer.leg })
}

export function stopPlayback(turn: Turn) {
  const { leg, open } = turn.call.customer
  patch(turn, { sound: turn.call.sound + 1 })
  if (leg !== null && open) emit(turn, { kind: 'play.stop', leg })
}

export const hangUp = (turn: Turn, leg: LegId | null, reason: EndReason | 'answered_elsewhere' = 'hangup') => {
  if (leg !== null) emit(turn, { kind: 'leg.hangup', leg, reason })
}

/** Without duplicates, in the order in which they joined. */
export function addParticipant(turn: Turn, party: CallParticipant) {
  const { participants } = turn.call.record
  if (!participants.some((known) => samePerson(known, party)))
    patchRecord(turn, { participants: [...participants, party] })
}

const samePerson = (a: CallParticipant, b: CallParticipant) =>
  a.kind === 'user' ? b.kind === 'user' && a.userId === b.userId : b.kind === 'external' && a.phone === b.phone

/** Adds a user as a party of the call. */
export function joinAgent(
  turn: Turn,
  userId: number,
  offer: AgentOffer,
  shown: 'connected' | 'dialling' = 'connected',
) {
  patch(turn, { agents: [...turn.call.agents, { userId, leg: null }] })
  addParticipant(turn, { kind: 'user', userId })
  emit(turn, { kind: 'joined', userId })
  attachAgent(turn, userId, offer)
  emit(turn, { kind: 'show', userId, state: shown })
}

export interface AgentOffer {
  sdpOffer?: string
  session?: string
  leg?: LegId
}

/** The leg of a device exists; that of a browser is created with its offer. */
export function attachAgent(turn: Turn, userId: number, { sdpOffer = '', session, leg }: AgentOffer) {
  if (leg !== undefined) return
  emit(turn, { kind: 'attach', userId, sdpOffer, ...(session !== undefined && { session }) })
}

/** Removes the user and their leg; wrap-up starts here. */
export function dismissAgent(turn: Turn, userId: number, failure?: string) {
  const agent = turn.call.agents.find((one) => one.userId === userId)
  if (!agent) return
  patch(turn, { agents: turn.call.agents.filter((one) => one !== agent) })
  const why = failure === undefined ? {} : { failure }
  emit(turn, { kind: 'left', userId }, { kind: 'show', userId, state: 'ended', ...why })
  hangUp(turn, agent.leg)
}

export function ringEnded(
  turn: Turn,
  rung: Pick<Rung, 'userId' | 'since' | 'legs'>,
  outcome: RingOutcome,
  why: 'answered_elsewhere' | 'cancelled' | 'timeout' = 'cancelled',
  answeredBy?: LegId,
) {
  const seconds = Math.round((turn.at - rung.since) / 1_000)
  trace(turn, { kind: 'rang', user_id: rung.userId, outcome, seconds })
  emit(turn, { kind: 'ring.ended', userId: rung.userId, outcome })
  // The phone apps of a user who has answered, on whichever device, show the call.
  if (outcome !== 'answered') emit(turn, { kind: 'ring.stop', userId: rung.userId, why })
  const isElsewhere = outcome === 'answered' || why === 'answered_elsewhere'
  for (const { leg } of rung.legs ?? []) {
    if (leg !== answeredBy) hangUp(turn, leg, isElsewhere ? 'answered_elsewhere' : 'cancelled')
  }
}

/** The callback offer first, then the music. */
export function playWaiting(turn: Turn, offer = true) {
  const { media, callbackNode } = turn.call.waiting
  if (offer && callbackNode !== null) return play(turn, ['callback_offer'])
  play(turn, [media ?? 'ringing_tone'], { loop: true })
}

/** Queue rank by priority of the Number: 1 before 0 and null. */
export const rankOf = ({ call }: Turn): number => (call.number?.priority === 1 ? 0 : 1)

export const isOver = (turn: Turn) => isDone(turn.call)
