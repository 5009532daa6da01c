// Somebody asked first, before a transfer, or invited to a conference: rung or dialled beside the talk, without a word to
// the world. A consultation is an internal call in all but name.

import type { LegId } from '../voice.ts'
import { showCardsTo } from './cards.ts'
import type { CallCommand } from './commands.ts'
import type { Found } from './events.ts'
import { hold, resume } from './hold.ts'
import { consultationRings, stopConsultationTone } from './progress.ts'
import type { Aside } from './state.ts'
import {
  addParticipant,
  ask,
  change,
  dismissAgent,
  enter,
  forget,
  hangUp,
  joinAgent,
  note,
  publish,
  ringEnded,
  type Turn,
  trace,
  wake,
} from './turn.ts'

const ringMs = 30_000

export function beginAside(turn: Turn, wish: Pick<Aside, 'purpose' | 'by' | 'to' | 'firstUserId'>) {
  if (wish.purpose === 'consult') hold(turn)
  change(turn, { aside: { ...wish, rung: [], leg: null, joined: false, userId: null, failed: false } })
  if (wish.to.type === 'number') {
    const from = turn.call.number?.digits ?? ''
    return void ask(turn, {
      kind: 'dial',
      role: 'aside',
      to: wish.to.number,
      from,
      line: from,
      userId: wish.by,
      origin: wish.purpose === 'consult' ? 'transfer' : 'conference',
      timeoutMs: ringMs,
    })
  }
  trace(turn, { kind: 'ring', node: null, purpose: wish.purpose, strategy: 'simultaneous', targets: [wish.to] })
  const except = turn.call.agents.map(({ userId }) => userId)
  ask(turn, { kind: 'seek', targets: [wish.to], strategy: 'simultaneous', most: 50, except, aside: true })
}

export function asideFound(turn: Turn, aside: Aside, people: readonly Found[]) {
  if (people.length === 0) return asideFailed(turn)
  const ringing = { ...aside, rung: people.map((person) => ({ ...person, since: turn.at })) }
  change(turn, { aside: ringing })
  consultationRings(turn, ringing)
  wake(turn, 'aside', ringMs)
  for (const { userId, teamId } of people) {
    // Reports know no origin of its own for an invitation: like a transfer, an agent asks a colleague.
    ask(
      turn,
      { kind: 'ring.begun', userId, teamId, origin: 'TRANSFER' },
      { kind: 'ring', userId, purpose: aside.purpose },
    )
    showCardsTo(turn, userId)
  }
}

export function asidePickedUp(turn: Turn, aside: Aside, answer: Extract<CallCommand, { kind: 'answer' }>) {
  forget(turn, 'aside')
  for (const rung of aside.rung) {
    if (rung.userId === answer.by) ringEnded(turn, rung, 'answered')
    else ringEnded(turn, rung, 'cancelled', 'answered_elsewhere')
  }
  ask(turn, { kind: 'show', userId: aside.by, state: 'reached' })
  if (aside.purpose === 'conference') {
    change(turn, { aside: null })
    return joinAgent(turn, answer.by, answer)
  }
  // Not a participant of the call yet: the customer does not hear the consultation.
  change(turn, { aside: { ...stopConsultationTone(turn, aside), rung: [], joined: true, userId: answer.by } })
  const { sdpOffer = '', session } = answer
  ask(
    turn,
    { kind: 'joined', userId: answer.by, aside: true },
    { kind: 'attach', userId: answer.by, sdpOffer, ...(session !== undefined && { session }) },
    { kind: 'show', userId: answer.by, state: 'consulting' },
  )
  meetAside(turn, aside.by)
}

function meetAside(turn: Turn, userId: number) {
  const leg = turn.call.agents.find((agent) => agent.userId === userId)?.leg ?? null
  if (leg !== null) ask(turn, { kind: 'join', room: 'aside', leg })
}

export function asideRefused(turn: Turn, aside: Aside, userId: number, outcome: 'declined' | 'no_answer') {
  const rung = aside.rung.find((one) => one.userId === userId)
  if (!rung) return
  ringEnded(turn, rung, outcome)
  const left = { ...aside, rung: aside.rung.filter((one) => one !== rung) }
  change(turn, { aside: left })
  if (left.rung.length === 0) asideFailed(turn)
}

