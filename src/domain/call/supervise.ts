// Somebody who hears a call without being a party of it: unheard, or heard by our people only.
import type { LegId } from '../voice.ts'
import { showCardsTo } from './cards.ts'
import type { CallCommand } from './commands.ts'
import type { Supervisor } from './state.ts'
import { ask, change, hangUp, joinAgent, type Turn } from './turn.ts'

type Supervise = Extract<CallCommand, { kind: 'supervise' }>

export function supervise(turn: Turn, { by, mode, sdpOffer, session }: Supervise): string | undefined {
  const { phase, agents, supervisors } = turn.call
  const known = supervisors.find(({ userId }) => userId === by)
  if (mode === null) return known ? void dismissSupervisor(turn, known) : 'The user does not listen to the call'
  if (agents.some(({ userId }) => userId === by)) return 'The user is on the call'
  if (phase.at !== 'talking') return 'Nobody talks on this call now'
  if (mode === 'join') {
    if (known) dismissSupervisor(turn, known)
    else showCardsTo(turn, by)
    return void joinAgent(turn, by, {
      ...(sdpOffer !== undefined && { sdpOffer }),
      ...(session !== undefined && { session }),
    })
  }
  if (known) replace(turn, { ...known, mode })
  else {
    change(turn, { supervisors: [...supervisors, { userId: by, leg: null, mode }] })
    showCardsTo(turn, by)
  }
  // Whoever offers anew has lost the sound, as by a reload; what is left of the old one ends when the new one stands.
  if (known && sdpOffer === undefined) {
    if (known.leg !== null) ask(turn, joined(turn, known.leg, mode))
    return
  }
  ask(turn, { kind: 'attach', userId: by, sdpOffer: sdpOffer ?? '', ...(session !== undefined && { session }) })
}

export function supervisorAttached(turn: Turn, userId: number, leg: LegId): boolean {
  const known = turn.call.supervisors.find((one) => one.userId === userId)
  if (!known) return false
  hangUp(turn, known.leg)
  replace(turn, { ...known, leg })
  ask(turn, joined(turn, leg, known.mode))
  return true
}

export function supervisorGone(turn: Turn, leg: LegId): boolean {
  const { supervisors } = turn.call
  const left = supervisors.filter((one) => one.leg !== leg)
  if (left.length === supervisors.length) return false
  change(turn, { supervisors: left })
  return true
}

export function dismissSupervisor(turn: Turn, { userId, leg }: Supervisor) {
  change(turn, { supervisors: turn.call.supervisors.filter((one) => one.userId !== userId) })
  ask(turn, { kind: 'show', userId, state: 'not_listening' })
  hangUp(turn, leg)
}

/** Everybody is heard by whoever listens; a whisper reaches our people and nobody outside. */
function joined(turn: Turn, leg: LegId, mode: Supervisor['mode']) {
  const whisperTo = turn.call.agents.flatMap((agent) => (agent.leg === null ? [] : [agent.leg]))
  const options = mode === 'listen' ? { listenOnly: true as const } : { whisperTo }
  return { kind: 'join', room: 'main', leg, ...options } as const
}

/** Who is one of ours has changed: a whisper goes to those who are there now. */
export function whisperAgain(turn: Turn) {
  for (const { leg, mode } of turn.call.supervisors) {
    if (leg !== null && mode === 'whisper') ask(turn, joined(turn, leg, mode))
  }
}

function replace(turn: Turn, changed: Supervisor) {
  const { supervisors } = turn.call
  change(turn, { supervisors: supervisors.map((one) => (one.userId === changed.userId ? changed : one)) })
}
