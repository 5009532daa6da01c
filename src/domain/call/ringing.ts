// Finds and rings users: for a ring step, a transfer, or an internal call.
import { showCardsTo } from './cards.ts'
import type { CallCommand } from './commands.ts'
import type { Considered, Found } from './events.ts'
import { finish } from './finish.ts'
import { continueUnanswered } from './forwarded.ts'
import type { CallPhase, Ring } from './state.ts'
import { connectParties } from './talking.ts'
import {
  cancelTimers,
  emit,
  enterPhase,
  goTo,
  joinAgent,
  patch,
  patchRecord,
  play,
  playWaiting,
  publishCallEvent,
  rankOf,
  ringEnded,
  startTimer,
  stopPlayback,
  type Turn,
  trace,
} from './turn.ts'

/** Users who declined or did not answer are not rung again before this. */
const retryAfterMs = 30_000
const maxConcurrentRings = 50

export type Ringing = Extract<CallPhase, { kind: 'ringing' }>

export function startRing(turn: Turn, ring: Ring) {
  const { seen } = turn.call
  if (ring.purpose !== 'internal') patch(turn, { seen: { ...seen, ringStep: true } })
  trace(turn, {
    kind: 'ring',
    node: ring.node,
    purpose: ring.purpose,
    strategy: ring.strategy,
    targets: ring.targets,
  })
  enterPhase(turn, { kind: 'ringing', ring })
  if (ring.targets.length === 0) return handleNoAnswer(turn, ring)
  playRinging(turn)
  if (ring.deadline !== null) {
    emit(turn, { kind: 'queue.enter', targets: ring.targets, rank: rankOf(turn), enteredAt: ring.enteredAt })
    trace(turn, { kind: 'queue', waits_until: ring.deadline })
    startTimer(turn, 'deadline', ring.deadline - turn.at)
    const every = turn.call.waiting.announceEveryMs
    if (every !== null) startTimer(turn, 'announce', every)
  }
  findAgents(turn, ring)
}

/** After a waiting widget the caller hears its audio, otherwise ringback. */
function playRinging(turn: Turn) {
  const { customer, waiting } = turn.call
  if (customer.leg === null) return
  if (waiting.media !== null) return playWaiting(turn)
  if (customer.open) return play(turn, ['ringing_tone'], { loop: true })
  emit(turn, { kind: 'leg.ringing', leg: customer.leg })
}

function findAgents(turn: Turn, ring: Ring) {
  const recentlyTried = Object.entries(ring.tried).filter(
    ([, at]) => ring.deadline === null || turn.at < at + retryAfterMs,
  )
  const except = [
    ...ring.except,
    ...ring.rung.map(({ userId }) => userId),
    ...recentlyTried.map(([userId]) => Number(userId)),
  ]
  const max = ring.strategy === 'simultaneous' ? maxConcurrentRings : 1
  emit(turn, { kind: 'find.agents', targets: ring.targets, strategy: ring.strategy, max, except, consultation: false })
}

/** In the queue, and able to take an agent who becomes available. */
const acceptsAgents = ({ deadline, strategy, rung }: Ring) =>
  deadline !== null && (strategy === 'simultaneous' || rung.length === 0)

function setRing(turn: Turn, ring: Ring) {
  const { phase } = turn.call
  const was = phase.kind === 'ringing' && acceptsAgents(phase.ring)
  enterPhase(turn, { kind: 'ringing', ring })
  if (ring.deadline !== null && was !== acceptsAgents(ring))
    emit(turn, { kind: 'queue.accepting', accepting: acceptsAgents(ring) })
}

export function agentsFound(
  turn: Turn,
  { ring }: Ringing,
  people: readonly Found[],
  considered: readonly Considered[],
) {
  const isFirst = ring.rung.length === 0 && Object.keys(ring.tried).length === 0
  const looked = considered
    .filter(({ rung }) => isFirst || rung)
    .map(({ userId, availability, sinceMs, reserved, rung }) => {
      return { user_id: userId, availability, since_seconds: Math.floor(sinceMs / 1_000), reserved, rung }
    })
  if (looked.length > 0) trace(turn, { kind: 'considered', people: looked })
  if (people.length > 0) return ringAgents(turn, ring, people)
  if (ring.rung.length > 0) return
  if (ring.deadline === null) return handleNoAnswer(turn, ring)
  scheduleRetry(turn, ring)
}

/** No event reports when an agent who declined may be rung again. */
function scheduleRetry(turn: Turn, ring: Ring) {
  const rested = Object.values(ring.tried).map((at) => at + retryAfterMs - turn.at)
  const next = rested.filter((ms) => ms > 0)
  if (next.length > 0) startTimer(turn, 'retry', Math.min(...next))
}

function ringAgents(turn: Turn, ring: Ring, people: readonly Found[]) {
  const rung = people.map(({ userId, teamId }) => ({ userId, teamId, since: turn.at }))
  setRing(turn, { ...ring, rung: [...ring.rung, ...rung] })
  if (ring.purpose !== 'internal') patch(turn, { seen: { ...turn.call.seen, agentRung: true } })
  cancelTimers(turn, 'retry')
  if (turn.call.timers.ring === undefined) startTimer(turn, 'ring', ring.ringMs)
  const purpose = ring.purpose === 'flow' ? 'inbound' : ring.purpose
  for (const { userId, teamId } of people) {
    emit(turn, { kind: 'ring.started', userId, teamId, origin: originOf(turn, ring) })
    publishCallEvent(turn, 'ringing_on_agent', { userId })
    emit(turn, { kind: 'ring', userId, purpose })
    showCardsTo(turn, userId)
  }
}