export function asideTimedOut(turn: Turn, aside: Aside) {
  for (const rung of aside.rung) ringEnded(turn, rung, 'no_answer', 'timeout')
  change(turn, { aside: { ...aside, rung: [] } })
  asideFailed(turn)
}

/** The agent is told, and decides: an invitation is over, a consultation ends when the talk is taken up again. */
export function asideFailed(turn: Turn) {
  const { aside } = turn.call
  if (!aside) return
  forget(turn, 'aside')
  ask(turn, { kind: 'show', userId: aside.by, state: 'not_reached' })
  if (aside.purpose === 'conference') return change(turn, { aside: null })
  const over = stopConsultationTone(turn, aside)
  change(turn, { aside: { ...over, rung: [], leg: null, joined: false, userId: null, failed: true } })
  backToMain(turn, aside.by)
}

export function asideLegAnswered(turn: Turn, aside: Aside, leg: LegId) {
  if (aside.to.type !== 'number') return
  ask(turn, { kind: 'show', userId: aside.by, state: 'reached' })
  if (aside.purpose === 'conference') {
    change(turn, { aside: null, guests: [...turn.call.guests, { leg, phone: aside.to.number }] })
    addParticipant(turn, { kind: 'external', phone: aside.to.number })
    return void ask(turn, { kind: 'join', room: 'main', leg })
  }
  change(turn, { aside: { ...stopConsultationTone(turn, aside), joined: true } })
  ask(turn, { kind: 'join', room: 'aside', leg })
  meetAside(turn, aside.by)
}

export function asideLegEnded(turn: Turn) {
  const { aside } = turn.call
  if (!aside) return
  leaveAside(turn, aside)
  asideFailed(turn)
}

export function leaveAside(turn: Turn, { userId, leg }: Aside) {
  if (userId !== null) ask(turn, { kind: 'left', userId, aside: true }, { kind: 'show', userId, state: 'ended' })
  hangUp(turn, leg)
}

/** Whoever was asked or rung beside the talk goes away. */
export function dropAside(turn: Turn) {
  const { aside } = turn.call
  if (!aside) return
  forget(turn, 'aside')
  for (const rung of aside.rung) ringEnded(turn, rung, 'cancelled')
  leaveAside(turn, aside)
  stopConsultationTone(turn, aside)
  change(turn, { aside: null })
  backToMain(turn, aside.by)
}

function backToMain(turn: Turn, userId: number) {
  const leg = turn.call.agents.find((agent) => agent.userId === userId)?.leg ?? null
  if (leg !== null) ask(turn, { kind: 'join', room: 'main', leg })
}

/** The consulted party takes over and whoever asked leaves. */
export function completeTransfer(turn: Turn, aside: Aside) {
  const { by, to, userId, leg } = aside
  resume(turn)
  change(turn, { aside: null })
  if (to.type === 'number') {
    note(turn, { transferredBy: by, transferredTo: null, transferredOut: true })
    ask(turn, { kind: 'gave', userId: by })
    trace(turn, { kind: 'transfer', by, to: to.number, id: null, strategy: null })
    publish(turn, 'transferred')
    publish(turn, 'external_transferred', { external: { to: to.number, caller: turn.call.record.external } })
    addParticipant(turn, { kind: 'external', phone: to.number })
    for (const agent of turn.call.agents) dismissAgent(turn, agent.userId)
    if (leg !== null) ask(turn, { kind: 'join', room: 'main', leg })
    return enter(turn, { at: 'passed', phone: to.number, leg, joined: true, node: null })
  }
  if (userId === null) return
  const transferredTo = to.type === 'user' ? to.id : aside.firstUserId
  note(turn, { transferredBy: by, transferredTo, transferredOut: false })
  ask(turn, { kind: 'gave', userId: by }, { kind: 'received', userId })
  trace(turn, { kind: 'transfer', by, to: to.type, id: to.id, strategy: null })
  trace(turn, { kind: 'answered', user_id: userId })
  change(turn, { agents: [...turn.call.agents, { userId, leg }] })
  addParticipant(turn, { kind: 'user', userId })
  publish(turn, 'transferred')
  note(turn, { userId, assignedTo: userId })
  publish(turn, 'assigned')
  if (leg !== null) ask(turn, { kind: 'join', room: 'main', leg })
  ask(turn, { kind: 'show', userId, state: 'connected' })
  dismissAgent(turn, by)
}
