// Somebody of the company is sought and rung: for a ring step, for a transfer, or for an internal call.
import { showCardsTo } from './cards.ts'
import type { CallCommand } from './commands.ts'
import type { Considered, Found } from './events.ts'
import { finish } from './finish.ts'
import { goOnUnanswered } from './passed.ts'
import type { Phase, Ring } from './state.ts'
import { talk } from './talking.ts'
import {
  ask,
  change,
  enter,
  forget,
  goTo,
  hear,
  hearWaiting,
  hushed,
  joinAgent,
  note,
  publish,
  rankOf,
  ringEnded,
  type Turn,
  trace,
  wake,
} from './turn.ts'

/** Who declined or let it ring is not asked again before. */
const restMs = 30_000
const maxConcurrent = 50

export type Ringing = Extract<Phase, { at: 'ringing' }>

export function startRing(turn: Turn, ring: Ring) {
  const { seen } = turn.call
  if (ring.purpose !== 'internal') change(turn, { seen: { ...seen, ringStep: true } })
  trace(turn, {
    kind: 'ring',
    node: ring.node,
    purpose: ring.purpose,
    strategy: ring.strategy,
    targets: ring.targets,
  })
  enter(turn, { at: 'ringing', ring })
  if (ring.targets.length === 0) return noAnswer(turn, ring)
  hearRinging(turn)
  if (ring.deadline !== null) {
    ask(turn, { kind: 'queue.enter', targets: ring.targets, rank: rankOf(turn), enteredAt: ring.enteredAt })
    trace(turn, { kind: 'queue', waits_until: ring.deadline })
    wake(turn, 'deadline', ring.deadline - turn.at)
    const every = turn.call.waiting.announceEveryMs
    if (every !== null) wake(turn, 'announce', every)
  }
  seek(turn, ring)
}

/** Whoever has been through a waiting widget hears its music; to others the phone just rings. */
function hearRinging(turn: Turn) {
  const { customer, waiting } = turn.call
  if (customer.leg === null) return
  if (waiting.media !== null) return hearWaiting(turn)
  if (customer.open) return hear(turn, ['ringing_tone'], { loop: true })
  ask(turn, { kind: 'leg.ringing', leg: customer.leg })
}

function seek(turn: Turn, ring: Ring) {
  const resting = Object.entries(ring.tried).filter(([, at]) => ring.deadline === null || turn.at < at + restMs)
  const except = [
    ...ring.except,
    ...ring.rung.map(({ userId }) => userId),
    ...resting.map(([userId]) => Number(userId)),
  ]
  const most = ring.strategy === 'simultaneous' ? maxConcurrent : 1
  ask(turn, { kind: 'seek', targets: ring.targets, strategy: ring.strategy, most, except, aside: false })
}

/** In the queue, and able to take an agent who becomes free. */
const isHungry = ({ deadline, strategy, rung }: Ring) =>
  deadline !== null && (strategy === 'simultaneous' || rung.length === 0)

function setRing(turn: Turn, ring: Ring) {
  const { phase } = turn.call
  const was = phase.at === 'ringing' && isHungry(phase.ring)
  enter(turn, { at: 'ringing', ring })
  if (ring.deadline !== null && was !== isHungry(ring)) ask(turn, { kind: 'queue.hungry', hungry: isHungry(ring) })
}

export function found(turn: Turn, { ring }: Ringing, people: readonly Found[], considered: readonly Considered[]) {
  const isFirst = ring.rung.length === 0 && Object.keys(ring.tried).length === 0
  const looked = considered
    .filter(({ rung }) => isFirst || rung)
    .map(({ userId, availability, sinceMs, reserved, rung }) => {
      return { user_id: userId, availability, since_seconds: Math.floor(sinceMs / 1_000), reserved, rung }
    })
  if (looked.length > 0) trace(turn, { kind: 'considered', people: looked })
  if (people.length > 0) return ringThem(turn, ring, people)
  if (ring.rung.length > 0) return
  if (ring.deadline === null) return noAnswer(turn, ring)
  waitForRested(turn, ring)
}

/** Nobody tells us when somebody who has just declined is willing again. */
function waitForRested(turn: Turn, ring: Ring) {
  const rested = Object.values(ring.tried).map((at) => at + restMs - turn.at)
  const next = rested.filter((ms) => ms > 0)
  if (next.length > 0) wake(turn, 'retry', Math.min(...next))
}

function ringThem(turn: Turn, ring: Ring, people: readonly Found[]) {
  const rung = people.map(({ userId, teamId }) => ({ userId, teamId, since: turn.at }))
  setRing(turn, { ...ring, rung: [...ring.rung, ...rung] })
  if (ring.purpose !== 'internal') change(turn, { seen: { ...turn.call.seen, agentRung: true } })
  forget(turn, 'retry')
  if (turn.call.timers.ring === undefined) wake(turn, 'ring', ring.ringMs)
  const purpose = ring.purpose === 'flow' ? 'inbound' : ring.purpose
  for (const { userId, teamId } of people) {
    ask(turn, { kind: 'ring.begun', userId, teamId, origin: originOf(turn, ring) })
    publish(turn, 'ringing_on_agent', { userId })
    ask(turn, { kind: 'ring', userId, purpose })
    showCardsTo(turn, userId)
  }
}

