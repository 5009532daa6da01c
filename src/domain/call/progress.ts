// What the network says before a call is answered, and a far end that puts us on hold.
import type { LegId } from '../voice.ts'
import type { Aside } from './state.ts'
import { ask, change, enter, type Turn, trace } from './turn.ts'

const lowestRinging = 180

/** Ringback on 180, and the network's own sound as soon as a response brings SDP. */
export function progressed(turn: Turn, { leg, code, early = false }: { leg: LegId; code: number; early?: boolean }) {
  const { phase, customer, agents, line, aside } = turn.call
  // Simulated networks have no sound of their own.
  if (line !== 'real' || code < lowestRinging) return
  if (aside?.leg === leg) return consultationProgressed(turn, aside, { leg, code, early })
  if (phase.at !== 'dialling' || leg !== customer.leg) return
  if (phase.progress === 'early' || (phase.progress === 'tone' && !early)) return
  trace(turn, { kind: 'progress', code, early_media: early })
  if (early) {
    if (phase.progress === 'tone') stopRingback(turn)
    ask(turn, { kind: 'join', room: 'main', leg })
  } else for (const agent of agents) if (agent.leg !== null) playRingback(turn, agent.leg)
  enter(turn, { at: 'dialling', progress: early ? 'early' : 'tone' })
}

/** No sound of the customer's: its end means nothing to the call. */
const noSound = -1

export const playRingback = (turn: Turn, leg: LegId) =>
  ask(turn, { kind: 'play', leg, sound: noSound, media: ['ringing_tone'], loop: true })

export function stopRingback(turn: Turn) {
  const { phase, agents } = turn.call
  if (phase.at !== 'dialling' || phase.progress !== 'tone') return
  for (const { leg } of agents) if (leg !== null) ask(turn, { kind: 'play.stop', leg })
}

/** Heard by the agent who consults, not by the customer on hold. In a conference the talk goes on meanwhile. */
function consultationProgressed(
  turn: Turn,
  aside: Aside,
  { leg, code, early }: { leg: LegId; code: number; early: boolean },
) {
  if (aside.purpose !== 'consult' || aside.joined || aside.progress === 'early') return
  if (aside.progress === 'tone' && !early) return
  trace(turn, { kind: 'progress', code, early_media: early })
  if (!early) return consultationRings(turn, aside)
  stopConsultationTone(turn, aside)
  const agentLeg = legOf(turn, aside.by)
  ask(turn, { kind: 'join', room: 'aside', leg })
  if (agentLeg !== null) ask(turn, { kind: 'join', room: 'aside', leg: agentLeg })
  change(turn, { aside: { ...aside, progress: 'early' } })
}

export function consultationRings(turn: Turn, aside: Aside) {
  if (turn.call.line !== 'real' || aside.purpose !== 'consult') return
  const leg = legOf(turn, aside.by)
  if (leg !== null) playRingback(turn, leg)
  change(turn, { aside: { ...aside, progress: 'tone' } })
}

/** The consultation as it is once the other party has answered, refused or is not wanted any more. */
export function stopConsultationTone(turn: Turn, { progress, ...aside }: Aside): Aside {
  const leg = legOf(turn, aside.by)
  if (progress === 'tone' && leg !== null) ask(turn, { kind: 'play.stop', leg })
  return aside
}

const legOf = (turn: Turn, userId: number): LegId | null =>
  turn.call.agents.find((agent) => agent.userId === userId)?.leg ?? null

export function remoteHold(turn: Turn, { leg, held }: { leg: LegId; held: boolean }) {
  const { customer, agents } = turn.call
  if (leg !== customer.leg || (customer.holds ?? false) === held) return
  change(turn, { customer: { ...customer, holds: held } })
  trace(turn, { kind: 'remote_hold', held })
  for (const { userId } of agents) ask(turn, { kind: 'show', userId, state: held ? 'remote_hold' : 'remote_unhold' })
}