/** A call escalated by an AI voice agent has the origin ESCALATION until it is answered. */
const originOf = ({ call }: Turn, { purpose }: Ring) =>
  call.escalated && purpose !== 'internal' ? 'ESCALATION' : origins[purpose]

const origins = { flow: 'RING_TO', transfer: 'TRANSFER', internal: null } as const

export function agentAvailable(turn: Turn, { ring }: Ringing, person: Found) {
  const triedAt = ring.tried[person.userId]
  const wasTriedRecently = triedAt !== undefined && turn.at < triedAt + retryAfterMs
  if (!acceptsAgents(ring) || wasTriedRecently) return void emit(turn, { kind: 'release', userId: person.userId })
  ringAgents(turn, ring, [person])
}

export function ringTimedOut(turn: Turn, { ring }: Ringing) {
  const tried = { ...ring.tried }
  for (const rung of ring.rung) {
    ringEnded(turn, rung, 'no_answer', 'timeout')
    tried[rung.userId] = turn.at
  }
  ringNext(turn, { ...ring, rung: [], tried })
}

/** Declined, or disconnected before an answer. */
export function ringRefused(turn: Turn, { ring }: Ringing, userId: number, outcome: 'declined' | 'no_answer') {
  const rung = ring.rung.find((one) => one.userId === userId)
  if (!rung) return
  ringEnded(turn, rung, outcome)
  if (outcome === 'declined') publishCallEvent(turn, 'agent_declined', { userId })
  const left = { ...ring, rung: ring.rung.filter((one) => one !== rung), tried: { ...ring.tried, [userId]: turn.at } }
  if (left.rung.length > 0) return setRing(turn, left)
  ringNext(turn, left)
}

/** No phone rings any more: rings the next agent, the next round, or takes the no_answer branch. */
function ringNext(turn: Turn, ring: Ring) {
  cancelTimers(turn, 'ring')
  setRing(turn, ring)
  if (ring.strategy === 'simultaneous' && ring.deadline === null) return handleNoAnswer(turn, ring)
  findAgents(turn, ring)
}

export function retryRing(turn: Turn, { ring }: Ringing) {
  if (ring.rung.length === 0) findAgents(turn, ring)
}

export function handleNoAnswer(turn: Turn, ring: Ring) {
  stopRinging(turn, 'no_answer')
  if (ring.purpose === 'internal') return finish(turn, 'no_answer')
  if (ring.purpose === 'transfer') {
    publishCallEvent(turn, 'unsuccessful_transfer')
    return continueUnanswered(turn, null)
  }
  continueUnanswered(turn, ring.node)
}

/** Cancels all rings of the phase and leaves the queue. */
export function stopRinging(turn: Turn, outcome: 'cancelled' | 'no_answer' = 'cancelled') {
  const { phase } = turn.call
  if (phase.kind !== 'ringing') return
  for (const rung of phase.ring.rung) ringEnded(turn, rung, outcome, outcome === 'no_answer' ? 'timeout' : 'cancelled')
  if (phase.ring.deadline !== null) emit(turn, { kind: 'queue.leave' })
  enterPhase(turn, { kind: 'ringing', ring: { ...phase.ring, rung: [], deadline: null } })
  cancelTimers(turn, 'ring', 'retry', 'deadline', 'announce')
  stopPlayback(turn)
}

type Answer = Extract<CallCommand, { kind: 'answer' }>

/** Events are processed in order: the first answer wins. */
export function answerRing(turn: Turn, { ring }: Ringing, answer: Answer) {
  for (const rung of ring.rung) {
    if (rung.userId === answer.by) ringEnded(turn, rung, 'answered', 'cancelled', answer.leg)
    else ringEnded(turn, rung, 'cancelled', 'answered_elsewhere')
  }
  enterPhase(turn, { kind: 'ringing', ring: { ...ring, rung: [] } })
  stopRinging(turn)
  const isFirst = turn.call.record.answeredAt === null
  trace(turn, { kind: 'answered', user_id: answer.by })
  if (ring.purpose === 'internal') {
    patchRecord(turn, { answeredAt: turn.at })
    for (const { userId } of turn.call.agents) emit(turn, { kind: 'show', userId, state: 'connected' })
    joinAgent(turn, answer.by, answer)
    return connectParties(turn)
  }
  patchRecord(turn, { userId: answer.by, ...(isFirst && { answeredAt: turn.at }) })
  joinAgent(turn, answer.by, answer)
  if (isFirst) publishCallEvent(turn, 'answered')
  if (ring.purpose === 'transfer' || turn.call.escalated) {
    patchRecord(turn, { assignedTo: answer.by })
    if (ring.purpose === 'transfer') emit(turn, { kind: 'transfer.received', userId: answer.by })
    publishCallEvent(turn, 'assigned')
    patch(turn, { escalated: false })
  }
  connectParties(turn)
}

/** The callback key of a waiting widget. */
export function askForCallback(turn: Turn): boolean {
  const { callbackNode } = turn.call.waiting
  if (callbackNode === null) return false
  stopRinging(turn)
  cancelTimers(turn, 'wait')
  patch(turn, { waiting: { ...turn.call.waiting, callbackNode: null } })
  goTo(turn, callbackNode)
  return true
}
