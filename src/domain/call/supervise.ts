// A supervisor listens to a call without being a party of it: silent, or whispering to the agents.
import type { LegId } from '../voice.ts'
import { showCardsTo } from './cards.ts'
import type { CallCommand } from './commands.ts'
import type { Supervisor } from './state.ts'
import { emit, hangUp, joinAgent, patch, type Turn, trace } from './turn.ts'

type Supervise = Extract<CallCommand, { kind: 'supervise' }>

export function supervise(turn: Turn, { by, mode, sdpOffer, session }: Supervise): string | undefined {
  const { phase, agents, supervisors } = turn.call
  const known = supervisors.find(({ userId }) => userId === by)
  if (mode === null) return known ? stopListening(turn, known) : 'The user does not listen to the call'
  if (agents.some(({ userId }) => userId === by)) return 'The user is on the call'
  if (phase.kind !== 'talking') return 'The call has no active conversation'
  // After a reload the same supervision continues.
  if (known?.mode !== mode) trace(turn, { kind: 'supervised', by, mode })
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
    patch(turn, { supervisors: [...supervisors, { userId: by, leg: null, mode }] })
    showCardsTo(turn, by)
  }
  // A new offer means that the media was lost, for example by a reload; the old leg ends when the new one is
  // connected.
  if (known && sdpOffer === undefined) {
    if (known.leg !== null) emit(turn, joined(turn, known.leg, mode))
    return
  }
  emit(turn, { kind: 'attach', userId: by, sdpOffer: sdpOffer ?? '', ...(session !== undefined && { session }) })
}

export function supervisorAttached(turn: Turn, userId: number, leg: LegId): boolean {
  const known = turn.call.supervisors.find((one) => one.userId === userId)
  if (!known) return false
  hangUp(turn, known.leg)
  replace(turn, { ...known, leg })
  emit(turn, joined(turn, leg, known.mode))
  return true
}

export function supervisorGone(turn: Turn, leg: LegId): boolean {
  const { supervisors } = turn.call
  const gone = supervisors.find((one) => one.leg === leg)
  if (!gone) return false
  patch(turn, { supervisors: supervisors.filter((one) => one !== gone) })
  trace(turn, { kind: 'supervised', by: gone.userId, mode: null })
  return true
}

function stopListening(turn: Turn, supervisor: Supervisor): undefined {
  dismissSupervisor(turn, supervisor)
  trace(turn, { kind: 'supervised', by: supervisor.userId, mode: null })
}

export function dismissSupervisor(turn: Turn, { userId, leg }: Supervisor) {
  patch(turn, { supervisors: turn.call.supervisors.filter((one) => one.userId !== userId) })
  emit(turn, { kind: 'show', userId, state: 'not_listening' })
  hangUp(turn, leg)
}

/** A supervisor hears all parties; a whisper reaches the agents and no external party. */
function joined(turn: Turn, leg: LegId, mode: Supervisor['mode']) {
  const whisperTo = turn.call.agents.flatMap((agent) => (agent.leg === null ? [] : [agent.leg]))
  const options = mode === 'listen' ? { listenOnly: true as const } : { whisperTo }
  return { kind: 'join', room: 'main', leg, ...options } as const
}

/** The agents have changed: the whisper is routed to the current ones. */
export function updateWhisper(turn: Turn) {
  for (const { leg, mode } of turn.call.supervisors) {
    if (leg !== null && mode === 'whisper') emit(turn, joined(turn, leg, mode))
  }
}

function replace(turn: Turn, changed: Supervisor) {
  const { supervisors } = turn.call
  patch(turn, { supervisors: supervisors.map((one) => (one.userId === changed.userId ? changed : one)) })
}