/** Until somebody takes it, a call that an AI voice agent handed over is an escalation. */
const originOf = ({ call }: Turn, { purpose }: Ring) =>
  call.escalated && purpose !== 'internal' ? 'ESCALATION' : origins[purpose]

const origins = { flow: 'RING_TO', transfer: 'TRANSFER', internal: null } as const

export function becameFree(turn: Turn, { ring }: Ringing, person: Found) {
  const triedAt = ring.tried[person.userId]
  const isResting = triedAt !== undefined && turn.at < triedAt + restMs
  if (!isHungry(ring) || isResting) return void ask(turn, { kind: 'release', userId: person.userId })
  ringThem(turn, ring, [person])
}

export function ringTimedOut(turn: Turn, { ring }: Ringing) {
  const tried = { ...ring.tried }
  for (const rung of ring.rung) {
    ringEnded(turn, rung, 'no_answer', 'timeout')
    tried[rung.userId] = turn.at
  }
  onward(turn, { ...ring, rung: [], tried })
}

/** Declined, or gone before an answer. */
export function ringRefused(turn: Turn, { ring }: Ringing, userId: number, outcome: 'declined' | 'no_answer') {
  const rung = ring.rung.find((one) => one.userId === userId)
  if (!rung) return
  ringEnded(turn, rung, outcome)
  if (outcome === 'declined') publish(turn, 'agent_declined', { userId })
  const left = { ...ring, rung: ring.rung.filter((one) => one !== rung), tried: { ...ring.tried, [userId]: turn.at } }
  if (left.rung.length > 0) return setRing(turn, left)
  onward(turn, left)
}

/** Nobody is rung any more: the next one, the next round, or nobody. */
function onward(turn: Turn, ring: Ring) {
  forget(turn, 'ring')
  setRing(turn, ring)
  if (ring.strategy === 'simultaneous' && ring.deadline === null) return noAnswer(turn, ring)
  seek(turn, ring)
}

export function tryAgain(turn: Turn, { ring }: Ringing) {
  if (ring.rung.length === 0) seek(turn, ring)
}

export function noAnswer(turn: Turn, ring: Ring) {
  stopRinging(turn, 'no_answer')
  if (ring.purpose === 'internal') return finish(turn, 'no_answer')
  if (ring.purpose === 'transfer') {
    publish(turn, 'unsuccessful_transfer')
    return goOnUnanswered(turn, null)
  }
  goOnUnanswered(turn, ring.node)
}

/** Every ring of the phase ends, and the place in the queue is given up. */
export function stopRinging(turn: Turn, outcome: 'cancelled' | 'no_answer' = 'cancelled') {
  const { phase } = turn.call
  if (phase.at !== 'ringing') return
  for (const rung of phase.ring.rung) ringEnded(turn, rung, outcome, outcome === 'no_answer' ? 'timeout' : 'cancelled')
  if (phase.ring.deadline !== null) ask(turn, { kind: 'queue.leave' })
  enter(turn, { at: 'ringing', ring: { ...phase.ring, rung: [], deadline: null } })
  forget(turn, 'ring', 'retry', 'deadline', 'announce')
  hushed(turn)
}

type Answer = Extract<CallCommand, { kind: 'answer' }>

/** The mailbox put the answers in order: the first one wins. */
export function pickUp(turn: Turn, { ring }: Ringing, answer: Answer) {
  for (const rung of ring.rung) {
    if (rung.userId === answer.by) ringEnded(turn, rung, 'answered')
    else ringEnded(turn, rung, 'cancelled', 'answered_elsewhere')
  }
  enter(turn, { at: 'ringing', ring: { ...ring, rung: [] } })
  stopRinging(turn)
  const isFirst = turn.call.record.answeredAt === null
  trace(turn, { kind: 'answered', user_id: answer.by })
  if (ring.purpose === 'internal') {
    note(turn, { answeredAt: turn.at })
    for (const { userId } of turn.call.agents) ask(turn, { kind: 'show', userId, state: 'connected' })
    joinAgent(turn, answer.by, answer)
    return talk(turn)
  }
  note(turn, { userId: answer.by, ...(isFirst && { answeredAt: turn.at }) })
  joinAgent(turn, answer.by, answer)
  if (isFirst) publish(turn, 'answered')
  if (ring.purpose === 'transfer' || turn.call.escalated) {
    note(turn, { assignedTo: answer.by })
    if (ring.purpose === 'transfer') ask(turn, { kind: 'received', userId: answer.by })
    publish(turn, 'assigned')
    change(turn, { escalated: false })
  }
  talk(turn)
}

/** The key that a waiting widget offers. */
export function askForCallback(turn: Turn): boolean {
  const { callbackNode } = turn.call.waiting
  if (callbackNode === null) return false
  stopRinging(turn)
  forget(turn, 'wait')
  change(turn, { waiting: { ...turn.call.waiting, callbackNode: null } })
  goTo(turn, callbackNode)
  return true
}
